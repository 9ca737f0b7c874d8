/* Few numbers in order, without branches that a processor could guess wrong: which depends on the numbers alone. */
#pragma once

#include <limits.h>
#include <math.h>
#include <stdint.h>

#if defined(__GNUC__)

#include "unroll.hpp"

/* The place of a number among all is how many of them are less. */
#define MALT_ASCEND(name, bytes) \
    typedef int32_t name##_vector __attribute__((vector_size(bytes), aligned(4), may_alias)); \
    template <int N> static inline __attribute__((always_inline)) void name(int32_t *numbers, int count) { \
        const int lanes = bytes / 4; \
        name##_vector own[N], place[N]; \
        int32_t places[N * lanes], copy[N * lanes]; \
        for (int i = count; i < N * lanes; i++) numbers[i] = INT_MAX; \
        MALT_UNROLL for (int b = 0; b < N; b++) { \
            own[b] = ((const name##_vector *) numbers)[b]; \
            place[b] = own[b] ^ own[b]; \
        } \
        for (int i = 0; i < count; i++) \
            MALT_UNROLL for (int b = 0; b < N; b++) place[b] -= own[b] > numbers[i]; \
        MALT_UNROLL for (int b = 0; b < N; b++) { \
            ((name##_vector *) places)[b] = place[b]; \
            ((name##_vector *) copy)[b] = own[b]; \
        } \
        for (int i = 0; i < count; i++) numbers[places[i]] = copy[i]; \
    }
MALT_ASCEND(malt_ascend_fours, 16)
MALT_ASCEND(malt_ascend_eights, 32)

/* The highest of each lane, then the first number that is as high. */
#define MALT_BEST(name, bytes) \
    typedef double name##_vector __attribute__((vector_size(bytes), aligned(8), may_alias)); \
    static inline __attribute__((always_inline)) int name(const double *scores, int count) { \
        const int lanes = bytes / 8; \
        name##_vector one, two; \
        double highest = -INFINITY; \
        int k = 0; \
        if (!(scores[0] == scores[0])) return 0; \
        for (int j = 0; j < lanes; j++) one[j] = two[j] = -INFINITY; \
        for (; k + 2 * lanes <= count; k += 2 * lanes) { \
            name##_vector a = *(const name##_vector *) (scores + k); \
            name##_vector b = *(const name##_vector *) (scores + k + lanes); \
            one = a > one ? a : one; \
            two = b > two ? b : two; \
        } \
        one = two > one ? two : one; \
        for (int j = 0; j < lanes; j++) highest = one[j] > highest ? one[j] : highest; \
        for (; k < count; k++) highest = scores[k] > highest ? scores[k] : highest; \
        for (k = 0; k < count - 1 && scores[k] != highest; k++) {} \
        return k; \
    }
MALT_BEST(malt_best_twos, 16)
MALT_BEST(malt_best_fours, 32)

#if defined(__x86_64__)
static const bool malt_order_is_wide = __builtin_cpu_supports("avx2");
__attribute__((target("avx2"))) static void malt_ascend_wide(int32_t *numbers, int count) {
    if (count <= 16) malt_ascend_eights<2>(numbers, count);
    else if (count <= 24) malt_ascend_eights<3>(numbers, count);
    else if (count <= 32) malt_ascend_eights<4>(numbers, count);
    else if (count <= 40) malt_ascend_eights<5>(numbers, count);
    else if (count <= 48) malt_ascend_eights<6>(numbers, count);
    else malt_ascend_eights<8>(numbers, count);
}
__attribute__((target("avx2"))) static int malt_best_wide(const double *scores, int count) {
    return malt_best_fours(scores, count);
}
#endif

static void malt_ascend(int32_t *numbers, int count) {
#if defined(__x86_64__)
    if (malt_order_is_wide) {
        malt_ascend_wide(numbers, count);
        return;
    }
#endif
    if (count <= 16) malt_ascend_fours<4>(numbers, count);
    else if (count <= 32) malt_ascend_fours<8>(numbers, count);
    else malt_ascend_fours<16>(numbers, count);
}

static int malt_best(const double *scores, int count) {
#if defined(__x86_64__)
    if (malt_order_is_wide) return malt_best_wide(scores, count);
#endif
    return malt_best_twos(scores, count);
}

#else

static void malt_ascend(int32_t *numbers, int count) {
    for (int i = 1; i < count; i++) {
        int32_t number = numbers[i];
        int j = i;
        for (; j > 0 && numbers[j - 1] > number; j--) numbers[j] = numbers[j - 1];
        numbers[j] = number;
    }
}

static int malt_best(const double *scores, int count) {
    int found = 0;
    for (int k = 1; k < count; k++)
        if (scores[k] > scores[found]) found = k;
    return found;
}

#endif
