/* Memory that is visited in random order. With large pages its addresses are found faster. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  /* since Linux 6.1; older ones refuse it, and nothing is lost */
#endif
#endif

static const size_t malt_large_page = (size_t) 1 << 21;

static void *malt_large(size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    void *memory = NULL;
    if (bytes >= malt_large_page) {
        if (bytes <= SIZE_MAX - malt_large_page) bytes = (bytes + malt_large_page - 1) & ~(malt_large_page - 1);
        if (posix_memalign(&memory, malt_large_page, bytes) != 0) return NULL;
        madvise(memory, bytes, MADV_HUGEPAGE);
        return memory;
    }
    return posix_memalign(&memory, 64, bytes) == 0 ? memory : NULL;  /* where lines of the cache begin */
#else
    return malloc(bytes);
#endif
}

#if defined(__linux__)
/* for the large pages that lie in it as a whole */
static void malt_advise(void *memory, size_t bytes, int advice) {
    uintptr_t begin = ((uintptr_t) memory + malt_large_page - 1) & ~(uintptr_t) (malt_large_page - 1);
    uintptr_t end = ((uintptr_t) memory + bytes) & ~(uintptr_t) (malt_large_page - 1);
    if (begin < end) madvise((void *) begin, end - begin, advice);
}
#endif

static void malt_enlarge(void *memory, size_t bytes) {
#if defined(__linux__)
    malt_advise(memory, bytes, MADV_COLLAPSE);
#endif
}

static void malt_prefer_large(void *memory, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    malt_advise(memory, bytes, MADV_HUGEPAGE);
#endif
}
