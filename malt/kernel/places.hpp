/* Where, in the weights that stand side by side, those of an instance are; see doubts.pxd. */
#pragma once

#include "dense.hpp"

/* sets[f * (words + 1)] ...: the classes of feature f as bits, and, in one more word, where their weights begin; places[m *
   features + f]: where that of classes[m] is, which is behind those of all classes before it */
#define MALT_FIND_PLACES(name, count_bits) \
    static void name(const uint64_t *sets, int words, const int32_t *rows, int features, const uint16_t *classes, int live, \
                     int32_t *places) { \
        for (int f = 0; f < features; f++) { \
            const uint64_t *set = sets + (int64_t) rows[f] * (words + 1); \
            for (int m = 0; m < live; m++) { \
                int word = classes[m] >> 6; \
                int64_t place = (int64_t) set[words] + count_bits(set[word] & (((uint64_t) 1 << (classes[m] & 63)) - 1)); \
                for (int w = 0; w < word; w++) place += count_bits(set[w]); \
                places[(int64_t) m * features + f] = (int32_t) place; \
            } \
        } \
    }
MALT_FIND_PLACES(malt_find_places_anywhere, malt_count_bits)
#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("popcnt"))) MALT_FIND_PLACES(malt_find_places_fast, __builtin_popcountll)
static const bool malt_counts_bits = __builtin_cpu_supports("popcnt");
#else
static const bool malt_counts_bits = false;
#define malt_find_places_fast malt_find_places_anywhere
#endif
#undef MALT_FIND_PLACES

static void malt_find_places(const uint64_t *sets, int words, const int32_t *rows, int features, const uint16_t *classes,
                             int live, int32_t *places) {
    (malt_counts_bits ? malt_find_places_fast : malt_find_places_anywhere)(
        sets, words, rows, features, classes, live, places);
}
