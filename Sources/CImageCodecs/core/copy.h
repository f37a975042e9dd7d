// Copies of a size known at compile time: one unaligned load and store. The checked memcpy of
// _FORTIFY_SOURCE compiles to the same instructions, but prevents vectorization of loops.

#ifndef IMGC_COPY_H
#define IMGC_COPY_H

#define imgc_copy(dst, src, size) __builtin_memcpy(dst, src, size)

#endif
