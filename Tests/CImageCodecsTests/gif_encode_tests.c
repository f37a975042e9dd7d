// GIF encoder: nearest colours, LZW code sizes, all small animations, limits and cancelling.

#include "encode/encode_gif_index.h"
#include "tests.h"

enum { MAX_FRAMES = 4 };

static imgc_image image_of(const void *pixels, uint32_t width, uint32_t height) {
  return (imgc_image){pixels, (size_t)width * height * 4, (size_t)width * 4, width, height};
}

static imgc_status encode_gif(const imgc_image *images, const imgc_gif_options *options,
                              imgc_cancel *cancel, imgc_output *output, imgc_report *report) {
  imgc_gif_encoder *encoder = imgc_gif_encoder_create(options, cancel);
  if (!encoder) exit(2);
  imgc_status status = IMGC_OK;
  uint32_t count = options->frame_count;
  for (uint32_t i = 0; i < count && !status; i++)
    status = imgc_gif_encoder_analyze(encoder, &images[i], report);
  for (uint32_t i = 0; i < count && !status; i++)
    status = imgc_gif_encoder_add(encoder, &images[i], i + 1 < count ? &images[i + 1] : NULL,
                                  (uint16_t)(i + 3), output, report);
  if (!status) status = imgc_gif_encoder_end(encoder, output, report);
  imgc_gif_encoder_destroy(encoder);
  return status;
}

// Decodes all frames with the same disposal steps as a viewer and compares them with `images`, of
// which transparent pixels have the value 0.
static bool shows(const imgc_output *output, const imgc_image *images, uint32_t count) {
  imgc_request request = request_for(IMGC_FORMAT_GIF, output->data, output->count);
  imgc_report report;
  imgc_frame frame = {0};
  uint32_t width = images[0].width, height = images[0].height;
  size_t size = (size_t)width * height * 4;
  uint8_t *pixels = calloc(1, size), *saved = malloc(size);
  if (!pixels || !saved) exit(2);
  imgc_target canvas = {pixels, size, (size_t)width * 4, width, height, 1};
  bool right = true;
  for (uint32_t i = 0; right && i < count; i++) {
    right = imgc_next_frame(&request, &frame, &report) == IMGC_OK && frame.delay_numerator == i + 3;
    memcpy(saved, pixels, size);
    right &= imgc_draw_frame(&request, &frame, &canvas, &report) == IMGC_OK &&
             report.warning_total == 0 && memcmp(pixels, images[i].pixels, size) == 0;
    if (frame.disposal == IMGC_DISPOSE_CLEAR)
      imgc_clear_rect(&canvas, frame.x, frame.y, frame.width, frame.height);
    if (frame.disposal == IMGC_DISPOSE_RESTORE) memcpy(pixels, saved, size);
  }
  right &=
      imgc_next_frame(&request, &frame, &report) == IMGC_END_OF_FRAMES && report.warning_total == 0;
  free(pixels);
  free(saved);
  return right;
}

// Every animation of `count` frames of width x height pixels that are red or blue, or, with 3
// `values`, transparent. The palette has exactly this number of indices.
static void encode_all_animations(uint32_t width, uint32_t height, uint32_t count,
                                  uint32_t values) {
  static const uint32_t colors[] = {0xFF0000C0, 0xFFFF0010, 0};
  uint32_t pixel_count = width * height, total = 1;
  uint32_t pixels[MAX_FRAMES][4];
  imgc_image images[MAX_FRAMES];
  for (uint32_t i = 0; i < count * pixel_count; i++) total *= values;
  for (uint32_t number = 0; number < total; number++) {
    uint32_t rest = number;
    for (uint32_t i = 0; i < count; i++) {
      images[i] = image_of(pixels[i], width, height);
      for (uint32_t k = 0; k < pixel_count; k++, rest /= values)
        pixels[i][k] = colors[rest % values];
    }
    for (uint8_t shares = 0; shares < 2; shares++) {
      imgc_gif_options options = {.max_colors = (uint16_t)values,
                                  .dither = IMGC_GIF_DITHER_FLOYD_STEINBERG,
                                  .shares_palette = shares,
                                  .frame_count = count,
                                  .repeats = true};
      imgc_output output = {0};
      imgc_report report;
      expect(encode_gif(images, &options, NULL, &output, &report) == IMGC_OK &&
                 shows(&output, images, count),
             "animation %u of %u frames of %u x %u, shared palette %d", number, count, width,
             height, shares);
      imgc_output_free(&output);
    }
  }
}

// One colour for all frames, so that no palette contains all colours of a transparent animation.
static void encode_with_few_colors(void) {
  for (uint32_t seed = 0; seed < 500; seed++) {
    uint32_t pixels[MAX_FRAMES][4], shown[MAX_FRAMES][4];
    imgc_image images[MAX_FRAMES], expected[MAX_FRAMES];
    for (uint32_t i = 0; i < MAX_FRAMES; i++) {
      images[i] = image_of(pixels[i], 2, 2);
      expected[i] = image_of(shown[i], 2, 2);
      // One opaque colour per frame, in one palette per frame: the quantised colour is the same.
      uint32_t color = 0xFF000000 | random_number() >> 8;
      for (uint32_t k = 0; k < 4; k++) pixels[i][k] = shown[i][k] = random_number() % 2 ? color : 0;
    }
    imgc_gif_options options = {.max_colors = 2, .frame_count = MAX_FRAMES};
    imgc_output output = {0};
    imgc_report report;
    expect(encode_gif(images, &options, NULL, &output, &report) == IMGC_OK &&
               shows(&output, expected, MAX_FRAMES),
           "two indices, animation %u", seed);
    imgc_output_free(&output);
  }
}

// Images with 1 to 256 colours: every code size, and more strings than the table of 4,096 codes.
static void encode_every_code_size(void) {
  enum { SIDE = 150 };
  static uint32_t pixels[SIDE * SIDE];
  imgc_image image = image_of(pixels, SIDE, SIDE);
  imgc_report report;
  for (uint32_t colors = 1; colors <= 256; colors += colors < 20 ? 1 : 59)
    for (uint32_t run = 1; run <= 64; run *= 4) {
      uint32_t color = 0;
      for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        if (i % run == 0) color = i / run < colors ? i / run : random_number() % colors;
        pixels[i] = 0xFF000000 | color << 8 | (color * 7 & 255);
      }
      imgc_gif_options options = {.max_colors = 256, .frame_count = 1};
      imgc_output output = {0};
      expect(encode_gif(&image, &options, NULL, &output, &report) == IMGC_OK, "%s", report.message);
      imgc_request request = request_for(IMGC_FORMAT_GIF, output.data, output.count);
      guarded g = guarded_create(SIDE, SIDE, 1, 0x77);
      bool equal = imgc_decode(&request, &g.target, &report) == IMGC_OK &&
                   report.warning_total == 0 && guarded_is_intact(&g);
      for (uint32_t y = 0; y < SIDE; y++)
        equal &= memcmp(guarded_row(&g, y), pixels + y * SIDE, SIDE * 4) == 0;
      expect(equal, "%u colours in runs of %u", colors, run);
      guarded_free(&g);
      imgc_output_free(&output);
    }
}

// The image sizes around the point where the table is full: one pixel more than the last one.
static void encode_to_full_table(void) {
  enum { FROM = 3830, TO = 4110 };
  static uint32_t pixels[TO];
  for (uint32_t i = 0; i < TO; i++) {
    // A sequence in which no pair of neighbours repeats early, so that each code is one pixel.
    uint32_t a = i % 254, b = i / 254;
    pixels[i] = 0xFF000000 | ((a * (b + 1) + b * 3) % 256) << 16;
  }
  for (uint32_t count = FROM; count <= TO; count++) {
    imgc_image image = image_of(pixels, count, 1);
    imgc_gif_options options = {.max_colors = 256, .frame_count = 1};
    imgc_output output = {0};
    imgc_report report;
    expect(encode_gif(&image, &options, NULL, &output, &report) == IMGC_OK, "%s", report.message);
    imgc_request request = request_for(IMGC_FORMAT_GIF, output.data, output.count);
    guarded g = guarded_create(count, 1, 1, 0x77);
    expect(imgc_decode(&request, &g.target, &report) == IMGC_OK && report.warning_total == 0 &&
               memcmp(guarded_row(&g, 0), pixels, (size_t)count * 4) == 0,
           "%u pixels", count);
    guarded_free(&g);
    imgc_output_free(&output);
  }
}

// ---------------------------------------------------------------- nearest colours

static uint8_t naive_nearest(const imgc_png_palette *palette, const int32_t color[3]) {
  uint32_t best = 0;
  int32_t least = INT32_MAX;
  for (uint32_t i = 0; i < palette->count; i++) {
    int32_t distance = 0;
    for (unsigned channel = 0; channel < 3; channel++) {
      int32_t d = (int32_t)(palette->colors[i] >> 8 * channel & 255) - color[channel];
      distance += d * d;
    }
    if (distance < least) least = distance, best = i;
  }
  return (uint8_t)best;
}

static void map_nearest_colors(void) {
  static imgc_png_palette palette;
  imgc_gif_map *map = imgc_gif_map_create();
  if (!map) exit(2);
  static const uint32_t counts[] = {1, 2, 3, 16, 255, 256};
  for (unsigned kind = 0; kind < 4; kind++)
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
      palette.count = counts[c];
      for (uint32_t i = 0; i < palette.count; i++) {
        uint32_t random = random_number();
        // Random, dark, gray, and equal colours; of equal distances the first colour wins.
        palette.colors[i] = 0xFF000000 | (kind == 0   ? random >> 8
                                          : kind == 1 ? random & 0x0F0F0F
                                          : kind == 2 ? (random & 255) * 0x10101
                                                      : random % 3 * 0x402010);
      }
      imgc_gif_map_set(map, &palette);
      uint32_t wrong = 0;
      for (int32_t red = 0; red < 256; red += 5)
        for (int32_t green = 0; green < 256; green += 5)
          for (int32_t blue = 0; blue < 256; blue += 3) {
            const int32_t color[3] = {red, green, blue};
            wrong += imgc_gif_map_nearest(map, (unsigned)red, (unsigned)green, (unsigned)blue) !=
                     naive_nearest(&palette, color);
          }
      expect(wrong == 0, "%u colours of kind %u: %u wrong", palette.count, kind, wrong);
    }
  imgc_gif_map_destroy(map);
}

// ---------------------------------------------------------------- palettes

static void make_palettes(void) {
  static uint32_t pixels[5000];
  for (uint32_t colors = 1; colors <= 300; colors += 13)
    for (uint32_t max = 1; max <= 256; max = max < 4 ? max + 1 : max * 2) {
      imgc_gif_histogram *histogram = imgc_gif_histogram_create();
      imgc_gif_palette palette;
      if (!histogram) exit(2);
      for (uint32_t i = 0; i < 5000; i++) {
        uint32_t n = i < colors ? i : random_number() % colors;
        pixels[i] =
            i % 7 == 3 && i >= colors ? IMGC_GIF_NOT_DRAWN : 0xFF000000 | n * 0x0A3B71 % 0xFFFFFF;
      }
      expect(imgc_gif_histogram_add(histogram, pixels, 2500) &&
                 imgc_gif_histogram_add(histogram, pixels + 2500, 2500) &&
                 imgc_gif_palette_make(histogram, max, &palette),
             "memory");
      expect(imgc_gif_histogram_colors(histogram) == (colors < 257 ? colors : 257),
             "%u colours counted as %u", colors, imgc_gif_histogram_colors(histogram));
      expect(palette.is_exact == (colors <= max) && palette.set.count >= 1 &&
                 palette.set.count <= max && (!palette.is_exact || palette.set.count == colors),
             "%u of %u colours, limit %u", palette.set.count, colors, max);
      bool complete = true;
      for (uint32_t i = 0; palette.is_exact && i < 5000; i++)
        complete &=
            pixels[i] == IMGC_GIF_NOT_DRAWN ||
            palette.set.colors[imgc_png_palette_index(&palette.set, pixels[i])] == pixels[i];
      expect(complete, "an exact palette of %u colours", colors);
      imgc_gif_histogram_destroy(histogram);
    }
}

// ---------------------------------------------------------------- failures

static void fail_as_specified(void) {
  enum { WIDTH = 40, HEIGHT = 37 };
  static uint8_t pixels[2][WIDTH * HEIGHT * 4];
  fill(pixels[0], sizeof pixels);
  imgc_image images[] = {image_of(pixels[0], WIDTH, HEIGHT), image_of(pixels[1], WIDTH, HEIGHT)};
  imgc_gif_options options = {
      .max_colors = 64, .dither = IMGC_GIF_DITHER_FLOYD_STEINBERG, .frame_count = 2};
  imgc_report report;
  imgc_cancel *cancel = imgc_cancel_create();
  if (!cancel) exit(2);
  imgc_output output = {0};
  expect(encode_gif(images, &options, cancel, &output, &report) == IMGC_OK, "%s", report.message);
  size_t count = output.count;
  imgc_output_free(&output);
  uint64_t polls = imgc_cancel_polls(cancel);
  imgc_cancel_destroy(cancel);
  expect(polls > 20, "%llu polls", (unsigned long long)polls);
  for (uint64_t after = 0; after < polls; after++) {
    cancel = imgc_cancel_create();
    if (!cancel) exit(2);
    imgc_cancel_after(cancel, after);
    output = (imgc_output){0};
    expect(encode_gif(images, &options, cancel, &output, &report) == IMGC_ERROR_CANCELLED,
           "cancelled after %llu polls: %d", (unsigned long long)after, report.status);
    imgc_output_free(&output);
    imgc_cancel_destroy(cancel);
  }
  for (size_t max = 1; max <= count; max += max < 900 ? 1 : 37) {
    output = (imgc_output){.max_bytes = max};
    imgc_status status = encode_gif(images, &options, NULL, &output, &report);
    expect(max >= count ? status == IMGC_OK
                        : status == IMGC_ERROR_LIMIT && strcmp(report.token, "max_bytes") == 0,
           "limit of %zu bytes: %d", max, status);
    imgc_output_free(&output);
  }
  output = (imgc_output){0};
  const imgc_gif_options invalid[] = {{.max_colors = 1, .frame_count = 1},
                                      {.max_colors = 257, .frame_count = 1},
                                      {.max_colors = 2, .frame_count = 0},
                                      {.max_colors = 2, .frame_count = 1, .dither = 3}};
  for (unsigned i = 0; i < 4; i++) {
    imgc_gif_options one = invalid[i];
    imgc_gif_encoder *encoder = imgc_gif_encoder_create(&one, NULL);
    if (!encoder) exit(2);
    expect(imgc_gif_encoder_analyze(encoder, &images[0], &report) == IMGC_ERROR_INVALID_ARGUMENT,
           "options %u: %d", i, report.status);
    expect(imgc_gif_encoder_end(encoder, &output, &report) == IMGC_ERROR_INVALID_ARGUMENT,
           "end: %d", report.status);
    imgc_gif_encoder_destroy(encoder);
  }
  images[1].height--;
  expect(encode_gif(images, &options, NULL, &output, &report) == IMGC_ERROR_INVALID_ARGUMENT,
         "frames of two sizes: %d", report.status);
  imgc_output_free(&output);

  static uint8_t line[65536 * 4];
  for (uint32_t side = 65535; side <= 65536; side++)
    for (unsigned turned = 0; turned < 2; turned++) {
      imgc_image wide = image_of(line, turned ? 1 : side, turned ? side : 1);
      imgc_gif_options still = {.max_colors = 2, .frame_count = 1};
      output = (imgc_output){0};
      imgc_status status = encode_gif(&wide, &still, NULL, &output, &report);
      expect(status == (side == 65535 ? IMGC_OK : IMGC_ERROR_UNSUPPORTED), "%u pixels: %d", side,
             status);
      imgc_output_free(&output);
    }
}

void test_gif_encoder(void) {
  encode_all_animations(2, 2, 2, 3);
  encode_all_animations(3, 1, 3, 3);
  encode_all_animations(1, 2, 4, 3);
  encode_all_animations(2, 2, 3, 2);
  encode_all_animations(3, 1, 4, 2);
  encode_with_few_colors();
  encode_every_code_size();
  encode_to_full_table();
  map_nearest_colors();
  make_palettes();
  fail_as_specified();
}
