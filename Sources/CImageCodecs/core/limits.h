// Checks of sizes and memory against the limits of a request, before anything is allocated.

#ifndef IMGC_LIMITS_H
#define IMGC_LIMITS_H

#include "CImageCodecs.h"

// Sides and pixel count; 0 is malformed. For the canvas, each page and each frame.
imgc_status imgc_check_size(const imgc_request *request, uint64_t width, uint64_t height,
                            imgc_report *report);
// width * height * 4 + work_bytes against max_memory, for codecs that need all rows at once.
imgc_status imgc_check_memory(const imgc_request *request, uint64_t width, uint64_t height,
                              uint64_t work_bytes, imgc_report *report);
// Rows of the image that are in memory at once, by the request: all, or `band` of them.
static inline uint32_t imgc_rows_held(const imgc_request *request, uint32_t height, uint32_t band) {
  return (request->flags & IMGC_RESAMPLES) && band < height ? band : height;
}
// IMGC_ERROR_LIMIT with the token when limit is not 0 and value is over it.
imgc_status imgc_check(uint64_t value, uint64_t limit, const char *token, imgc_report *report);

// a * b and a + b, or UINT64_MAX when they do not fit.
static inline uint64_t imgc_mul(uint64_t a, uint64_t b) {
  uint64_t r;
  return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}
static inline uint64_t imgc_add(uint64_t a, uint64_t b) {
  uint64_t r;
  return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

#endif
