/* Sums of dense rows, a block of classes at a time, so that the sums stay in registers.
   
   Each class is summed in the order of the rows, as one would by hand; only classes are worked on side by side, so the
   result is the same to the last bit whatever the width of the machine's registers. */
#pragma once

#include <math.h>
#include <stdint.h>

#if defined(__GNUC__)

#include "unroll.hpp"

/* the empty statement keeps the compiler from dropping a function that does nothing but this */
#define MALT_FETCH(address) do { __builtin_prefetch(address); __asm__ volatile(""); } while (0)
#define MALT_LOWEST_BIT(bits) __builtin_ctzll(bits)

/* N vectors of classes, from class k on */
#define MALT_ADD_BLOCK(name, bytes) \
    typedef double name##_vector __attribute__((vector_size(bytes), aligned(8), may_alias)); \
    template <int N> static inline __attribute__((always_inline)) void name( \
        double *sums, const double *const *rows, int count, int k) { \
        name##_vector *at = (name##_vector *) (sums + k), sum[N]; \
        MALT_UNROLL for (int j = 0; j < N; j++) sum[j] = at[j]; \
        for (int f = 0; f < count; f++) { \
            const name##_vector *row = (const name##_vector *) (rows[f] + k); \
            MALT_UNROLL for (int j = 0; j < N; j++) sum[j] += row[j]; \
        } \
        MALT_UNROLL for (int j = 0; j < N; j++) at[j] = sum[j]; \
    }
MALT_ADD_BLOCK(malt_add_twos, 16)
MALT_ADD_BLOCK(malt_add_fours, 32)
MALT_ADD_BLOCK(malt_add_eights, 64)

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void malt_add_rows_widest(
    double *sums, const double *const *rows, int count, int length) {
    int k = 0;
    for (; k + 128 <= length; k += 64) malt_add_eights<8>(sums, rows, count, k);
    switch ((length - k) / 8) {  /* all that is left in one go: rows are long, and each comes from far away */
#define MALT_REST(n) case n: malt_add_eights<n>(sums, rows, count, k); break;
        MALT_REST(1) MALT_REST(2) MALT_REST(3) MALT_REST(4) MALT_REST(5) MALT_REST(6) MALT_REST(7) MALT_REST(8)
        MALT_REST(9) MALT_REST(10) MALT_REST(11) MALT_REST(12) MALT_REST(13) MALT_REST(14) MALT_REST(15)
#undef MALT_REST
    }
}
__attribute__((target("avx2"))) static void malt_add_rows_wide(
    double *sums, const double *const *rows, int count, int length) {
    int k = 0;
    for (; k + 32 <= length; k += 32) malt_add_fours<8>(sums, rows, count, k);
    if (k + 16 <= length) malt_add_fours<4>(sums, rows, count, k), k += 16;
    if (k < length) malt_add_fours<2>(sums, rows, count, k);
}
static const bool malt_is_wide = __builtin_cpu_supports("avx2");
static const bool malt_is_widest = __builtin_cpu_supports("avx512f");
#endif

/* sums[k] += rows[0][k], += rows[1][k], ... for k < length, a multiple of 8 */
static void malt_add_rows(double *sums, const double *const *rows, int count, int length) {
    int k = 0;
#if defined(__x86_64__)
    if (malt_is_widest) {
        malt_add_rows_widest(sums, rows, count, length);
        return;
    }
    if (malt_is_wide) {
        malt_add_rows_wide(sums, rows, count, length);
        return;
    }
#endif
    for (; k + 16 <= length; k += 16) malt_add_twos<8>(sums, rows, count, k);
    if (k < length) malt_add_twos<4>(sums, rows, count, k);
}

/* The same for whole numbers of 32 or 16 bits, 16 classes at a time: N such lines, from class k on */
template <int N, bool SMALL, typename T> static inline __attribute__((always_inline)) void malt_add_lines(
    int32_t *sums, const T *const *rows, int count, int k) {
    typedef int32_t vector __attribute__((vector_size(64), aligned(4), may_alias));
    typedef T line __attribute__((vector_size(16 * sizeof(T)), aligned(sizeof(T)), may_alias));
    vector *at = (vector *) (sums + k), sum[N];
    MALT_UNROLL for (int j = 0; j < N; j++) sum[j] = at[j];
    int f = 0;
    if (SMALL)
        for (; f + 4 <= count; f += 4) {
            const line *a = (const line *) (rows[f] + k), *b = (const line *) (rows[f + 1] + k);
            const line *c = (const line *) (rows[f + 2] + k), *d = (const line *) (rows[f + 3] + k);
            MALT_UNROLL for (int j = 0; j < N; j++) sum[j] += __builtin_convertvector(a[j] + b[j] + c[j] + d[j], vector);
        }
    for (; f < count; f++) {
        const line *row = (const line *) (rows[f] + k);
        MALT_UNROLL for (int j = 0; j < N; j++) sum[j] += __builtin_convertvector(row[j], vector);
    }
    MALT_UNROLL for (int j = 0; j < N; j++) at[j] = sum[j];
}
#define MALT_ADD_ALL_LINES \
    int k = begin; \
    for (; k + 64 <= end; k += 64) malt_add_lines<4, SMALL>(sums, rows, count, k); \
    if (end - k >= 48) malt_add_lines<3, SMALL>(sums, rows, count, k); \
    else if (end - k >= 32) malt_add_lines<2, SMALL>(sums, rows, count, k); \
    else if (end - k >= 16) malt_add_lines<1, SMALL>(sums, rows, count, k);
#if defined(__x86_64__)
template <bool SMALL, typename T> __attribute__((target("avx512f"))) static void malt_add_whole_rows_widest(
    int32_t *sums, const T *const *rows, int count, int begin, int end) { MALT_ADD_ALL_LINES }
template <bool SMALL, typename T> __attribute__((target("avx2"))) static void malt_add_whole_rows_wide(
    int32_t *sums, const T *const *rows, int count, int begin, int end) { MALT_ADD_ALL_LINES }
#endif

/* sums[k] += rows[0][k], += rows[1][k], ... for begin <= k < end, both multiples of 16. SMALL: four of the numbers fit into T
   together. */
template <bool SMALL = false, typename T> static void malt_add_whole_rows(
    int32_t *sums, const T *const *rows, int count, int begin, int end) {
#if defined(__x86_64__)
    if (malt_is_widest) return malt_add_whole_rows_widest<SMALL>(sums, rows, count, begin, end);
    if (malt_is_wide) return malt_add_whole_rows_wide<SMALL>(sums, rows, count, begin, end);
#endif
    MALT_ADD_ALL_LINES
}
#undef MALT_ADD_ALL_LINES

/* the highest of some whole numbers, a multiple of 16 of them */
static inline __attribute__((always_inline)) int32_t malt_highest_of(const int32_t *numbers, int count) {
    typedef int32_t vector __attribute__((vector_size(64), aligned(4), may_alias));
    const vector *at = (const vector *) numbers;
    vector most = at[0];
    for (int k = 1; k < count / 16; k++) most = at[k] > most ? at[k] : most;
    int32_t highest = most[0];
    MALT_UNROLL for (int j = 1; j < 16; j++) highest = most[j] > highest ? most[j] : highest;
    return highest;
}
#if defined(__x86_64__)
__attribute__((target("avx512f"))) static int32_t malt_highest_widest(const int32_t *numbers, int count) {
    return malt_highest_of(numbers, count);
}
__attribute__((target("avx2"))) static int32_t malt_highest_wide(const int32_t *numbers, int count) {
    return malt_highest_of(numbers, count);
}
#endif
static int32_t malt_highest(const int32_t *numbers, int count) {
#if defined(__x86_64__)
    if (malt_is_widest) return malt_highest_widest(numbers, count);
    if (malt_is_wide) return malt_highest_wide(numbers, count);
#endif
    return malt_highest_of(numbers, count);
}

#else

#define MALT_FETCH(address) ((void) 0)

static inline int MALT_LOWEST_BIT(unsigned long long bits) {
    int n = 0;
    for (; !(bits & 1); bits >>= 1) n++;
    return n;
}

static void malt_add_rows(double *sums, const double *const *rows, int count, int length) {
    for (int f = 0; f < count; f++)
        for (int k = 0; k < length; k++) sums[k] += rows[f][k];
}

static int32_t malt_highest(const int32_t *numbers, int count) {
    int32_t highest = numbers[0];
    for (int k = 1; k < count; k++) highest = numbers[k] > highest ? numbers[k] : highest;
    return highest;
}

template <bool SMALL = false, typename T> static void malt_add_whole_rows(
    int32_t *sums, const T *const *rows, int count, int begin, int end) {
    for (int f = 0; f < count; f++)
        for (int k = begin; k < end; k++) sums[k] += rows[f][k];
}

#endif

/* the largest of some numbers, without their signs; several side by side, as each waits for the one before it */
static double malt_largest(const double *numbers, int count) {
    double most[8] = {0};
    int k = 0;
    for (; k + 8 <= count; k += 8)
        for (int j = 0; j < 8; j++) {
            double number = fabs(numbers[k + j]);
            most[j] = number > most[j] ? number : most[j];
        }
    for (; k < count; k++) {
        double number = fabs(numbers[k]);
        most[0] = number > most[0] ? number : most[0];
    }
    for (int j = 1; j < 8; j++) most[0] = most[j] > most[0] ? most[j] : most[0];
    return most[0];
}

/* numbers times scale, which are in range, to the nearest whole number */
static inline void malt_round_all(const double *numbers, double scale, int16_t *rounded, int count) {
    for (int k = 0; k < count; k++) rounded[k] = (int16_t) ((int32_t) (numbers[k] * scale + 32768.5) - 32768);
}

/* How many bits are set. Not every processor has an instruction for it. */
static inline int malt_count_bits(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return (int) (((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}
