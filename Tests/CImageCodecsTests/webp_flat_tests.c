// Tests of the decoder for flat lossless images against libwebp: its pixels are equal, and it
// decodes no damaged file. The tests are compiled so that small images are decoded by it.

#include "tests.h"
#include "webp/webp_flat.h"

#include <webp/decode.h>
#include <webp/encode.h>

enum { WIDTH = 256, HEIGHT = 240 };

typedef struct art {
  int method; // of the encoder; with 3 the image has several groups of codes
  int shapes;
  int size; // most columns and rows of a shape
  bool has_alpha;
} art;

static uint32_t next_random(uint32_t *seed) {
  *seed = *seed * 1664525 + 1013904223;
  return *seed >> 8;
}

// Encodes rectangles in four quarters with colours of their own, too many for a palette.
static bytes encode_art(const art *a) {
  static uint32_t argb[HEIGHT][WIDTH];
  for (int i = 0; i < WIDTH * HEIGHT; i++) argb[i / WIDTH][i % WIDTH] = 0xfffafafa;
  uint32_t seed = 1;
  for (int i = 0; i < a->shapes; i++) {
    uint32_t quarter = (uint32_t)i % 4, most = (uint32_t)a->size;
    uint32_t columns = 1 + next_random(&seed) % most, rows = 1 + next_random(&seed) % most;
    uint32_t x = quarter % 2 * (WIDTH / 2) + next_random(&seed) % (WIDTH / 2 - columns);
    uint32_t y = quarter / 2 * (HEIGHT / 2) + next_random(&seed) % (HEIGHT / 2 - rows);
    uint32_t color = (next_random(&seed) % 96 * 4 + quarter) * 2654435761u;
    if (!a->has_alpha) color |= 0xff000000;
    for (uint32_t at = 0; at < columns * rows; at++)
      argb[y + at / columns][x + at % columns] = color;
  }
  WebPConfig config;
  WebPPicture picture;
  WebPMemoryWriter writer;
  bool is_valid = WebPConfigInit(&config) && WebPPictureInit(&picture);
  config.lossless = config.exact = 1;
  config.quality = 100;
  config.method = a->method;
  WebPMemoryWriterInit(&writer);
  picture.width = WIDTH;
  picture.height = HEIGHT;
  picture.use_argb = 1;
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  is_valid = is_valid && WebPPictureAlloc(&picture);
  for (int y = 0; y < HEIGHT && is_valid; y++)
    memcpy(picture.argb + y * picture.argb_stride, argb[y], sizeof argb[y]);
  is_valid = is_valid && WebPEncode(&config, &picture);
  expect(is_valid, "WebPEncode fails with error %d", picture.error_code);
  bytes file = {malloc(writer.size), writer.size};
  memcpy(file.data, writer.mem, writer.size);
  WebPMemoryWriterClear(&writer);
  WebPPictureFree(&picture);
  return file;
}

typedef struct flat_counts {
  uint32_t flat;
  uint32_t damaged;     // not flat, and libwebp fails
  uint32_t transparent; // not flat, and libwebp decodes pixels with another alpha than 255
} flat_counts;

static void check_flat(const bytes *file, const art *a, size_t bit, flat_counts *counts) {
  static uint8_t pixels[WIDTH * HEIGHT * 4], reference[WIDTH * HEIGHT * 4];
  imgc_request request = request_for(IMGC_FORMAT_WEBP, file->data, file->size);
  imgc_report report = {0};
  imgc_webp webp;
  if (imgc_webp_scan(&request, &webp, &report) || !webp.image.is_lossless) return;
  if (webp.width != WIDTH || webp.height != HEIGHT) return;
  bool is_flat = imgc_webp_draw_flat(&request, &webp.image, pixels, &report);
  // Without the container, whose size can be changed too.
  bool is_valid = WebPDecodeRGBAInto(file->data + webp.image.offset, webp.image.size, reference,
                                     sizeof reference, WIDTH * 4);
  bool is_opaque = true;
  for (size_t i = 3; i < sizeof reference && is_valid; i += 4) is_opaque &= reference[i] == 255;
  counts->flat += is_flat;
  counts->damaged += !is_flat && !is_valid;
  counts->transparent += !is_flat && is_valid && !is_opaque;
  if (!is_flat) return;
  expect(is_valid, "method %d, bit %zu: libwebp does not decode the image", a->method, bit);
  expect(!is_valid || memcmp(pixels, reference, sizeof pixels) == 0,
         "method %d, bit %zu: pixels differ", a->method, bit);
}

// Changed bits lead to other codes, groups and distances, to empty entries of the colour cache, and
// to the end of the data.
void test_webp_flat(void) {
  static const art arts[] = {
      {3, 4000, 9, false}, {6, 900, 30, false}, {3, 900, 9, true}, {6, 4000, 5, true}};
  flat_counts counts = {0};
  for (size_t i = 0; i < sizeof arts / sizeof *arts; i++) {
    bytes file = encode_art(&arts[i]);
    flat_counts whole = {0};
    check_flat(&file, &arts[i], 0, &whole);
    expect(whole.flat == 1, "image %zu is decoded as a flat image", i);
    for (size_t bit = 0; bit < file.size * 8; bit += 37) {
      file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
      check_flat(&file, &arts[i], bit, &counts);
      file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(file.data);
  }
  expect(counts.flat > 500 && counts.damaged > 500 && counts.transparent > 50,
         "%u flat, %u damaged, %u transparent", counts.flat, counts.damaged, counts.transparent);
}
