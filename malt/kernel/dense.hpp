/* Sums of dense rows, a block of classes at a time, so that the sums stay in registers.
   
   Each class is summed in the order of the rows, as one would by hand; only classes are worked on side by side, so the
   result is the same to the last bit whatever the width of the machine's registers. */
#pragma once

#if defined(__GNUC__)

/* the empty statement keeps the compiler from dropping a function that does nothing but this */
#define MALT_FETCH(address) do { __builtin_prefetch(address); __asm__ volatile(""); } while (0)
#define MALT_LOWEST_BIT(bits) __builtin_ctzll(bits)

/* N vectors of classes, from class k on */
template <typename T, int BYTES> struct malt_wide {
    typedef T vector __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias));
};
template <int BYTES, int N, typename T> static inline __attribute__((always_inline)) void malt_add_block(
    T *sums, const T *const *rows, int count, int k) {
    typedef typename malt_wide<T, BYTES>::vector vector;
    vector *at = (vector *) (sums + k), sum[N];
    for (int j = 0; j < N; j++) sum[j] = at[j];
    for (int f = 0; f < count; f++) {
        const vector *row = (const vector *) (rows[f] + k);
        for (int j = 0; j < N; j++) sum[j] += row[j];
    }
    for (int j = 0; j < N; j++) at[j] = sum[j];
}

#if defined(__x86_64__)
template <typename T> __attribute__((target("avx512f"))) static void malt_add_rows_widest(
    T *sums, const T *const *rows, int count, int length) {
    const int one = 64 / sizeof(T);
    int k = 0;
    for (; k + 16 * one <= length; k += 8 * one) malt_add_block<64, 8>(sums, rows, count, k);
    switch ((length - k) / one) {  /* all that is left in one go: rows are long, and each comes from far away */
#define MALT_REST(n) case n: malt_add_block<64, n>(sums, rows, count, k); break;
        MALT_REST(1) MALT_REST(2) MALT_REST(3) MALT_REST(4) MALT_REST(5) MALT_REST(6) MALT_REST(7) MALT_REST(8)
        MALT_REST(9) MALT_REST(10) MALT_REST(11) MALT_REST(12) MALT_REST(13) MALT_REST(14) MALT_REST(15)
#undef MALT_REST
    }
}
template <typename T> __attribute__((target("avx2"))) static void malt_add_rows_wide(
    T *sums, const T *const *rows, int count, int length) {
    const int one = 32 / sizeof(T);
    int k = 0;
    for (; k + 8 * one <= length; k += 8 * one) malt_add_block<32, 8>(sums, rows, count, k);
    if (k + 4 * one <= length) malt_add_block<32, 4>(sums, rows, count, k), k += 4 * one;
    if (k < length) malt_add_block<32, 2>(sums, rows, count, k);
}
static const bool malt_is_wide = __builtin_cpu_supports("avx2");
static const bool malt_is_widest = __builtin_cpu_supports("avx512f");
#endif

/* sums[k] += rows[0][k], += rows[1][k], ... for k < length, as many as make a multiple of 64 bytes */
template <typename T> static void malt_add_rows(T *sums, const T *const *rows, int count, int length) {
    const int one = 16 / sizeof(T);
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
    for (; k + 8 * one <= length; k += 8 * one) malt_add_block<16, 8>(sums, rows, count, k);
    if (k < length) malt_add_block<16, 4>(sums, rows, count, k);
}

#else

#define MALT_FETCH(address) ((void) 0)

static inline int MALT_LOWEST_BIT(unsigned long long bits) {
    int n = 0;
    for (; !(bits & 1); bits >>= 1) n++;
    return n;
}

template <typename T> static void malt_add_rows(T *sums, const T *const *rows, int count, int length) {
    for (int f = 0; f < count; f++)
        for (int k = 0; k < length; k++) sums[k] += rows[f][k];
}

#endif
