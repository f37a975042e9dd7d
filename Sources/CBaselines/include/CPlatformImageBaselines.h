// CPlatformImageBaselines: the basic use of each C library, as in the manual of the library.
// `imagetool-bench decode` compares the speed and pixels of this package with these baselines, and
// `imagetool-bench agree` compares the frames of GIFs and the pixels of WebP files.
//
// For trusted files only, except baseline_gif_frames and baseline_webp_frames: no limits are
// checked, and libpng's simplified API and DGifSlurp have open security reports. Only
// imagetool-bench and the tests link this target.

#ifndef CPLATFORMIMAGE_BASELINES_H
#define CPLATFORMIMAGE_BASELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// RGBA8, straight alpha, top row first, no padding.
typedef struct baseline_image {
  uint8_t *pixels; // allocated with malloc; baseline_free releases it
  uint32_t width;  // pixels
  uint32_t height; // pixels
  uint32_t frames; // GIF, animated WebP: number of composited frames, `pixels` shows the last one;
                   // otherwise 1
} baseline_image;

// These functions decode one file. They return false when the library reports damage or the basic
// API does not support the file; there is then no memory to free. They print nothing.
bool baseline_png(const uint8_t *data, size_t size, baseline_image *image);
bool baseline_jpeg(const uint8_t *data, size_t size, baseline_image *image);
bool baseline_gif(const uint8_t *data, size_t size, baseline_image *image);
bool baseline_tiff(const uint8_t *data, size_t size, baseline_image *image);
// Decodes uncompressed 8, 24 and 32-bit bitmaps in a scalar loop.
bool baseline_bmp(const uint8_t *data, size_t size, baseline_image *image);
// Returns false for an animation, and in a build without the trait WebP.
bool baseline_webp(const uint8_t *data, size_t size, baseline_image *image);
// Composes all frames with libwebpdemux; returns false when one cannot be decoded.
bool baseline_webp_animation(const uint8_t *data, size_t size, baseline_image *image);

void baseline_free(baseline_image *image);

// Frames of an animation. For a GIF separate frames, each with the size of the frame, not of the
// canvas; pixels with the transparent index are transparent black.
typedef struct baseline_frames {
  baseline_image *frames;
  size_t count;
  bool is_complete; // GIF: the trailer was reached; WebP: every frame was decoded
} baseline_frames;

// Decodes the frames up to the first error, possibly none; returns false when giflib cannot open
// the file. Untrusted files are allowed: frames are limited to 64 megapixels.
bool baseline_gif_frames(const uint8_t *data, size_t size, baseline_frames *frames);
// The canvas after each frame of an animated WebP, up to the first error; returns false when
// libwebpdemux cannot open the file. Untrusted files are allowed: all canvases together are limited
// to 64 megapixels.
bool baseline_webp_frames(const uint8_t *data, size_t size, baseline_frames *frames);
void baseline_frames_free(baseline_frames *frames);

// Pixel operations, for images of width * height RGBA8 pixels without padding.
typedef enum baseline_operation {
  BASELINE_CROP,      // 3/4 of width and height, from 1/8 on
  BASELINE_ROTATE_90, // clockwise
  BASELINE_ROTATE_180,
  BASELINE_FLIP_HORIZONTALLY,
  BASELINE_FLIP_VERTICALLY,
  BASELINE_COMPOSITE, // `above` over the image, straight alpha
  BASELINE_TO_BGRA,
  BASELINE_TO_RGB,
  BASELINE_PREMULTIPLY,
  BASELINE_TO_GRAY,
} baseline_operation;

// Returns the result in memory from malloc, which the caller frees; NULL when memory is exhausted.
// `above` has the size of the image.
uint8_t *baseline_pixels(baseline_operation operation, const uint8_t *pixels, const uint8_t *above,
                         size_t width, size_t height);
// Returns the sum of all samples.
uint64_t baseline_sum(const uint8_t *pixels, size_t width, size_t height);

// Pins the calling thread to its current core. Returns false when the operating system does not
// support this.
bool bench_pin_thread(void);

#ifdef __cplusplus
}
#endif
#endif
