// Encoders: their output is decoded and compared; limits, cancelling and invalid arguments.

#include "tests.h"

// Kinds of pixels. For each kind, the PNG encoder selects the colour type and the bit depth.
typedef enum content {
  NOISE,
  OPAQUE,
  GRAY,
  GRAY_ALPHA,
  BITS_1,
  BITS_2,
  BITS_4,
  FEW_COLORS,
  CONTENTS
} content;

static void paint(uint8_t *pixels, size_t n, content kind) {
  static const uint8_t few[4][4] = {
      {255, 0, 0, 255}, {0, 200, 9, 255}, {7, 8, 9, 0}, {1, 2, 3, 128}};
  fill(pixels, n * 4);
  for (uint8_t *p = pixels; p < pixels + n * 4; p += 4) {
    if (kind == FEW_COLORS) memcpy(p, few[p[0] % 4], 4);
    if (kind == BITS_1) p[0] = (uint8_t)(p[0] % 2 * 255);
    if (kind == BITS_2) p[0] = (uint8_t)(p[0] % 4 * 85);
    if (kind == BITS_4) p[0] = (uint8_t)(p[0] % 16 * 17);
    bool is_bits = kind >= BITS_1 && kind <= BITS_4;
    if (kind == GRAY || kind == GRAY_ALPHA || is_bits) p[1] = p[2] = p[0];
    if (kind == OPAQUE || kind == GRAY || is_bits) p[3] = 255;
  }
}

static bool is_decoded(imgc_format format, const imgc_output *output, const imgc_image *image,
                       int tolerance) {
  imgc_request request = request_for(format, output->data, output->count);
  imgc_header header;
  imgc_report report;
  if (imgc_probe(output->data, output->count) != format) return false;
  if (imgc_read_header(&request, &header, &report) || header.width != image->width ||
      header.height != image->height)
    return false;
  guarded g = guarded_create(header.width, header.height, 1, 0x77);
  bool right = imgc_decode(&request, &g.target, &report) == IMGC_OK && report.warning_total == 0 &&
               guarded_is_intact(&g);
  for (uint32_t y = 0; right && y < header.height; y++)
    for (size_t i = 0; right && i < (size_t)header.width * 4; i++) {
      int difference =
          guarded_row(&g, y)[i] - ((const uint8_t *)image->pixels)[(size_t)y * image->stride + i];
      right = abs(difference) <= tolerance;
    }
  guarded_free(&g);
  return right;
}

static imgc_status encode_png(const imgc_image *image, const imgc_png_options *options,
                              imgc_cancel *cancel, imgc_output *output, imgc_report *report) {
  imgc_png_encoder *encoder = imgc_png_encoder_create(options, cancel);
  if (!encoder) exit(2);
  imgc_status status = imgc_png_encoder_analyze(encoder, image, report);
  if (!status)
    status = imgc_png_encoder_begin(encoder, image->width, image->height, output, report);
  if (!status) status = imgc_png_encoder_add(encoder, image, NULL, output, report);
  if (!status) status = imgc_png_encoder_end(encoder, output, report);
  imgc_png_encoder_destroy(encoder);
  return status;
}

static void encode_animation(void) {
  enum { SIDE = 6, FRAMES = 3 };
  uint8_t pixels[FRAMES][SIDE * SIDE * 4];
  imgc_png_options options = {
      .level = 6, .filter = IMGC_FILTER_AUTOMATIC, .frame_count = FRAMES, .play_count = 5};
  imgc_png_encoder *encoder = imgc_png_encoder_create(&options, NULL);
  imgc_output output = {0};
  imgc_report report;
  if (!encoder) exit(2);
  imgc_image frames[FRAMES];
  for (int i = 0; i < FRAMES; i++) {
    uint32_t side = i ? SIDE - 2 : SIDE;
    paint(pixels[i], (size_t)side * side, NOISE);
    frames[i] = (imgc_image){pixels[i], (size_t)side * side * 4, side * 4, side, side};
    expect(imgc_png_encoder_analyze(encoder, &frames[i], &report) == IMGC_OK, "analyze");
  }
  expect(imgc_png_encoder_begin(encoder, SIDE, SIDE, &output, &report) == IMGC_OK, "begin");
  for (int i = 0; i < FRAMES; i++) {
    imgc_png_placement placement = {i ? 1 : 0, i ? 2 : 0, (uint16_t)(i + 1), 10};
    expect(imgc_png_encoder_add(encoder, &frames[i], &placement, &output, &report) == IMGC_OK,
           "frame %d: %s", i, report.message);
  }
  expect(imgc_png_encoder_end(encoder, &output, &report) == IMGC_OK, "end");
  imgc_png_encoder_destroy(encoder);

  imgc_request request = request_for(IMGC_FORMAT_PNG, output.data, output.count);
  imgc_header header;
  expect(imgc_read_header(&request, &header, &report) == IMGC_OK && header.is_animated &&
             header.frame_count == FRAMES && header.loop_count == 5,
         "an animation of %u frames", header.frame_count);
  imgc_frame frame = {0};
  for (int i = 0; i < FRAMES; i++) {
    guarded g = guarded_create(frames[i].width, frames[i].height, 1, 0);
    expect(imgc_next_frame(&request, &frame, &report) == IMGC_OK &&
               frame.width == frames[i].width && frame.delay_numerator == (uint32_t)i + 1,
           "frame %d", i);
    frame.x = frame.y = 0;
    frame.blend = IMGC_BLEND_SOURCE;
    expect(imgc_draw_frame(&request, &frame, &g.target, &report) == IMGC_OK, "drawn %d", i);
    bool equal = guarded_is_intact(&g);
    for (uint32_t y = 0; y < frames[i].height; y++)
      equal &= memcmp(guarded_row(&g, y), pixels[i] + y * frames[i].stride, frames[i].stride) == 0;
    expect(equal, "pixels of frame %d", i);
    guarded_free(&g);
  }
  imgc_output_free(&output);
}

void test_png_encoder(void) {
  enum { WIDTH = 21, HEIGHT = 19, STRIDE = WIDTH * 4 + 8 };
  static uint8_t pixels[STRIDE * HEIGHT];
  imgc_image image = {pixels, sizeof pixels, STRIDE, WIDTH, HEIGHT};
  imgc_report report;
  for (content kind = 0; kind < CONTENTS; kind++)
    for (uint8_t filter = 0; filter <= IMGC_FILTER_AUTOMATIC; filter++)
      for (uint8_t level = 0; level <= 9; level += 3)
        for (uint32_t width = 1; width <= WIDTH; width += 4) {
          paint(pixels, sizeof pixels / 4, kind);
          image.width = width;
          imgc_png_options options = {.level = level, .filter = filter, .always_rgba = level == 3};
          imgc_output output = {0};
          expect(encode_png(&image, &options, NULL, &output, &report) == IMGC_OK,
                 "content %d, filter %d, level %d: %s", kind, filter, level, report.message);
          expect(is_decoded(IMGC_FORMAT_PNG, &output, &image, 0),
                 "content %d, filter %d, level %d, %u pixels wide", kind, filter, level, width);
          imgc_output_free(&output);
        }
  imgc_png_options options = {.level = 6, .filter = IMGC_FILTER_AUTOMATIC};
  imgc_output output = {.max_bytes = 100};
  paint(pixels, sizeof pixels / 4, NOISE);
  image.width = WIDTH;
  expect(encode_png(&image, &options, NULL, &output, &report) == IMGC_ERROR_LIMIT &&
             strcmp(report.token, "max_bytes") == 0,
         "a file over max_bytes: %d", report.status);
  imgc_output_free(&output);
  imgc_cancel *cancel = imgc_cancel_create();
  if (!cancel) exit(2);
  imgc_cancel_raise(cancel);
  output = (imgc_output){0};
  expect(encode_png(&image, &options, cancel, &output, &report) == IMGC_ERROR_CANCELLED,
         "cancelled: %d", report.status);
  imgc_output_free(&output);
  imgc_cancel_destroy(cancel);
  output = (imgc_output){0};
  options.level = 10;
  expect(encode_png(&image, &options, NULL, &output, &report) == IMGC_ERROR_INVALID_ARGUMENT,
         "level 10: %d", report.status);
  options.level = 9;
  image.stride = WIDTH * 4 - 1;
  expect(encode_png(&image, &options, NULL, &output, &report) == IMGC_ERROR_INVALID_ARGUMENT,
         "rows that overlap: %d", report.status);
  imgc_output_free(&output);
  encode_animation();
}

void test_jpeg_encoder(void) {
  enum { WIDTH = 35, HEIGHT = 21 };
  static uint8_t pixels[WIDTH * HEIGHT * 4];
  imgc_image image = {pixels, sizeof pixels, WIDTH * 4, WIDTH, HEIGHT};
  imgc_report report;
  for (int gray = 0; gray < 2; gray++)
    for (int chroma = IMGC_CHROMA_420; chroma <= IMGC_CHROMA_444; chroma++)
      for (int flags = 0; flags < 4; flags++)
        for (uint8_t quality = 1; quality <= 100; quality += 33) {
          for (size_t y = 0; y < HEIGHT; y++)
            for (size_t x = 0; x < WIDTH; x++) {
              uint8_t *p = pixels + (y * WIDTH + x) * 4;
              p[0] = (uint8_t)(x * 6), p[1] = gray ? p[0] : (uint8_t)(y * 9);
              p[2] = gray ? p[0] : 100, p[3] = 255;
            }
          imgc_jpeg_options options = {.quality = quality,
                                       .chroma = (uint8_t)chroma,
                                       .is_progressive = flags & 1,
                                       .optimizes_huffman = flags & 2};
          imgc_output output = {0};
          expect(imgc_encode_jpeg(&image, &options, NULL, &output, &report) == IMGC_OK, "%s",
                 report.message);
          imgc_request request = request_for(IMGC_FORMAT_JPEG, output.data, output.count);
          imgc_header header;
          expect(imgc_read_header(&request, &header, &report) == IMGC_OK &&
                     header.channels == (gray ? 1 : 3) &&
                     header.is_progressive == options.is_progressive,
                 "header of chroma %d, flags %d", chroma, flags);
          // The largest allowed difference between a decoded sample and the encoded sample: small
          // at quality 100 without chroma subsampling, otherwise large.
          int tolerance = quality == 100 ? (gray || chroma == IMGC_CHROMA_444 ? 5 : 40)
                          : quality == 1 ? 120
                                         : 60;
          expect(is_decoded(IMGC_FORMAT_JPEG, &output, &image, tolerance),
                 "gray %d, chroma %d, flags %d, quality %d", gray, chroma, flags, quality);
          imgc_output_free(&output);
        }
  imgc_jpeg_options options = {.quality = 90};
  imgc_output output = {.max_bytes = 100};
  expect(imgc_encode_jpeg(&image, &options, NULL, &output, &report) == IMGC_ERROR_LIMIT &&
             strcmp(report.token, "max_bytes") == 0,
         "a file over max_bytes: %d", report.status);
  imgc_output_free(&output);
  imgc_cancel *cancel = imgc_cancel_create();
  if (!cancel) exit(2);
  output = (imgc_output){0};
  expect(imgc_encode_jpeg(&image, &options, cancel, &output, &report) == IMGC_OK, "polled");
  imgc_output_free(&output);
  uint64_t polls = imgc_cancel_polls(cancel);
  imgc_cancel_destroy(cancel);
  for (uint64_t after = 0; after < polls; after++) {
    cancel = imgc_cancel_create();
    if (!cancel) exit(2);
    imgc_cancel_after(cancel, after);
    output = (imgc_output){0};
    expect(imgc_encode_jpeg(&image, &options, cancel, &output, &report) == IMGC_ERROR_CANCELLED,
           "cancelled after %llu polls: %d", (unsigned long long)after, report.status);
    imgc_output_free(&output);
    imgc_cancel_destroy(cancel);
  }
  output = (imgc_output){0};
  options.quality = 0;
  expect(imgc_encode_jpeg(&image, &options, NULL, &output, &report) == IMGC_ERROR_INVALID_ARGUMENT,
         "quality 0: %d", report.status);
  imgc_output_free(&output);
}
