// libpng's simplified API: the shortest code from bytes to RGBA.

#include "CPlatformImageBaselines.h"

#include <stdlib.h>
#include <string.h>

#if !__has_include(<png.h>)
#error "libpng not found: apt-get install libpng-dev"
#endif
#include <png.h>

bool baseline_png(const uint8_t *data, size_t size, baseline_picture *picture) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, data, size)) return false;
  image.format = PNG_FORMAT_RGBA;
  // Otherwise 16-bit samples are treated as linear light and converted by a gamma table.
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  uint8_t *pixels = malloc(PNG_IMAGE_SIZE(image));
  if (!pixels || !png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
    png_image_free(&image);
    free(pixels);
    return false;
  }
  *picture = (baseline_picture){pixels, image.width, image.height, 1};
  return true;
}

void baseline_free(baseline_picture *picture) {
  free(picture->pixels);
  picture->pixels = NULL;
}
