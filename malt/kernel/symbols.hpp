/* What symbol tables need of the machine. */
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint64_t malt_word(const char *text) {
    uint64_t word;
    memcpy(&word, text, 8);
    return word;
}

/* Eight bytes at a time, the last of which may be seen twice. */
static inline uint32_t malt_hash(const char *text, int64_t length) {
    const uint64_t mix = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t h = (uint64_t) length * mix, last = 0;
    if (length >= 8) {
        const char *end = text + length - 8;
        for (; text < end; text += 8) {
            h = (h ^ malt_word(text)) * mix;
            h ^= h >> 32;
        }
        last = malt_word(end);
    } else {
        for (int64_t i = 0; i < length; i++) last = last << 8 | (unsigned char) text[i];
    }
    h = (h ^ last) * mix;
    h ^= h >> 32;
    return (uint32_t) ((h * mix) >> 32);
}
