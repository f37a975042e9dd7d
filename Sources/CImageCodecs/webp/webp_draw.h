// Decoding of a coded image by libwebp's incremental decoder.

#ifndef IMGC_WEBP_DRAW_H
#define IMGC_WEBP_DRAW_H

#include "webp/webp_container.h"

// Rows of a halved image that are passed on together, as drawn.
enum { IMGC_WEBP_HALVED_ROWS = 8 };

// Where the rows are written: either directly to `pixels`, or to a buffer of a few rows from which
// `put` receives the complete rows in order. A halved image requires `put`.
typedef struct imgc_webp_output {
  uint8_t *pixels; // NULL: use `put`
  size_t stride;   // bytes from row to row of `pixels`
  void (*put)(void *context, uint32_t y, const uint8_t *rows, size_t stride, uint32_t count);
  void *context;
} imgc_webp_output;

typedef enum imgc_webp_end {
  IMGC_WEBP_COMPLETE,
  // The file ends before the end of the image chunk, even if all rows are decoded: data is missing.
  IMGC_WEBP_TRUNCATED,
  IMGC_WEBP_DAMAGED, // invalid data
  IMGC_WEBP_EXCEEDS, // all rows are decoded, but the image chunk is longer than its frame
} imgc_webp_end;

typedef struct imgc_webp_result {
  uint32_t rows; // complete rows from the top, as drawn
  imgc_webp_end end;
} imgc_webp_result;

// Returns an upper bound of libwebp's memory for the image, in bytes, without the tables of prefix
// codes (webp_prefix.h).
uint64_t imgc_webp_library_bytes(const imgc_webp_image *image);

// Decodes the image. Damage is returned in `result` and not reported. Fails when cancelled, and
// when memory is exhausted.
imgc_status imgc_webp_draw(const imgc_request *request, const imgc_webp_image *image,
                           const imgc_webp_output *output, imgc_webp_result *result,
                           imgc_report *report);

#endif
