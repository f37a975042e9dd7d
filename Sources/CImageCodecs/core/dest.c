// Applies an orientation by address arithmetic: one loop for eight combinations of origin and
// steps.

#include "core/dest.h"
#include "core/limits.h"
#include "rows/orient.h"

#include <string.h>

bool imgc_dest_init(imgc_dest *dest, const imgc_target *target, uint32_t width, uint32_t height) {
  uint64_t row = (uint64_t)target->width * 4;
  if (!target->pixels || target->width == 0 || target->height == 0 || target->stride < row ||
      target->orientation > 8 || width == 0 || height == 0)
    return false;
  if (imgc_add(imgc_mul(target->stride, target->height - 1), row) > target->size) return false;
  bool swaps_sides = target->orientation >= 5;
  if ((swaps_sides ? target->height : target->width) != width ||
      (swaps_sides ? target->width : target->height) != height)
    return false;

  ptrdiff_t stride = (ptrdiff_t)target->stride;
  ptrdiff_t right = (ptrdiff_t)(target->width - 1) * 4;
  ptrdiff_t bottom = (ptrdiff_t)(target->height - 1) * stride;
  uint8_t *pixels = target->pixels;
  *dest = (imgc_dest){
      .origin = pixels, .step_x = 4, .step_y = stride, .width = width, .height = height};
  // EXIF 2.32, tag 274: the position where the stored row 0 and column 0 are displayed.
  switch (target->orientation) {
  case 2: dest->origin = pixels + right, dest->step_x = -4; break;
  case 3: dest->origin = pixels + right + bottom, dest->step_x = -4, dest->step_y = -stride; break;
  case 4: dest->origin = pixels + bottom, dest->step_y = -stride; break;
  case 5: dest->step_x = stride, dest->step_y = 4; break;
  case 6: dest->origin = pixels + right, dest->step_x = stride, dest->step_y = -4; break;
  case 7: dest->origin = pixels + right + bottom, dest->step_x = -stride, dest->step_y = -4; break;
  case 8: dest->origin = pixels + bottom, dest->step_x = -stride, dest->step_y = 4; break;
  default: break;
  }
  return true;
}

void imgc_dest_write_block(const imgc_dest *p, uint32_t x, uint32_t y, uint32_t width,
                           uint32_t height, const uint8_t *src, size_t src_stride) {
  if (x >= p->width || y >= p->height) return;
  if (width > p->width - x) width = p->width - x;
  if (height > p->height - y) height = p->height - y;
  if (p->band) {
    uint32_t above = y < p->band->first ? p->band->first - y : 0;
    if (above >= height) return;
    y += above, height -= above, src += (size_t)above * src_stride;
    uint32_t in_band = y - p->band->first;
    if (in_band >= p->band->rows) return;
    if (height > p->band->rows - in_band) height = p->band->rows - in_band;
  }
  uint8_t *corner = imgc_dest_row(p, y) + (ptrdiff_t)x * p->step_x;
  imgc_copy_oriented(corner, p->step_x, p->step_y, src, src_stride, width, height);
}

void imgc_dest_clear(const imgc_dest *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  if (x >= p->width || y >= p->height) return;
  if (width > p->width - x) width = p->width - x;
  if (height > p->height - y) height = p->height - y;
  if (p->band && width > 0 && height > 0) p->band->cleared = true;
  for (uint32_t j = y; j < y + height; j++) {
    if (p->band && j < p->band->first) continue;
    if (p->band && !imgc_band_advance(p->band, j)) return;
    uint8_t *d = imgc_dest_row(p, j) + (ptrdiff_t)x * p->step_x;
    if (p->step_x == 4) {
      memset(d, 0, (size_t)width * 4);
      continue;
    }
    for (uint32_t i = 0; i < width; i++, d += p->step_x) memset(d, 0, 4);
  }
}

void imgc_clear_rect(const imgc_target *target, uint32_t x, uint32_t y, uint32_t width,
                     uint32_t height) {
  imgc_target upright = *target;
  upright.orientation = 1;
  imgc_dest dest;
  if (imgc_dest_init(&dest, &upright, target->width, target->height))
    imgc_dest_clear(&dest, x, y, width, height);
}

bool imgc_orient(const imgc_target *source, const imgc_target *target) {
  imgc_dest from, to;
  imgc_target upright = *source;
  upright.orientation = 1;
  if (!imgc_dest_init(&from, &upright, source->width, source->height) ||
      !imgc_dest_init(&to, target, source->width, source->height))
    return false;
  imgc_dest_write_block(&to, 0, 0, source->width, source->height, from.origin, source->stride);
  return true;
}
