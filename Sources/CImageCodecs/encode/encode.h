// Shared by the encoders: the output buffer, polling, and pixel statistics.

#ifndef IMGC_ENCODE_H
#define IMGC_ENCODE_H

#include "CImageCodecs/cancel.h"
#include "CImageCodecs/image.h"
#include "CImageCodecs/output.h"
#include "CImageCodecs/report.h"

enum { IMGC_ENCODE_BAND = 16 }; // rows between two polls

// Returns false when the fields are inconsistent, which is a bug in the caller.
bool imgc_image_is_valid(const imgc_image *image);
static inline const uint8_t *imgc_image_row(const imgc_image *image, uint32_t y) {
  return (const uint8_t *)image->pixels + (size_t)y * image->stride;
}

// Returns OK, or the failure that ends the encoding.
imgc_status imgc_encode_poll(imgc_cancel *cancel, imgc_report *report);

// Reserves `size` bytes after output->count. Does not check max_bytes; imgc_output_check does.
// Returns false when memory is exhausted; the output is then unchanged.
bool imgc_output_reserve(imgc_output *output, size_t size);
bool imgc_output_append(imgc_output *output, const void *bytes, size_t size);
imgc_status imgc_output_check(const imgc_output *output, const char *format, imgc_report *report);

// Properties of all pixels so far; start with both flags true.
typedef struct imgc_pixel_statistics {
  bool is_opaque;
  bool is_gray;     // red, green and blue are equal, also where alpha is 0
  uint64_t repeats; // pixels that equal their left neighbour
} imgc_pixel_statistics;
void imgc_pixel_statistics_add(imgc_pixel_statistics *statistics, const uint8_t *rgba,
                               size_t pixel_count);

// Composites a sample over a background: round((c * a + b * (255 - a)) / 255). For t = c * a + b *
// (255 - a) + 128, this equals (t + (t >> 8)) >> 8.
static inline uint8_t imgc_composite_sample(unsigned c, unsigned background, unsigned alpha) {
  unsigned t = c * alpha + background * (255 - alpha) + 128;
  return (uint8_t)((t + (t >> 8)) >> 8);
}

#endif
