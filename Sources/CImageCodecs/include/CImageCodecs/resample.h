// Resampling of an image that is passed row by row.

#ifndef CIMAGECODECS_RESAMPLE_H
#define CIMAGECODECS_RESAMPLE_H

#include "cancel.h"
#include "report.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum imgc_filter {
  IMGC_FILTER_NEAREST = 0,
  IMGC_FILTER_BOX = 1,      // mean of the covered source area
  IMGC_FILTER_BILINEAR = 2, // linear
  IMGC_FILTER_MITCHELL = 3, // cubic, B = C = 1/3
  IMGC_FILTER_LANCZOS3 = 4,
} imgc_filter;

enum {
  // The caller guarantees that all alpha values are 255. Without this flag the resampler detects
  // opaque rows, which takes little time.
  IMGC_RESAMPLE_OPAQUE = 1 << 0,
  IMGC_RESAMPLE_LINEAR = 1 << 1,   // filter in linear light instead of sRGB
  IMGC_RESAMPLE_PORTABLE = 1 << 2, // scalar C only, with identical results; for tests
};

// Size, crop and filter of a resampling. The crop may have fractional coordinates.
typedef struct imgc_resample_request {
  uint32_t source_width, source_height; // pixels, at least 1
  double crop_x, crop_y;                // pixels from the top left corner, inside the source
  double crop_width, crop_height;       // pixels, above 0, inside the source
  uint32_t width, height;               // pixels of the result, at least 1
  imgc_filter filter;
  uint32_t flags; // IMGC_RESAMPLE_...
} imgc_resample_request;

// Receives the source image row by row, and stores only the rows that are needed for the next
// output row.
typedef struct imgc_resampler imgc_resampler;

// Returns the bytes that a resampler of this request allocates; 0 for a request out of range.
uint64_t imgc_resampler_bytes(const imgc_resample_request *request);
// Creates a resampler. Returns INVALID_ARGUMENT for a request out of range, OUT_OF_MEMORY, or OK.
imgc_status imgc_resampler_create(const imgc_resample_request *request, imgc_resampler **resampler);
void imgc_resampler_destroy(imgc_resampler *resampler);
// Sets a cancel flag that the resampler polls every 16 rows of the result, because one source row
// can complete many rows when the image is enlarged. After the flag is raised, the resampler writes
// no more rows; the caller must poll the flag to detect this. `cancel` must outlive the resampler.
void imgc_resampler_watch(imgc_resampler *resampler, imgc_cancel *cancel);
// Returns the first source row that contributes to the result, and the row after the last one.
void imgc_resampler_rows(const imgc_resampler *resampler, uint32_t *first, uint32_t *end);
// Pushes the next source row (row 0 first, source_width RGBA8 pixels) and writes the output rows
// that are complete now, `width` pixels each, to pixels + index * stride. Returns the number of
// complete output rows so far. Rows after the last contributing one are ignored.
uint32_t imgc_resampler_push(imgc_resampler *resampler, const uint8_t *row, uint8_t *pixels,
                             size_t stride);

#ifdef __cplusplus
}
#endif
#endif
