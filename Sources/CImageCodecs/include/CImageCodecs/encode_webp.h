// The WebP encoders, for still images and animations.

#ifndef CIMAGECODECS_ENCODE_WEBP_H
#define CIMAGECODECS_ENCODE_WEBP_H

#include "cancel.h"
#include "image.h"
#include "output.h"
#include "report.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct imgc_webp_options {
  bool is_lossless;
  uint8_t quality;       // lossy: 1...100
  uint8_t method;        // lossy: 0 (fastest) to 6 (smallest file)
  uint8_t level;         // lossless: 0 (fastest) to 9 (smallest file)
  uint8_t near_lossless; // lossless: 0 (most changes of samples) to 100 (none)
  uint8_t alpha_quality; // lossy: 0...100; 100 preserves alpha
  bool sharp_yuv;        // lossy: iterative conversion to YUV, which keeps edges between colours
  bool is_exact;         // preserves the colour of pixels with alpha 0
} imgc_webp_options;

// Appends a complete file. Polls `cancel` (may be NULL) before the encoding, whenever libwebp
// reports progress (per percent; lossless: a few times per image), and every 16 rows that are
// converted for a lossless image. A side exceeds the format's limit of 16,383 pixels:
// IMGC_ERROR_UNSUPPORTED with the token "dimensions". Compiled without IMGC_WEBP, this function and
// imgc_webp_animation_create fail with IMGC_ERROR_UNSUPPORTED and the token "webp".
imgc_status imgc_encode_webp(const imgc_image *image, const imgc_webp_options *options,
                             imgc_cancel *cancel, imgc_output *output, imgc_report *report);

typedef struct imgc_webp_animation_options {
  imgc_webp_options frames;
  uint32_t width, height; // pixels of the canvas and of every frame
  uint16_t play_count;    // 0: infinite
  // Maximum distance between two key frames, in frames; 0: only the first frame is a key frame.
  uint32_t key_frame_interval;
  bool is_mixed; // lossy or lossless for each frame, whichever is smaller
} imgc_webp_animation_options;

// An incremental encoder of animations. Call order: create; add for every frame; end; destroy. The
// library stores the smallest rectangle of each frame, and one frame for equal consecutive frames;
// if all frames are equal, the file is a still image.
typedef struct imgc_webp_animation imgc_webp_animation;

// Stores NULL when it fails. `cancel` may be NULL.
imgc_status imgc_webp_animation_create(const imgc_webp_animation_options *options,
                                       imgc_cancel *cancel, imgc_webp_animation **animation,
                                       imgc_report *report);
void imgc_webp_animation_destroy(imgc_webp_animation *animation);
// `time` is the start of the frame in milliseconds; it may wrap around. It is at least the time of
// the previous frame and less than 2^24 after it.
imgc_status imgc_webp_animation_add(imgc_webp_animation *animation, const imgc_image *image,
                                    uint32_t time, imgc_report *report);
// `time` is the end of the last frame.
imgc_status imgc_webp_animation_end(imgc_webp_animation *animation, uint32_t time,
                                    imgc_output *output, imgc_report *report);

#ifdef __cplusplus
}
#endif
#endif
