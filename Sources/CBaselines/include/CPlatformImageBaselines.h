// CPlatformImageBaselines: the plain use of each C library, as its manual shows it, for
// `imagetool-bench decode` and `imagetool-bench agree` to measure and compare with.
//
// For trusted files only: no limits are checked, and libpng's simplified API and DGifSlurp have
// open security reports. Nothing but imagetool-bench and the tests link this.

#ifndef CPLATFORMIMAGE_BASELINES_H
#define CPLATFORMIMAGE_BASELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// RGBA8, straight alpha, top row first, no padding.
typedef struct baseline_picture {
  uint8_t *pixels; // from malloc; baseline_free frees it
  uint32_t width;  // pixels
  uint32_t height; // pixels
  uint32_t frames; // GIF: all composed one after the other, `pixels` shows the last; else 1
} baseline_picture;

// Each returns false, with nothing to free, when its library finds the file damaged or the
// plain way cannot decode it. Nothing is printed.
bool baseline_png(const uint8_t *data, size_t size, baseline_picture *picture);
bool baseline_jpeg(const uint8_t *data, size_t size, baseline_picture *picture);
bool baseline_gif(const uint8_t *data, size_t size, baseline_picture *picture);
bool baseline_tiff(const uint8_t *data, size_t size, baseline_picture *picture);
// A scalar loop over uncompressed 8, 24 and 32-bit bitmaps.
bool baseline_bmp(const uint8_t *data, size_t size, baseline_picture *picture);

void baseline_free(baseline_picture *picture);

// The frames of a GIF, each alone: what it leaves out is transparent black.
typedef struct baseline_frames {
  baseline_picture *frames;
  size_t count;
  bool is_whole; // the trailer was reached
} baseline_frames;

// As far as giflib gets, which may be no frame; false when it cannot open the file. Checks that
// files of unknown origin need are made here: no frame is over 64 megapixels.
bool baseline_gif_frames(const uint8_t *data, size_t size, baseline_frames *frames);
void baseline_frames_free(baseline_frames *frames);

// Keeps the calling thread on the core that it runs on; false where the system cannot.
bool bench_pin_thread(void);

#ifdef __cplusplus
}
#endif
#endif
