// Copies blocks of pixels mirrored, rotated or transposed.

#ifndef IMGC_ORIENT_H
#define IMGC_ORIENT_H

#include <stddef.h>
#include <stdint.h>

// Copies the RGBA8 pixel in column x of row y to dst + x * step_x + y * step_y. One of the steps is
// 4 or -4: the pixels of a row, or of a column, stay contiguous. `src_stride` is in bytes. The
// blocks do not overlap.
void imgc_copy_oriented(uint8_t *dst, ptrdiff_t step_x, ptrdiff_t step_y, const uint8_t *src,
                        size_t src_stride, size_t width, size_t height);

#endif
