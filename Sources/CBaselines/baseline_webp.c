// libwebp's simple interface: WebPDecodeRGBA, which returns memory from malloc.

#include "CPlatformImageBaselines.h"

#ifdef IMGC_WEBP
#if !__has_include(<webp/decode.h>)
#error "libwebp not found: apt-get install libwebp-dev (brew install webp)"
#endif
#include <webp/decode.h>
#endif

bool baseline_webp(const uint8_t *data, size_t size, baseline_image *image) {
#ifdef IMGC_WEBP
  int width, height;
  image->pixels = WebPDecodeRGBA(data, size, &width, &height);
  if (!image->pixels) return false;
  image->width = (uint32_t)width;
  image->height = (uint32_t)height;
  image->frames = 1;
  return true;
#else
  (void)data, (void)size, (void)image;
  return false;
#endif
}
