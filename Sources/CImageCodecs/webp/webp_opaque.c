// Lossless images whose codes have no other alpha than 255 (RFC 9649).
//
// libwebp returns the coded alpha of an image without the alpha bit. A test of the decoded pixels
// reads all of them again, after they have left the processor's cache: 10 % of the time in which
// libwebp decodes flat art. The codes of such an image are read in less than 1 % of the time.

#include "webp/webp_opaque.h"
#include "webp/webp_stream.h"

// Section 3.5.4: an index that is not in the palette is transparent black. True when no green value
// of the group has one.
static bool has_valid_indices(const imgc_webp_stream *s) {
  uint32_t index_bits = 8u >> imgc_webp_packing_bits(s->colors), mask = (1u << index_bits) - 1;
  const imgc_webp_code *green = &s->codes[IMGC_WEBP_GREEN];
  for (uint32_t i = 0; i < green->used && s->colors <= mask; i++) {
    uint32_t value = green->symbols[i];
    for (; value < IMGC_WEBP_LITERALS && value > 0; value >>= index_bits)
      if ((value & mask) >= s->colors) return false;
  }
  return true;
}

// True when the pixels that use this group are opaque after the transforms. Copies repeat pixels,
// and a color cache code repeats a pixel or is 0. The other transforms do not change alpha.
static bool is_opaque_group(const imgc_webp_stream *s) {
  if (s->colors) return has_valid_indices(s);
  // Section 3.5.1: the alpha of pixels outside the image is 255, and each predictor of pixels with
  // the alpha 255 has that alpha.
  const imgc_webp_code *alpha = &s->codes[IMGC_WEBP_ALPHA];
  if (s->has_predictor) return imgc_webp_is_only(alpha, 0);
  return imgc_webp_is_only(alpha, 255) && s->cache_bits == 0;
}

bool imgc_webp_is_opaque(const imgc_request *request, const imgc_webp_image *image,
                         imgc_report *report) {
  uint64_t pixels = (uint64_t)image->width * image->height;
  imgc_webp_stream s;
  if (pixels < IMGC_WEBP_PIXELS_PER_GROUP || !imgc_webp_stream_open(&s, request, image, report))
    return false;
  s.max_symbols = pixels / IMGC_WEBP_PIXELS_PER_GROUP * IMGC_WEBP_SYMBOLS_PER_GROUP;
  if (!imgc_webp_stream_read_header(&s) || s.groups > pixels / IMGC_WEBP_PIXELS_PER_GROUP)
    return false;
  // Predicted indices have any value, and predicted colours any alpha.
  if (s.colors && (s.has_predictor || !s.has_opaque_colors)) return false;
  for (uint32_t i = 0; i < s.groups; i++)
    if (!imgc_webp_stream_read_group(&s) || !is_opaque_group(&s)) return false;
  return true;
}
