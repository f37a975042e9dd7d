// Output buffer of the encoders, and analysis of pixels.

#include "encode/encode.h"
#include "core/copy.h"
#include "core/limits.h"
#include "core/report.h"

#include <stdlib.h>
#include <string.h>

bool imgc_image_is_valid(const imgc_image *image) {
  if (!image->pixels || image->width == 0 || image->height == 0) return false;
  uint64_t row = imgc_mul(image->width, 4);
  if (image->stride < row) return false;
  return imgc_add(imgc_mul(image->stride, image->height - 1), row) <= image->size;
}

imgc_status imgc_encode_poll(imgc_cancel *cancel, imgc_report *report) {
  switch (imgc_cancel_poll(cancel)) {
  case IMGC_OK: return IMGC_OK;
  case IMGC_ERROR_CANCELLED: return imgc_fail(report, IMGC_ERROR_CANCELLED, NULL, "cancelled");
  default:
    return imgc_fail(report, IMGC_ERROR_LIMIT, "deadline",
                     "encoding did not end before its deadline");
  }
}

// ---------------------------------------------------------------- output

enum { FIRST_CAPACITY = 16 << 10 };

bool imgc_output_reserve(imgc_output *output, size_t size) {
  if (size <= output->capacity - output->count) return true;
  if (size > PTRDIFF_MAX / 2 - output->count) return false;
  size_t needed = output->count + size;
  size_t capacity = output->capacity + output->capacity / 2;
  if (capacity < FIRST_CAPACITY) capacity = FIRST_CAPACITY;
  if (capacity < needed) capacity = needed;
  uint8_t *grown = realloc(output->data, capacity);
  if (!grown) return false;
  output->data = grown;
  output->capacity = capacity;
  return true;
}

bool imgc_output_append(imgc_output *output, const void *bytes, size_t size) {
  if (!imgc_output_reserve(output, size)) return false;
  if (size > 0) memcpy(output->data + output->count, bytes, size);
  output->count += size;
  return true;
}

imgc_status imgc_output_check(const imgc_output *output, const char *format, imgc_report *report) {
  if (output->max_bytes == 0 || output->count <= output->max_bytes) return IMGC_OK;
  return imgc_fail(report, IMGC_ERROR_LIMIT, "max_bytes",
                   "%s: the encoded file exceeds the limit of %zu bytes", format,
                   output->max_bytes);
}

void imgc_output_free(imgc_output *output) {
  free(output->data);
  output->data = NULL;
  output->count = output->capacity = 0;
}

// ---------------------------------------------------------------- pixels

void imgc_pixel_statistics_add(imgc_pixel_statistics *statistics, const uint8_t *rgba,
                               size_t pixel_count) {
  uint32_t all = UINT32_MAX, differences = 0;
  for (size_t i = 0; i < pixel_count; i++) {
    uint32_t pixel;
    imgc_copy(&pixel, rgba + i * 4, 4);
    all &= pixel;
    // Compares red with green and green with blue, in the two low bytes.
    differences |= pixel ^ (pixel >> 8);
  }
  if (all < 0xFF000000) statistics->is_opaque = false;
  if (differences & 0xFFFF) statistics->is_gray = false;
  for (size_t i = 1; i < pixel_count; i++)
    statistics->repeats += memcmp(rgba + i * 4, rgba + i * 4 - 4, 4) == 0;
}

static bool rows_are_equal(const imgc_image *a, const imgc_image *b, uint32_t y) {
  return memcmp(imgc_image_row(a, y), imgc_image_row(b, y), (size_t)a->width * 4) == 0;
}

static uint32_t pixel_at(const uint8_t *row, uint32_t x) {
  uint32_t pixel;
  imgc_copy(&pixel, row + (size_t)x * 4, 4);
  return pixel;
}

imgc_rect imgc_changed_rect(const imgc_image *before, const imgc_image *after) {
  imgc_rect none = {0, 0, 0, 0};
  uint32_t top = 0, bottom = after->height;
  while (top < bottom && rows_are_equal(before, after, top)) top++;
  if (top == bottom) return none;
  while (rows_are_equal(before, after, bottom - 1)) bottom--;
  uint32_t left = after->width, right = 0;
  for (uint32_t y = top; y < bottom; y++) {
    const uint8_t *a = imgc_image_row(before, y), *b = imgc_image_row(after, y);
    for (uint32_t x = 0; x < left; x++)
      if (pixel_at(a, x) != pixel_at(b, x)) left = x;
    for (uint32_t x = after->width; x > right; x--)
      if (pixel_at(a, x - 1) != pixel_at(b, x - 1)) right = x;
  }
  return (imgc_rect){left, top, right - left, bottom - top};
}
