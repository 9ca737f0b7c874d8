/* Loops that are written out. Vectors stay in registers only if nothing asks for one by its number. */
#pragma once

#define MALT_UNROLL _Pragma("GCC unroll 16")
