// The destination of decoded pixels: the caller's memory in any orientation, or a band of rows.

#ifndef IMGC_DEST_H
#define IMGC_DEST_H

#include "core/band.h"

// The stored pixel (x, y) goes to origin + x * step_x + y * step_y. That is how orientation is
// applied while writing, with no second image in memory.
typedef struct imgc_place {
  imgc_sink *sink; // not NULL: rows are in its band, direct, and `origin` is not used
  uint8_t *origin;
  ptrdiff_t step_x; // bytes; 4 when rows are in order
  ptrdiff_t step_y; // bytes
  uint32_t width;   // stored pixels, after JPEG scaling
  uint32_t height;
} imgc_place;

// False when the target does not fit the stored size or is too small: a caller's bug.
bool imgc_place_make(imgc_place *place, const imgc_target *target, uint32_t width, uint32_t height);
// Rows can be written in place: imgc_place_row returns width * 4 contiguous bytes.
static inline bool imgc_place_is_direct(const imgc_place *p) { return p->step_x == 4; }
static inline uint8_t *imgc_place_row(const imgc_place *p, uint32_t y) {
  if (p->sink) return imgc_sink_row(p->sink, y);
  return p->origin + (ptrdiff_t)y * p->step_y;
}
// Opens a band of `rows` rows, or of all if that is more than there are; fails when memory is
// exhausted. Without a sink this and the next function do nothing.
static inline imgc_status imgc_place_open(const imgc_place *p, uint32_t rows) {
  return p->sink ? imgc_sink_open(p->sink, rows < p->height ? rows : p->height) : IMGC_OK;
}
// All rows before `end` are written, every pixel: they leave the band, which starts there.
static inline void imgc_place_done(const imgc_place *p, uint32_t end) {
  if (p->sink) imgc_sink_done(p->sink, end);
}
// Copies a block of RGBA8 into stored position (x, y), clipped at the right and bottom; with a sink
// to the band too.
// Pass blocks of 16 rows or more when the place is not direct: turning is done in tiles.
void imgc_place_block(const imgc_place *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                      const uint8_t *src, size_t src_stride);
// Transparent black, clipped. Into a sink either the rows are in the band, or they are whole and
// those above them are written: these are pushed. Rows above the band stay as they were pushed.
void imgc_place_clear(const imgc_place *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height);

#endif
