// CBenchTwins: the plain use of each C library, as its manual shows it, for `imagetool bench`
// to measure against; and the tool's PNG writer.
//
// For trusted files only: no limits are checked, and libpng's simplified API and DGifSlurp have
// open security reports. Nothing but the tool links this.

#ifndef CBENCHTWINS_H
#define CBENCHTWINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// RGBA8, straight alpha, top row first, no padding.
typedef struct twin_picture {
  uint8_t *pixels; // from malloc; twin_free frees it
  uint32_t width;  // pixels
  uint32_t height; // pixels
  uint32_t frames; // GIF: all composed one after the other, `pixels` shows the last; else 1
} twin_picture;

// Each returns false, with nothing to free, when its library finds the file damaged or the
// plain way cannot decode it. Nothing is printed.
bool twin_png(const uint8_t *data, size_t size, twin_picture *picture);
bool twin_jpeg(const uint8_t *data, size_t size, twin_picture *picture);
bool twin_gif(const uint8_t *data, size_t size, twin_picture *picture);
bool twin_tiff(const uint8_t *data, size_t size, twin_picture *picture);
// A scalar loop over uncompressed 8, 24 and 32-bit bitmaps.
bool twin_bmp(const uint8_t *data, size_t size, twin_picture *picture);

void twin_free(twin_picture *picture);

// width * height * 4 bytes of RGBA as a PNG file, `*size` bytes from malloc for the caller to
// free. NULL when memory is exhausted. 1 <= width, height <= 2^31 - 1.
uint8_t *rgba_to_png(const uint8_t *rgba, uint32_t width, uint32_t height, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
