// The WebP encoders; libwebp and libwebpmux decode the output.

#include "tests.h"

#ifdef IMGC_WEBP

#include <webp/decode.h>
#include <webp/mux.h>

enum { WIDTH = 37, HEIGHT = 23, STRIDE = WIDTH * 4 + 12 };
static uint8_t pixels[STRIDE * HEIGHT];

static imgc_image source(uint32_t width, uint32_t height) {
  return (imgc_image){pixels, sizeof pixels, STRIDE, width, height};
}

// Noise with alpha 0, 255 and values between; of the rows of `alpha` 0, all pixels are opaque.
static void paint(bool alpha) {
  fill(pixels, sizeof pixels);
  for (size_t i = 3; i < sizeof pixels; i += 4) {
    if (!alpha || pixels[i] > 200) pixels[i] = 255;
    if (pixels[i] < 80) pixels[i] = 0;
  }
}

static bool pixel_is_equal(const uint8_t *a, const uint8_t *b, bool is_exact) {
  return memcmp(a, b, 4) == 0 || (!is_exact && a[3] == 0 && b[3] == 0);
}

static bool is_equal(const imgc_output *output, const imgc_image *image, bool is_exact) {
  int width, height;
  uint8_t *decoded = WebPDecodeRGBA(output->data, output->count, &width, &height);
  bool equal = decoded && (uint32_t)width == image->width && (uint32_t)height == image->height;
  for (uint32_t y = 0; equal && y < image->height; y++)
    for (uint32_t x = 0; equal && x < image->width; x++)
      equal = pixel_is_equal(decoded + ((size_t)y * image->width + x) * 4,
                             (const uint8_t *)image->pixels + y * image->stride + x * 4, is_exact);
  WebPFree(decoded);
  return equal;
}

static const imgc_webp_options lossy = {
    .quality = 80, .method = 4, .level = 6, .near_lossless = 100, .alpha_quality = 100};

static void lossless_files_are_exact(void) {
  imgc_report report;
  for (int alpha = 0; alpha < 2; alpha++)
    for (int is_exact = 0; is_exact < 2; is_exact++)
      for (uint8_t level = 0; level <= 9; level++)
        for (uint32_t side = 1; side <= HEIGHT; side += 11) {
          paint(alpha);
          imgc_image image = source(side * 3 / 2, side);
          imgc_webp_options options = lossy;
          options.is_lossless = true;
          options.is_exact = is_exact;
          options.level = level;
          imgc_output output = {0};
          expect(imgc_encode_webp(&image, &options, NULL, &output, &report) == IMGC_OK, "%s",
                 report.message);
          expect(is_equal(&output, &image, is_exact), "alpha %d, exact %d, level %d, side %u",
                 alpha, is_exact, level, side);
          imgc_output_free(&output);
        }
}

static void lossy_files_have_size_and_alpha(void) {
  imgc_report report;
  for (int alpha = 0; alpha < 2; alpha++)
    for (int sharp = 0; sharp < 2; sharp++)
      for (uint8_t method = 0; method <= 6; method++) {
        paint(alpha);
        imgc_image image = source(WIDTH, HEIGHT);
        imgc_webp_options options = lossy;
        options.method = method;
        options.sharp_yuv = sharp;
        imgc_output output = {0};
        expect(imgc_encode_webp(&image, &options, NULL, &output, &report) == IMGC_OK, "%s",
               report.message);
        int width = 0, height = 0;
        uint8_t *decoded = WebPDecodeRGBA(output.data, output.count, &width, &height);
        bool equal = decoded && width == WIDTH && height == HEIGHT;
        for (size_t i = 0; equal && i < WIDTH * HEIGHT; i++)
          equal = decoded[i * 4 + 3] == pixels[i / WIDTH * STRIDE + i % WIDTH * 4 + 3];
        expect(equal, "alpha %d, sharp %d, method %d", alpha, sharp, method);
        WebPFree(decoded);
        imgc_output_free(&output);
      }
}

static void invalid_arguments_fail(void) {
  imgc_report report;
  imgc_image image = source(WIDTH, HEIGHT);
  imgc_output output = {0};
  for (int i = 0; i < 6; i++) {
    imgc_webp_options options = lossy;
    if (i == 0) options.quality = 0;
    if (i == 1) options.quality = 101;
    if (i == 2) options.method = 7;
    if (i == 3) options.level = 10;
    if (i == 4) options.near_lossless = 101;
    if (i == 5) options.alpha_quality = 101;
    expect(imgc_encode_webp(&image, &options, NULL, &output, &report) ==
               IMGC_ERROR_INVALID_ARGUMENT,
           "option %d: %d", i, report.status);
  }
  image.stride = WIDTH * 4 - 1;
  expect(imgc_encode_webp(&image, &lossy, NULL, &output, &report) == IMGC_ERROR_INVALID_ARGUMENT,
         "rows that overlap: %d", report.status);
  static uint8_t line[16384 * 4];
  image = (imgc_image){line, sizeof line, sizeof line, 16384, 1};
  expect(imgc_encode_webp(&image, &lossy, NULL, &output, &report) == IMGC_ERROR_UNSUPPORTED &&
             strcmp(report.token, "dimensions") == 0,
         "16,384 columns: %d", report.status);
  image.width = 16383;
  expect(imgc_encode_webp(&image, &lossy, NULL, &output, &report) == IMGC_OK, "16,383 columns: %s",
         report.message);
  imgc_output_free(&output);
}

typedef imgc_status (*encoding)(imgc_cancel *, imgc_output *, imgc_report *);

static imgc_status encode_lossy(imgc_cancel *cancel, imgc_output *output, imgc_report *report) {
  imgc_image image = source(WIDTH, HEIGHT);
  return imgc_encode_webp(&image, &lossy, cancel, output, report);
}

static imgc_status encode_lossless(imgc_cancel *cancel, imgc_output *output, imgc_report *report) {
  imgc_image image = source(WIDTH, HEIGHT);
  imgc_webp_options options = lossy;
  options.is_lossless = true;
  return imgc_encode_webp(&image, &options, cancel, output, report);
}

enum { FRAMES = 5 };
static const uint32_t times[FRAMES + 1] = {0, 40, 40, 1000, 1003, 1003 + (1 << 24) - 1};

static imgc_status encode_frames(bool is_lossless, imgc_cancel *cancel, imgc_output *output,
                                 imgc_report *report) {
  imgc_webp_animation_options options = {
      .frames = lossy, .width = WIDTH, .height = HEIGHT, .play_count = 7};
  options.frames.is_lossless = is_lossless;
  options.frames.is_exact = true;
  options.is_mixed = !is_lossless;
  options.key_frame_interval = 2;
  imgc_webp_animation *animation;
  imgc_status status = imgc_webp_animation_create(&options, cancel, &animation, report);
  for (int i = 0; i < FRAMES && !status; i++) {
    imgc_image image = source(WIDTH, HEIGHT);
    pixels[i * (STRIDE + 4)] ^= 0x55;
    status = imgc_webp_animation_add(animation, &image, times[i], report);
    pixels[i * (STRIDE + 4)] ^= 0x55;
  }
  if (!status) status = imgc_webp_animation_end(animation, times[FRAMES], output, report);
  imgc_webp_animation_destroy(animation);
  return status;
}

static imgc_status encode_animation(imgc_cancel *cancel, imgc_output *output, imgc_report *report) {
  return encode_frames(true, cancel, output, report);
}

static imgc_status encode_mixed(imgc_cancel *cancel, imgc_output *output, imgc_report *report) {
  return encode_frames(false, cancel, output, report);
}

static void every_poll_cancels_and_every_limit_below_the_size_fails(encoding encode) {
  imgc_report report;
  imgc_cancel *cancel = imgc_cancel_create();
  imgc_output output = {0};
  if (!cancel) exit(2);
  expect(encode(cancel, &output, &report) == IMGC_OK, "%s", report.message);
  size_t size = output.count;
  uint64_t polls = imgc_cancel_polls(cancel);
  expect(polls > 3, "%llu polls", (unsigned long long)polls);
  imgc_output_free(&output);
  imgc_cancel_destroy(cancel);
  for (uint64_t after = 0; after < polls; after++) {
    cancel = imgc_cancel_create();
    if (!cancel) exit(2);
    imgc_cancel_after(cancel, after);
    output = (imgc_output){0};
    expect(encode(cancel, &output, &report) == IMGC_ERROR_CANCELLED, "cancelled after %llu: %d",
           (unsigned long long)after, report.status);
    imgc_output_free(&output);
    imgc_cancel_destroy(cancel);
  }
  for (size_t limit = 1; limit <= size; limit += limit < size - 20 ? size / 20 : 1) {
    output = (imgc_output){.max_bytes = limit};
    imgc_status status = encode(NULL, &output, &report);
    expect(limit == size ? status == IMGC_OK
                         : status == IMGC_ERROR_LIMIT && strcmp(report.token, "max_bytes") == 0,
           "limit %zu of %zu: %d", limit, size, status);
    imgc_output_free(&output);
  }
}

static void animations_have_times_and_plays(void) {
  imgc_output output = {0};
  imgc_report report;
  expect(encode_animation(NULL, &output, &report) == IMGC_OK, "%s", report.message);
  WebPData file = {output.data, output.count};
  WebPMux *mux = WebPMuxCreate(&file, 0);
  WebPMuxAnimParams parameters;
  int width, height, count;
  expect(mux && WebPMuxGetAnimationParams(mux, &parameters) == WEBP_MUX_OK &&
             parameters.loop_count == 7,
         "plays");
  expect(WebPMuxGetCanvasSize(mux, &width, &height) == WEBP_MUX_OK && width == WIDTH &&
             height == HEIGHT,
         "canvas");
  expect(WebPMuxNumChunks(mux, WEBP_CHUNK_ANMF, &count) == WEBP_MUX_OK && count == FRAMES,
         "%d frames", count);
  for (int i = 0; i < FRAMES; i++) {
    WebPMuxFrameInfo frame;
    expect(WebPMuxGetFrame(mux, (uint32_t)i + 1, &frame) == WEBP_MUX_OK &&
               (uint32_t)frame.duration == times[i + 1] - times[i],
           "frame %d", i);
    WebPDataClear(&frame.bitstream);
  }
  WebPMuxDelete(mux);
  imgc_output_free(&output);
}

static void invalid_animations_fail(void) {
  imgc_report report;
  imgc_webp_animation *animation;
  imgc_webp_animation_options options = {.frames = lossy, .width = WIDTH, .height = HEIGHT};
  options.width = 0;
  expect(imgc_webp_animation_create(&options, NULL, &animation, &report) ==
                 IMGC_ERROR_INVALID_ARGUMENT &&
             !animation,
         "no columns");
  options.width = 16384;
  expect(imgc_webp_animation_create(&options, NULL, &animation, &report) ==
                 IMGC_ERROR_UNSUPPORTED &&
             !animation,
         "16,384 columns");
  options.width = WIDTH;
  imgc_output output = {0};
  expect(imgc_webp_animation_create(&options, NULL, &animation, &report) == IMGC_OK, "create");
  expect(imgc_webp_animation_end(animation, 0, &output, &report) == IMGC_ERROR_INVALID_ARGUMENT,
         "no frame");
  imgc_image image = source(WIDTH - 1, HEIGHT);
  expect(imgc_webp_animation_add(animation, &image, 0, &report) == IMGC_ERROR_INVALID_ARGUMENT,
         "another size");
  image = source(WIDTH, HEIGHT);
  expect(imgc_webp_animation_add(animation, &image, 5, &report) == IMGC_OK, "first frame");
  expect(imgc_webp_animation_add(animation, &image, 5 + (1 << 24), &report) ==
             IMGC_ERROR_INVALID_ARGUMENT,
         "a frame of 2^24 ms");
  imgc_webp_animation_destroy(animation);
  imgc_output_free(&output);
}

void test_webp_encoder(void) {
  lossless_files_are_exact();
  lossy_files_have_size_and_alpha();
  invalid_arguments_fail();
  invalid_animations_fail();
  paint(true);
  animations_have_times_and_plays();
  every_poll_cancels_and_every_limit_below_the_size_fails(encode_lossy);
  every_poll_cancels_and_every_limit_below_the_size_fails(encode_lossless);
  every_poll_cancels_and_every_limit_below_the_size_fails(encode_animation);
  every_poll_cancels_and_every_limit_below_the_size_fails(encode_mixed);
}

#else

void test_webp_encoder(void) {
  uint8_t pixel[4] = {0};
  imgc_image image = {pixel, 4, 4, 1, 1};
  imgc_webp_options options = {.quality = 80};
  imgc_output output = {0};
  imgc_report report;
  expect(imgc_encode_webp(&image, &options, NULL, &output, &report) == IMGC_ERROR_UNSUPPORTED &&
             strcmp(report.token, "webp") == 0,
         "not compiled in: %d", report.status);
}

#endif
