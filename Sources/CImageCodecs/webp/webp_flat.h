// Decoding of flat lossless images: drawings, and screenshots without gradients.

#ifndef IMGC_WEBP_FLAT_H
#define IMGC_WEBP_FLAT_H

#include "webp/webp_container.h"

// Decodes a lossless image to `pixels`, whose rows have no space between them. Returns false for an
// image that libwebp must decode, after pixels may have been written: one that is damaged or
// truncated, has another transform than subtract-green, has a transparent pixel but no alpha bit,
// or has more data than a flat image; and when imgc_poll fails.
bool imgc_webp_draw_flat(const imgc_request *request, const imgc_webp_image *image, uint8_t *pixels,
                         imgc_report *report);

#endif
