// The PNG encoder, also for animations (APNG).

#ifndef CIMAGECODECS_ENCODE_PNG_H
#define CIMAGECODECS_ENCODE_PNG_H

#include "cancel.h"
#include "image.h"
#include "output.h"
#include "report.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum imgc_png_filter {
  IMGC_FILTER_NONE = 0, // 0...4: the PNG specification's filter types, for every row
  IMGC_FILTER_SUB = 1,
  IMGC_FILTER_UP = 2,
  IMGC_FILTER_AVERAGE = 3,
  IMGC_FILTER_PAETH = 4,
  IMGC_FILTER_ADAPTIVE = 5, // per row: the filter with the minimum sum of absolute differences
  // With a palette or fewer than 8 bits per sample: IMGC_FILTER_NONE. Otherwise:
  // IMGC_FILTER_ADAPTIVE; but if at least half of the pixels equal their left neighbour, the image
  // is compressed with both filters, and the smaller result is used.
  IMGC_FILTER_AUTOMATIC = 6,
} imgc_png_filter;

typedef struct imgc_png_options {
  uint8_t level;        // 0...9
  uint8_t filter;       // imgc_png_filter
  bool always_rgba;     // always RGBA with 8 bits
  bool declares_srgb;   // writes an sRGB chunk
  uint32_t frame_count; // 0: a still PNG; otherwise the frames of an APNG
  uint32_t play_count;  // APNG: number of plays; 0: infinite
  bool avoids_gray;     // no gray colour type: a gray PNG must not contain an RGB profile
} imgc_png_options;

// An incremental PNG encoder. Call order: create; analyze for every image, to select the colour
// type; begin; add for every image; end; destroy.
typedef struct imgc_png_encoder imgc_png_encoder;

// Position and duration of an APNG frame. The frame replaces the pixels of the canvas in its area.
typedef struct imgc_png_placement {
  uint32_t x, y;
  uint16_t delay_numerator;
  uint16_t delay_denominator;
} imgc_png_placement;

// Creates an encoder; NULL when memory is exhausted. `cancel` may be NULL; it is polled at least
// every 16 rows.
imgc_png_encoder *imgc_png_encoder_create(const imgc_png_options *options, imgc_cancel *cancel);
void imgc_png_encoder_destroy(imgc_png_encoder *encoder);
imgc_status imgc_png_encoder_analyze(imgc_png_encoder *encoder, const imgc_image *image,
                                     imgc_report *report);
imgc_status imgc_png_encoder_begin(imgc_png_encoder *encoder, uint32_t width, uint32_t height,
                                   imgc_output *output, imgc_report *report);
imgc_status imgc_png_encoder_add(imgc_png_encoder *encoder, const imgc_image *image,
                                 const imgc_png_placement *placement, imgc_output *output,
                                 imgc_report *report);
imgc_status imgc_png_encoder_end(imgc_png_encoder *encoder, imgc_output *output,
                                 imgc_report *report);

#ifdef __cplusplus
}
#endif
#endif
