#include "codec.h"

static imgc_status no_header(const imgc_request *r, imgc_header *h, imgc_report *e) {
  (void)r;
  (void)h;
  return imgc_fail(e, IMGC_ERROR_UNSUPPORTED, "jpeg", "not yet");
}
static imgc_status no_icc(const imgc_request *r, uint8_t *p, size_t n, imgc_report *e) {
  (void)r;
  (void)p;
  (void)n;
  return imgc_fail(e, IMGC_ERROR_UNSUPPORTED, "jpeg", "not yet");
}
static imgc_status no_decode(const imgc_request *r, const imgc_place *p, imgc_report *e) {
  (void)r;
  (void)p;
  return imgc_fail(e, IMGC_ERROR_UNSUPPORTED, "jpeg", "not yet");
}
static const char *no_version(void) { return ""; }
const imgc_codec imgc_codec_jpeg = {IMGC_FORMAT_JPEG, no_header, no_icc, no_decode, NULL, NULL,
                                    no_version};
