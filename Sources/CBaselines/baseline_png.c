// libpng's simplified API: the shortest code from bytes to RGBA.

#include "CPlatformImageBaselines.h"

#include <stdlib.h>
#include <string.h>

#if !__has_include(<png.h>)
#error "libpng not found: apt-get install libpng-dev (brew install libpng)"
#endif
#include <png.h>

bool baseline_png(const uint8_t *data, size_t size, baseline_image *image) {
  png_image library_image;
  memset(&library_image, 0, sizeof library_image);
  library_image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&library_image, data, size)) return false;
  library_image.format = PNG_FORMAT_RGBA;
  // Without this flag libpng treats 16-bit samples as linear light and converts them by a gamma
  // table.
  library_image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  uint8_t *pixels = malloc(PNG_IMAGE_SIZE(library_image));
  if (!pixels || !png_image_finish_read(&library_image, NULL, pixels, 0, NULL)) {
    png_image_free(&library_image);
    free(pixels);
    return false;
  }
  *image = (baseline_image){pixels, library_image.width, library_image.height, 1};
  return true;
}

void baseline_free(baseline_image *image) {
  free(image->pixels);
  image->pixels = NULL;
}
