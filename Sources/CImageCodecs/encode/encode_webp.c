// Encodes RGBA8 as WebP with libwebp: lossy (VP8 and ALPH) or lossless (VP8L), without metadata.

#include "encode/encode_webp.h"
#include "core/report.h"

#include <limits.h>
#include <string.h>

#ifdef IMGC_WEBP

static imgc_status import(WebPPicture *picture, const imgc_image *image, const WebPConfig *config) {
  // As in cwebp: libwebp converts ARGB to YUV itself only for `use_sharp_yuv`.
  if (config->lossless || config->use_sharp_yuv) return imgc_webp_import_argb(picture, image);
  imgc_webp_call *call = picture->user_data;
  if (imgc_encode_poll(call->cancel, call->report)) return call->report->status;
  picture->use_argb = 0;
  if (WebPPictureImportRGBA(picture, image->pixels, (int)image->stride)) return IMGC_OK;
  return imgc_webp_fail(picture->error_code, call->report);
}

// Increases the capacity of the bitstream, at the cost of compression: partition 0 contains the
// prediction modes and is limited to 512 kB, the others contain coefficients and are limited to
// 16 MB each (RFC 6386, section 9.5). Returns false when there is no way to do this.
static bool enlarge_partitions(WebPConfig *config, WebPEncodingError error) {
  if (error == VP8_ENC_ERROR_PARTITION0_OVERFLOW && config->partition_limit < 100) {
    config->partition_limit = 100;
    return true;
  }
  if (error == VP8_ENC_ERROR_PARTITION_OVERFLOW && config->partitions < 3) {
    config->partitions = 3; // 8 partitions
    return true;
  }
  return false;
}

static imgc_status encode(WebPPicture *picture, WebPConfig *config) {
  imgc_webp_call *call = picture->user_data;
  size_t start = call->output->count;
  while (!WebPEncode(config, picture)) {
    if (call->report->status || !enlarge_partitions(config, picture->error_code))
      return imgc_webp_fail(picture->error_code, call->report);
    call->output->count = start;
  }
  return IMGC_OK;
}

imgc_status imgc_encode_webp(const imgc_image *image, const imgc_webp_options *options,
                             imgc_cancel *cancel, imgc_output *output, imgc_report *report) {
  memset(report, 0, sizeof *report);
  if (!imgc_image_is_valid(image) || image->stride > INT_MAX ||
      !imgc_webp_options_are_valid(options))
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "webp: the image or an encoder option is invalid");
  if (image->width > WEBP_MAX_DIMENSION || image->height > WEBP_MAX_DIMENSION)
    return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, "dimensions",
                     "webp: %u x %u pixels exceed the limit of %d pixels per side", image->width,
                     image->height, WEBP_MAX_DIMENSION);
  imgc_webp_call call = {.cancel = cancel, .output = output, .report = report};
  WebPConfig config;
  WebPPicture picture;
  if (imgc_webp_config(options, &config, report) ||
      imgc_webp_picture(&picture, image->width, image->height, &call))
    return report->status;
  if (import(&picture, image, &config) == IMGC_OK) encode(&picture, &config);
  WebPPictureFree(&picture);
  return report->status;
}

#else

imgc_status imgc_encode_webp(const imgc_image *image, const imgc_webp_options *options,
                             imgc_cancel *cancel, imgc_output *output, imgc_report *report) {
  (void)image, (void)options, (void)cancel, (void)output;
  memset(report, 0, sizeof *report);
  return imgc_webp_unavailable(report);
}

#endif
