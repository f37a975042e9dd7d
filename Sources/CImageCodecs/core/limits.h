// Checks of sizes and memory against the limits of a request, before anything is allocated, and the
// work budget of a file.

#ifndef IMGC_LIMITS_H
#define IMGC_LIMITS_H

#include "CImageCodecs/report.h"
#include "CImageCodecs/request.h"

// Checks the width, height and pixel count of a canvas, page or frame. A width or height of 0 is
// malformed.
imgc_status imgc_check_size(const imgc_request *request, uint64_t width, uint64_t height,
                            imgc_report *report);
// Checks width * height * 4 + work_bytes (+ result_bytes with IMGC_RESAMPLES) against max_memory.
imgc_status imgc_check_memory(const imgc_request *request, uint64_t width, uint64_t height,
                              uint64_t work_bytes, imgc_report *report);
// Returns how many rows of the image are in memory at once: with IMGC_RESAMPLES at most `band`,
// otherwise all.
static inline uint32_t imgc_rows_in_memory(const imgc_request *request, uint32_t height,
                                           uint32_t band) {
  return (request->flags & IMGC_RESAMPLES) && band < height ? band : height;
}
// Fails with IMGC_ERROR_LIMIT and `token` when `limit` is not 0 and `value` exceeds `limit`.
imgc_status imgc_check(uint64_t value, uint64_t limit, const char *token, imgc_report *report);

// Units for one element of a loop whose number of iterations depends on the file. A unit is about
// one nanosecond of one core, measured with the worst known files (make worst-inputs).
enum {
  IMGC_WORK_CHUNK = 20,         // a chunk, segment or block of a container
  IMGC_WORK_FRAME = 2000,       // the start of a frame: allocations and tables
  IMGC_WORK_SYMBOL = 12,        // a symbol of a prefix code, which can take no bits
  IMGC_WORK_PREFIX_CODE = 2500, // the table of a prefix code
};

// Adds `units` to the work of the request's file. Fails with IMGC_ERROR_LIMIT and the token
// "max_work" when the sum exceeds max_work; later calls for the same file then fail too. `report`
// may be NULL. Without request->work the work is not limited.
imgc_status imgc_charge(const imgc_request *request, uint64_t units, imgc_report *report);

// Returns true if at most `most` more units are within the limit anyway: they are then noted, and
// need not be counted. Otherwise the caller counts and charges the work. The work of a file is
// therefore at most twice the limit.
bool imgc_work_fits(const imgc_request *request, uint64_t most);

// Returns true when the work of the request is limited.
static inline bool imgc_work_is_limited(const imgc_request *request) {
  return request->work && request->limits.max_work;
}

// imgc_mul returns a * b, imgc_add returns a + b; both return UINT64_MAX on overflow.
static inline uint64_t imgc_mul(uint64_t a, uint64_t b) {
  uint64_t r;
  return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}
static inline uint64_t imgc_add(uint64_t a, uint64_t b) {
  uint64_t r;
  return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

#endif
