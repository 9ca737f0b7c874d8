/* A text as lines and fields: what the reader and the writer both need to see in the same way. */
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define MALT_ONES UINT64_C(0x0101010101010101)
/* the highest bit of the first byte that is c, and maybe of later ones */
static inline uint64_t malt_bytes(uint64_t word, unsigned char c) {
    word ^= MALT_ONES * c;
    return (word - MALT_ONES) & ~word & (MALT_ONES << 7);
}
/* where the first of two characters is, or end: eight bytes at a time */
static inline int64_t malt_find(const char *text, int64_t at, int64_t end, char one, char two) {
    uint64_t word, found;
    for (; at + 8 <= end; at += 8) {
        memcpy(&word, text + at, 8);
        found = malt_bytes(word, one) | malt_bytes(word, two);
        if (found) return at + __builtin_ctzll(found) / 8;
    }
    for (; at < end && text[at] != one && text[at] != two; at++) {}
    return at;
}
#else
static inline int64_t malt_find(const char *text, int64_t at, int64_t end, char one, char two) {
    for (; at < end && text[at] != one && text[at] != two; at++) {}
    return at;
}
#endif
