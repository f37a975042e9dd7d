// Encodes composed frames as an animated WebP with libwebpmux, which selects the rectangle, the
// disposal and the blending of each frame.

#include "core/report.h"
#include "encode/encode_webp.h"

#include <stdlib.h>
#include <string.h>

#ifdef IMGC_WEBP

#if !__has_include(<webp/mux.h>)
#error "libwebpmux is missing: apt-get install libwebp-dev (brew install webp)"
#endif
#include <webp/mux.h>

struct imgc_webp_animation {
  WebPAnimEncoder *encoder;
  WebPConfig config;
  WebPPicture picture; // the current frame; the pixels are allocated for the first frame
  imgc_webp_call call;
  uint32_t width, height;
  uint32_t time; // start of the last frame
  bool has_frame;
};

static imgc_status invalid(imgc_report *report) {
  return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                   "webp: the animation, a frame or an encoder option is invalid");
}

static imgc_status create_encoder(imgc_webp_animation *animation,
                                  const imgc_webp_animation_options *options, imgc_report *report) {
  WebPAnimEncoderOptions settings;
  if (!WebPAnimEncoderOptionsInit(&settings))
    return imgc_fail(report, IMGC_ERROR_INTERNAL, NULL,
                     "webp: the version of libwebpmux differs from its header");
  settings.anim_params.loop_count = options->play_count;
  settings.allow_mixed = options->is_mixed;
  if (options->key_frame_interval > 0) {
    // The ratio is that of gif2webp (9 and 17, 3 and 5); libwebpmux requires kmin >= kmax / 2 + 1.
    uint32_t most =
        options->key_frame_interval < INT16_MAX ? options->key_frame_interval : INT16_MAX;
    settings.kmax = (int)most;
    settings.kmin = (int)(most / 2 + 1);
  }
  animation->encoder = WebPAnimEncoderNew((int)options->width, (int)options->height, &settings);
  if (!animation->encoder)
    return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "webp: out of memory");
  return IMGC_OK;
}

imgc_status imgc_webp_animation_create(const imgc_webp_animation_options *options,
                                       imgc_cancel *cancel, imgc_webp_animation **result,
                                       imgc_report *report) {
  memset(report, 0, sizeof *report);
  *result = NULL;
  if (!imgc_webp_options_are_valid(&options->frames) || options->width == 0 || options->height == 0)
    return invalid(report);
  if (options->width > WEBP_MAX_DIMENSION || options->height > WEBP_MAX_DIMENSION)
    return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, "dimensions",
                     "webp: %u x %u pixels exceed the limit of %d pixels per side", options->width,
                     options->height, WEBP_MAX_DIMENSION);
  imgc_webp_animation *animation = calloc(1, sizeof *animation);
  if (!animation) return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "webp: out of memory");
  animation->call = (imgc_webp_call){.cancel = cancel, .report = report};
  animation->width = options->width;
  animation->height = options->height;
  if (imgc_webp_config(&options->frames, &animation->config, report) ||
      imgc_webp_picture(&animation->picture, options->width, options->height, &animation->call) ||
      create_encoder(animation, options, report)) {
    imgc_webp_animation_destroy(animation);
    return report->status;
  }
  *result = animation;
  return IMGC_OK;
}

void imgc_webp_animation_destroy(imgc_webp_animation *animation) {
  if (!animation) return;
  if (animation->encoder) WebPAnimEncoderDelete(animation->encoder);
  WebPPictureFree(&animation->picture);
  free(animation);
}

// Advances the time; false when the frame would last 2^24 ms or more.
static bool advance(imgc_webp_animation *animation, uint32_t time) {
  bool is_valid = !animation->has_frame || time - animation->time < 1u << 24;
  animation->time = time;
  return is_valid;
}

imgc_status imgc_webp_animation_add(imgc_webp_animation *animation, const imgc_image *image,
                                    uint32_t time, imgc_report *report) {
  memset(report, 0, sizeof *report);
  animation->call.report = report;
  if (!imgc_image_is_valid(image) || image->width != animation->width ||
      image->height != animation->height || !advance(animation, time))
    return invalid(report);
  animation->has_frame = true;
  if (imgc_webp_import_argb(&animation->picture, image)) return report->status;
  // libwebpmux copies progress_hook and user_data to the pictures that it encodes.
  if (WebPAnimEncoderAdd(animation->encoder, &animation->picture, (int)time, &animation->config))
    return IMGC_OK;
  return imgc_webp_fail(animation->picture.error_code, report);
}

imgc_status imgc_webp_animation_end(imgc_webp_animation *animation, uint32_t time,
                                    imgc_output *output, imgc_report *report) {
  memset(report, 0, sizeof *report);
  animation->call.report = report;
  if (!animation->has_frame || !advance(animation, time)) return invalid(report);
  if (imgc_encode_poll(animation->call.cancel, report)) return report->status;
  WebPData file;
  WebPDataInit(&file);
  // All frames are encoded already, so memory is the only reason for a failure here.
  if (!WebPAnimEncoderAdd(animation->encoder, NULL, (int)time, NULL) ||
      !WebPAnimEncoderAssemble(animation->encoder, &file)) {
    imgc_webp_fail(VP8_ENC_ERROR_OUT_OF_MEMORY, report);
  } else if (!imgc_output_append(output, file.bytes, file.size)) {
    imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "webp: out of memory for the encoded file");
  }
  WebPDataClear(&file);
  return report->status ? report->status : imgc_output_check(output, "webp", report);
}

#else

imgc_status imgc_webp_animation_create(const imgc_webp_animation_options *options,
                                       imgc_cancel *cancel, imgc_webp_animation **result,
                                       imgc_report *report) {
  (void)options, (void)cancel;
  memset(report, 0, sizeof *report);
  *result = NULL;
  return imgc_webp_unavailable(report);
}

void imgc_webp_animation_destroy(imgc_webp_animation *animation) { (void)animation; }

imgc_status imgc_webp_animation_add(imgc_webp_animation *animation, const imgc_image *image,
                                    uint32_t time, imgc_report *report) {
  (void)animation, (void)image, (void)time;
  memset(report, 0, sizeof *report);
  return imgc_webp_unavailable(report);
}

imgc_status imgc_webp_animation_end(imgc_webp_animation *animation, uint32_t time,
                                    imgc_output *output, imgc_report *report) {
  (void)animation, (void)time, (void)output;
  memset(report, 0, sizeof *report);
  return imgc_webp_unavailable(report);
}

#endif
