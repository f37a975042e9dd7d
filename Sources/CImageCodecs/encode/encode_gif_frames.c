#include "encode/encode_gif_frames.h"
#include "core/copy.h"

#include <string.h>

enum { OPAQUE_FROM = 128 }; // the least alpha of an opaque pixel

static inline uint32_t normalized(uint32_t pixel) {
  return pixel >> 24 >= OPAQUE_FROM ? pixel | 0xFF000000 : 0;
}

static inline uint32_t pixel_at(const imgc_image *image, uint32_t x, uint32_t y) {
  uint32_t pixel;
  imgc_copy(&pixel, imgc_image_row(image, y) + (size_t)x * 4, 4);
  return normalized(pixel);
}

static inline uint32_t canvas_at(const imgc_gif_canvas *canvas, uint32_t x, uint32_t y) {
  return canvas->pixels ? canvas->pixels[(size_t)y * canvas->width + x] : 0;
}

void imgc_gif_normalize(const uint8_t *rgba, uint32_t *pixels, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t pixel;
    imgc_copy(&pixel, rgba + i * 4, 4);
    pixels[i] = normalized(pixel);
  }
}

// ---------------------------------------------------------------- rectangles

// Bounds of pixels; empty while `right` is 0.
typedef struct bounds {
  uint32_t left, top, right, bottom;
} bounds;

static void include(bounds *b, uint32_t left, uint32_t right, uint32_t y) {
  if (b->right == 0) *b = (bounds){left, y, right, y};
  if (left < b->left) b->left = left;
  if (right > b->right) b->right = right;
  if (y < b->top) b->top = y;
  if (y >= b->bottom) b->bottom = y + 1;
}

static imgc_rect rect_of(const bounds *b) {
  if (b->right == 0) return (imgc_rect){0, 0, 1, 1};
  return (imgc_rect){b->left, b->top, b->right - b->left, b->bottom - b->top};
}

static inline bool contains(const imgc_rect *r, uint32_t x, uint32_t y) {
  return x - r->x < r->width && y - r->y < r->height; // a negative difference is large
}

// ---------------------------------------------------------------- one frame

imgc_status imgc_gif_changed_area(const imgc_gif_canvas *canvas, const imgc_image *image,
                                  imgc_cancel *cancel, imgc_rect *area, imgc_report *report) {
  bounds b = {0};
  for (uint32_t y = 0; y < image->height; y++) {
    if (y % IMGC_ENCODE_BAND == 0 && imgc_encode_poll(cancel, report)) return report->status;
    uint32_t left = 0, right = image->width;
    while (left < right && pixel_at(image, left, y) == canvas_at(canvas, left, y)) left++;
    if (left == right) continue;
    while (pixel_at(image, right - 1, y) == canvas_at(canvas, right - 1, y)) right--;
    include(&b, left, right, y);
  }
  *area = rect_of(&b);
  return IMGC_OK;
}

imgc_status imgc_gif_examine(const imgc_gif_canvas *canvas, const imgc_image *image,
                             imgc_cancel *cancel, imgc_gif_part *part, imgc_report *report) {
  const imgc_rect *area = &part->area;
  bool has_transparent = false, has_unchanged = false;
  for (uint32_t y = area->y; y < area->y + area->height; y++) {
    if (y % IMGC_ENCODE_BAND == 0 && imgc_encode_poll(cancel, report)) return report->status;
    for (uint32_t x = area->x; x < area->x + area->width; x++) {
      uint32_t pixel = pixel_at(image, x, y);
      has_transparent |= pixel == 0;
      has_unchanged |= pixel != 0 && pixel == canvas_at(canvas, x, y);
    }
  }
  part->has_transparent = has_transparent;
  part->has_unchanged = has_unchanged;
  part->has_undrawn = has_transparent || has_unchanged;
  return IMGC_OK;
}

// ---------------------------------------------------------------- disposal

imgc_status imgc_gif_choose_disposal(const imgc_gif_canvas *canvas, const imgc_image *image,
                                     const imgc_image *next, bool can_restore, imgc_cancel *cancel,
                                     imgc_rect *area, uint8_t *disposal, imgc_report *report) {
  *disposal = IMGC_DISPOSE_KEEP;
  if (!next) return IMGC_OK;
  // The pixels that the next frame draws after each disposal. Clearing is only useful if it is
  // necessary: otherwise it never leaves fewer pixels to draw than keeping.
  uint64_t after_keep = 0, after_restore = 0;
  bool can_keep = true;
  bounds cleared = {0};
  for (uint32_t y = 0; y < image->height; y++) {
    if (y % IMGC_ENCODE_BAND == 0 && imgc_encode_poll(cancel, report)) return report->status;
    for (uint32_t x = 0; x < image->width; x++) {
      uint32_t here = pixel_at(image, x, y), following = pixel_at(next, x, y);
      uint32_t before = canvas_at(canvas, x, y);
      after_keep += following != here;
      after_restore += following != before;
      if (following == 0 && before != 0) can_restore = false;
      if (following == 0 && here != 0) include(&cleared, x, x + 1, y);
    }
  }
  can_keep = cleared.right == 0;
  if (can_keep) {
    if (can_restore && after_restore < after_keep) *disposal = IMGC_DISPOSE_RESTORE;
    return IMGC_OK;
  }
  bounds both = cleared;
  include(&both, area->x, area->x + area->width, area->y);
  include(&both, area->x, area->x + area->width, area->y + area->height - 1);
  imgc_rect larger = rect_of(&both);
  uint64_t after_clear = 0;
  for (uint32_t y = 0; y < image->height; y++) {
    if (y % IMGC_ENCODE_BAND == 0 && imgc_encode_poll(cancel, report)) return report->status;
    for (uint32_t x = 0; x < image->width; x++) {
      uint32_t here = contains(&larger, x, y) ? 0 : pixel_at(image, x, y);
      after_clear += pixel_at(next, x, y) != here;
    }
  }
  if (can_restore && after_restore <= after_clear) {
    *disposal = IMGC_DISPOSE_RESTORE;
  } else {
    *disposal = IMGC_DISPOSE_CLEAR;
    *area = larger;
  }
  return IMGC_OK;
}

void imgc_gif_canvas_update(imgc_gif_canvas *canvas, const imgc_image *image, imgc_rect area,
                            uint8_t disposal) {
  if (disposal == IMGC_DISPOSE_RESTORE) return;
  for (uint32_t y = area.y; y < area.y + area.height; y++) {
    uint32_t *row = canvas->pixels + (size_t)y * canvas->width + area.x;
    if (disposal == IMGC_DISPOSE_CLEAR)
      memset(row, 0, (size_t)area.width * sizeof *row);
    else
      imgc_gif_normalize(imgc_image_row(image, y) + (size_t)area.x * 4, row, area.width);
  }
}
