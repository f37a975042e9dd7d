// WebP: still images and animations, decoded by libwebp.

#include "core/codec.h"
#include "core/report.h"

#ifdef IMGC_WEBP

#if !__has_include(<webp/decode.h>)
#error "libwebp is missing: apt-get install libwebp-dev (brew install webp)"
#endif
#include <webp/decode.h>

#include <stdio.h>

static imgc_status read_header(const imgc_request *request, imgc_header *header,
                               imgc_report *report) {
  (void)request, (void)header;
  return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, "webp", "webp: not decoded yet");
}

static imgc_status read_icc(const imgc_request *request, uint8_t *profile, size_t size,
                            imgc_report *report) {
  (void)request, (void)profile, (void)size, (void)report;
  return IMGC_ERROR_MALFORMED;
}

static imgc_status decode(const imgc_request *request, const imgc_dest *dest, imgc_report *report) {
  (void)request, (void)dest;
  return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, "webp", "webp: not decoded yet");
}

static const char *version(void) { return "libwebp"; }

const imgc_codec imgc_codec_webp = {
    .format = IMGC_FORMAT_WEBP,
    .read_header = read_header,
    .read_icc = read_icc,
    .decode = decode,
    .version = version,
};

#endif
