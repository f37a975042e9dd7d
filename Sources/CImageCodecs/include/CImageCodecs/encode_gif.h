// The GIF encoder, for still images and animations.

#ifndef CIMAGECODECS_ENCODE_GIF_H
#define CIMAGECODECS_ENCODE_GIF_H

#include "cancel.h"
#include "image.h"
#include "output.h"
#include "report.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum imgc_gif_dither {
  IMGC_GIF_DITHER_NONE = 0,
  IMGC_GIF_DITHER_ORDERED = 1,
  IMGC_GIF_DITHER_FLOYD_STEINBERG = 2,
} imgc_gif_dither;

typedef struct imgc_gif_options {
  uint16_t max_colors;   // of a palette, 2...256, including the transparent colour
  uint8_t dither;        // imgc_gif_dither; images with few enough colours are never dithered
  bool shares_palette;   // one palette for all frames; otherwise one for the pixels of each frame
  uint32_t frame_count;  // 1: a still GIF
  uint16_t repeat_count; // the number in the Netscape loop extension: plays - 1; 0: infinite
  bool repeats;          // writes that extension
} imgc_gif_options;

// An incremental GIF encoder. Call order: create; analyze for every frame; add for every frame;
// end; destroy. Pixels with an alpha below 128 are transparent, all others opaque.
//
// Memory without the output: 1 byte per pixel of the canvas; of an animation 6 bytes; 10 bytes per
// column; at most 4.3 MB for the histogram and the inverse palette, and 70 kB of giflib.
typedef struct imgc_gif_encoder imgc_gif_encoder;

// Creates an encoder; NULL when memory is exhausted. `cancel` may be NULL; it is polled at least
// every 16 rows.
imgc_gif_encoder *imgc_gif_encoder_create(const imgc_gif_options *options, imgc_cancel *cancel);
void imgc_gif_encoder_destroy(imgc_gif_encoder *encoder);
// Collects the colours of a frame; the first frame sets the size of the canvas, which all frames
// have. Fails with UNSUPPORTED for more than 65,535 pixels per side.
imgc_status imgc_gif_encoder_analyze(imgc_gif_encoder *encoder, const imgc_image *image,
                                     imgc_report *report);
// Appends a frame. `next` is the image of the following frame, which determines the disposal; NULL
// for the last one. `delay` is in hundredths of a second.
imgc_status imgc_gif_encoder_add(imgc_gif_encoder *encoder, const imgc_image *image,
                                 const imgc_image *next, uint16_t delay, imgc_output *output,
                                 imgc_report *report);
imgc_status imgc_gif_encoder_end(imgc_gif_encoder *encoder, imgc_output *output,
                                 imgc_report *report);

#ifdef __cplusplus
}
#endif
#endif
