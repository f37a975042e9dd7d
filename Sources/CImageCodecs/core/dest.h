// The destination of decoded pixels: the caller's memory in any orientation, or a band buffer.

#ifndef IMGC_DEST_H
#define IMGC_DEST_H

#include "CImageCodecs/target.h"
#include "core/band.h"

// The stored pixel (x, y) is written to origin + x * step_x + y * step_y. This applies the
// orientation while writing, without a second image in memory.
typedef struct imgc_dest {
  imgc_band *band; // if not NULL, rows are written to its band, upright, and `origin` is unused
  uint8_t *origin;
  ptrdiff_t step_x; // bytes; 4 when a row's pixels are contiguous and in order
  ptrdiff_t step_y; // bytes
  uint32_t width;   // stored pixels, after JPEG scaling
  uint32_t height;
} imgc_dest;

// Returns false when the size of the target differs from the oriented width and height, or the
// memory of the target is too small. Both are bugs in the caller.
bool imgc_dest_init(imgc_dest *dest, const imgc_target *target, uint32_t width, uint32_t height);
// Returns true when rows can be written directly: imgc_dest_row returns width * 4 contiguous
// bytes.
static inline bool imgc_dest_is_direct(const imgc_dest *p) { return p->step_x == 4; }
static inline uint8_t *imgc_dest_row(const imgc_dest *p, uint32_t y) {
  if (p->band) return imgc_band_row(p->band, y);
  return p->origin + (ptrdiff_t)y * p->step_y;
}
// Opens a band of `rows` rows, at most the image's height; fails when memory is exhausted. Without
// a band buffer, imgc_dest_open and imgc_dest_commit_rows do nothing.
static inline imgc_status imgc_dest_open(const imgc_dest *p, uint32_t rows) {
  return p->band ? imgc_band_open(p->band, rows < p->height ? rows : p->height) : IMGC_OK;
}
// Commits all rows before `end`, which must be completely written: they are pushed, and the band
// moves to `end`.
static inline void imgc_dest_commit_rows(const imgc_dest *p, uint32_t end) {
  if (p->band) imgc_band_commit_rows(p->band, end);
}
// Copies a block of RGBA8 pixels to the stored position (x, y), clipped at the right and bottom,
// and clipped to the band if there is one. When the destination is not direct, blocks of 16 rows or
// more are faster, because the pixels are then transposed in tiles that fill cache lines.
void imgc_dest_write_block(const imgc_dest *p, uint32_t x, uint32_t y, uint32_t width,
                           uint32_t height, const uint8_t *src, size_t src_stride);
// Sets a clipped rectangle to transparent black. With a band buffer, two cases are allowed: the
// rows of the rectangle are in the band; or the rectangle has the full width and all rows above it
// have been written, which are then pushed. Rows that have already been pushed do not change.
void imgc_dest_clear(const imgc_dest *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height);

#endif
