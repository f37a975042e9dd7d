// libwebp's configuration and picture for the encoders of still and animated WebP.

#include "core/report.h"
#include "encode/encode_webp.h"

imgc_status imgc_webp_unavailable(imgc_report *report) {
  return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, "webp", "webp: not encoded by this build");
}

#ifdef IMGC_WEBP

bool imgc_webp_options_are_valid(const imgc_webp_options *options) {
  return options->quality >= 1 && options->quality <= 100 && options->method <= 6 &&
         options->level <= 9 && options->near_lossless <= 100 && options->alpha_quality <= 100;
}

imgc_status imgc_webp_config(const imgc_webp_options *options, WebPConfig *config,
                             imgc_report *report) {
  bool is_valid = WebPConfigPreset(config, WEBP_PRESET_DEFAULT, options->quality);
  if (is_valid && options->is_lossless) {
    is_valid = WebPConfigLosslessPreset(config, options->level);
    config->near_lossless = options->near_lossless;
  } else if (is_valid) {
    config->method = options->method;
    config->alpha_quality = options->alpha_quality;
    config->use_sharp_yuv = options->sharp_yuv;
  }
  config->exact = options->is_exact;
  if (is_valid && WebPValidateConfig(config)) return IMGC_OK;
  return imgc_fail(report, IMGC_ERROR_INTERNAL, NULL, "webp: libwebp refuses the options");
}

// Returns 1 to continue, as libwebp requires.
static int on_progress(int percent, const WebPPicture *picture) {
  (void)percent;
  imgc_webp_call *call = picture->user_data;
  return imgc_encode_poll(call->cancel, call->report) == IMGC_OK;
}

static int on_bytes(const uint8_t *bytes, size_t size, const WebPPicture *picture) {
  imgc_webp_call *call = picture->custom_ptr;
  if (!imgc_output_append(call->output, bytes, size)) {
    imgc_fail(call->report, IMGC_ERROR_OUT_OF_MEMORY, NULL,
              "webp: out of memory for the encoded file");
    return 0;
  }
  return imgc_output_check(call->output, "webp", call->report) == IMGC_OK;
}

imgc_status imgc_webp_picture(WebPPicture *picture, uint32_t width, uint32_t height,
                              imgc_webp_call *call) {
  if (!WebPPictureInit(picture))
    return imgc_fail(call->report, IMGC_ERROR_INTERNAL, NULL,
                     "webp: the version of libwebp differs from its header");
  picture->width = (int)width;
  picture->height = (int)height;
  picture->user_data = call;
  picture->progress_hook = on_progress;
  if (call->output) {
    picture->custom_ptr = call;
    picture->writer = on_bytes;
  }
  return IMGC_OK;
}

imgc_status imgc_webp_import_argb(WebPPicture *picture, const imgc_image *image) {
  imgc_webp_call *call = picture->user_data;
  picture->use_argb = 1;
  if (!picture->argb && !WebPPictureAlloc(picture))
    return imgc_webp_fail(VP8_ENC_ERROR_OUT_OF_MEMORY, call->report);
  for (uint32_t y = 0; y < image->height; y++) {
    if (y % IMGC_ENCODE_BAND == 0 && imgc_encode_poll(call->cancel, call->report))
      return call->report->status;
    const uint8_t *src = imgc_image_row(image, y);
    uint32_t *dst = picture->argb + (size_t)y * (size_t)picture->argb_stride;
    for (size_t x = 0; x < image->width; x++, src += 4)
      dst[x] = (uint32_t)src[3] << 24 | (uint32_t)src[0] << 16 | (uint32_t)src[1] << 8 | src[2];
  }
  return IMGC_OK;
}

imgc_status imgc_webp_fail(WebPEncodingError error, imgc_report *report) {
  switch (error) {
  // libwebp 1.2.4 also fails without an error code when the memory of its tokens is exhausted, and
  // with BAD_WRITE when that of an animation's frame is.
  case VP8_ENC_OK:
  case VP8_ENC_ERROR_BAD_WRITE:
  case VP8_ENC_ERROR_OUT_OF_MEMORY:
  case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
    return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "webp: out of memory");
  case VP8_ENC_ERROR_BAD_DIMENSION:
  case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
  case VP8_ENC_ERROR_PARTITION_OVERFLOW:
  case VP8_ENC_ERROR_FILE_TOO_BIG:
    return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, "dimensions",
                     "webp: the image is too large for the format (libwebp error %d)", error);
  default: return imgc_fail(report, IMGC_ERROR_INTERNAL, NULL, "webp: libwebp error %d", error);
  }
}

#endif
