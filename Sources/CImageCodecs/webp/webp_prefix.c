// The memory of the prefix codes of a lossless stream (RFC 9649, section 3.7.2.2). Only the largest
// value of the entropy image matters, and how many values it has.

#include "webp/webp_prefix.h"
#include "webp/webp_stream.h"

enum {
  // The table entries of a group without colour cache, 4 bytes each, and the size of its struct.
  GROUP_ENTRIES = 2954,
  GROUP_BYTES = 640,
  DENSE_GROUPS = 1000, // with more groups, libwebp has tables only for the values that occur
};

static uint64_t table_bytes(uint64_t groups, uint32_t cache_bits) {
  uint64_t entries = GROUP_ENTRIES + (cache_bits ? (1u << cache_bits) + 2 : 0);
  return groups * (entries * 4 + GROUP_BYTES);
}

uint64_t imgc_webp_prefix_bytes(const imgc_request *request, const imgc_webp_image *image,
                                imgc_report *report) {
  imgc_webp_stream stream;
  if (!imgc_webp_stream_open(&stream, request, image, report) ||
      !imgc_webp_stream_read_header(&stream))
    return 0;
  return table_bytes(stream.groups > DENSE_GROUPS ? stream.used : stream.groups, stream.cache_bits);
}

uint64_t imgc_webp_prefix_codes(const imgc_request *request, const imgc_webp_image *image,
                                imgc_report *report) {
  imgc_webp_stream stream;
  if (!imgc_webp_stream_open(&stream, request, image, report) ||
      !imgc_webp_stream_read_header(&stream))
    return 0;
  return stream.prefix_codes + (uint64_t)stream.groups * IMGC_WEBP_CODES;
}

uint64_t imgc_webp_max_prefix_bytes(const imgc_webp_image *image) {
  if (!image->is_lossless && !image->alpha_is_coded) return 0;
  // A value of the entropy image applies to 4 x 4 pixels or more.
  uint64_t groups = (uint64_t)(image->width / 4 + 1) * (image->height / 4 + 1);
  if (groups < DENSE_GROUPS) groups = DENSE_GROUPS;
  if (groups > IMGC_WEBP_MAX_GROUPS) groups = IMGC_WEBP_MAX_GROUPS;
  return table_bytes(groups, IMGC_WEBP_MAX_CACHE_BITS);
}
