// The memory of the prefix codes of a lossless stream.

#ifndef IMGC_WEBP_PREFIX_H
#define IMGC_WEBP_PREFIX_H

#include "webp/webp_container.h"

// Returns the bytes of libwebp's tables for the prefix codes of a lossless image or of a coded
// alpha plane; 0 for other images. Reads the stream up to the entropy image (RFC 9649,
// section 3.7.2.2), which determines the number of codes: up to 65,536 groups of 12 to 20 kB each,
// for an image of one megapixel. Returns 0 for a stream that is damaged before that, and when
// imgc_poll fails.
uint64_t imgc_webp_prefix_bytes(const imgc_request *request, const imgc_webp_image *image,
                                imgc_report *report);

// Returns an upper bound without reading the stream.
uint64_t imgc_webp_max_prefix_bytes(const imgc_webp_image *image);

// Returns the number of prefix codes that libwebp reads for the image; 0 for a damaged header.
uint64_t imgc_webp_prefix_codes(const imgc_request *request, const imgc_webp_image *image,
                                imgc_report *report);

#endif
