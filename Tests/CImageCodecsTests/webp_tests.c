// Tests of the ring and the windows of webp_draw.c, and of the test for opaque codes: the tests are
// compiled with a ring of a few rows, and read the codes of small images too.

#include "tests.h"
#include "webp/webp_opaque.h"

#include <webp/decode.h>

// Loop filters, which change rows above a macroblock; flat images, of which one piece of data
// contains many rows; alpha; lossless transforms; heights that are no multiple of a macroblock.
static const char *const paths[] = {
    "webp/lossy-no-filter.webp",
    "webp/lossy-simple-filter.webp",
    "webp/lossy-strong-filter.webp",
    "webp/lossy-quality-0.webp",
    "webp/lossy-quality-100.webp",
    "webp/lossy-flat.webp",
    "webp/lossy-1x40.webp",
    "webp/lossy-17x33.webp",
    "webp/lossy-alpha-none.webp",
    "webp/lossy-alpha-best.webp",
    "webp/lossy-alpha-quality-20.webp",
    "webp/lossless-flat.webp",
    "webp/lossless-soft.webp",
    "webp/lossless-palette.webp",
    "webp/lossless-17x9.webp",
    "webp/lossy-1x1.webp",
};
enum { PATHS = sizeof paths / sizeof *paths };

static imgc_header header_of(const imgc_request *request, const char *path) {
  imgc_header header;
  imgc_report report;
  expect(imgc_read_header(request, &header, &report) == IMGC_OK, "header of %s: %s", path,
         report.message);
  return header;
}

static bool has_equal_rows(const guarded *a, const guarded *b, uint32_t rows) {
  for (uint32_t y = 0; y < rows; y++)
    if (memcmp(guarded_row(a, y), guarded_row(b, y), (size_t)a->target.width * 4) != 0)
      return false;
  return true;
}

// A resampling to the same size with the nearest pixel copies the rows that the codec pushes.
static imgc_resample_request copied(const imgc_header *header) {
  return (imgc_resample_request){.source_width = header->width,
                                 .source_height = header->height,
                                 .crop_width = header->width,
                                 .crop_height = header->height,
                                 .width = header->width,
                                 .height = header->height,
                                 .filter = IMGC_FILTER_NEAREST};
}

void test_webp_rows(void) {
  for (size_t i = 0; i < PATHS; i++) {
    bytes file = fixture(paths[i]);
    imgc_request request = request_for(IMGC_FORMAT_WEBP, file.data, file.size);
    imgc_header header = header_of(&request, paths[i]);
    imgc_resample_request copy = copied(&header);
    guarded direct = guarded_create(header.width, header.height, 1, 0x11);
    guarded pushed = guarded_create(header.width, header.height, 1, 0x22);
    imgc_report report;
    expect(imgc_decode(&request, &direct.target, &report) == IMGC_OK &&
               report.rows == header.height,
           "%s: %s", paths[i], report.message);
    expect(imgc_decode_resampled(&request, &copy, &pushed.target, &report) == IMGC_OK,
           "%s, pushed rows: %s", paths[i], report.message);
    expect(has_equal_rows(&direct, &pushed, header.height), "%s: pushed rows differ", paths[i]);

    // Every poll of a decode with pushed rows can cancel it.
    request.cancel = imgc_cancel_create();
    if (!request.cancel) exit(2);
    imgc_decode_resampled(&request, &copy, &pushed.target, &report);
    uint64_t polls = imgc_cancel_polls(request.cancel);
    imgc_cancel_destroy(request.cancel);
    for (uint64_t after = 0; after < polls; after++) {
      request.cancel = imgc_cancel_create();
      if (!request.cancel) exit(2);
      imgc_cancel_after(request.cancel, after);
      expect(imgc_decode_resampled(&request, &copy, &pushed.target, &report) ==
                 IMGC_ERROR_CANCELLED,
             "%s cancelled after %llu of %llu polls", paths[i], (unsigned long long)after,
             (unsigned long long)polls);
      imgc_cancel_destroy(request.cancel);
    }
    expect(guarded_is_intact(&direct) && guarded_is_intact(&pushed), "%s: guard bytes", paths[i]);
    guarded_free(&direct);
    guarded_free(&pushed);
    free(file.data);
  }
}

static bool is_transparent(const guarded *g, uint32_t first) {
  for (uint32_t y = first; y < g->target.height; y++)
    for (uint32_t x = 0; x < g->target.width * 4; x++)
      if (guarded_row(g, y)[x] != 0) return false;
  return true;
}

// The rows of every prefix of a file are those of the complete image; the other rows are clear.
void test_webp_truncation(void) {
  for (size_t i = 0; i < PATHS; i++) {
    bytes file = fixture(paths[i]);
    imgc_request request = request_for(IMGC_FORMAT_WEBP, file.data, file.size);
    imgc_header header = header_of(&request, paths[i]);
    imgc_resample_request copy = copied(&header);
    guarded whole = guarded_create(header.width, header.height, 1, 0x11);
    guarded part = guarded_create(header.width, header.height, 1, 0x22);
    imgc_report report;
    expect(imgc_decode(&request, &whole.target, &report) == IMGC_OK, "%s", paths[i]);
    uint32_t rows = 0;
    for (size_t size = 12; size < file.size; size++) {
      request.size = size;
      for (int pushes = 0; pushes < 2; pushes++) {
        imgc_status status = pushes ? imgc_decode_resampled(&request, &copy, &part.target, &report)
                                    : imgc_decode(&request, &part.target, &report);
        if (status) {
          expect(status == IMGC_ERROR_TRUNCATED && rows == 0, "%s of %zu bytes: %s", paths[i], size,
                 report.message);
          continue;
        }
        bool is_complete = !report.truncated && !report.corrupt;
        expect(!report.corrupt && report.rows >= rows &&
                   (!is_complete || report.rows == header.height),
               "%s of %zu bytes: %u rows after %u", paths[i], size, report.rows, rows);
        expect(has_equal_rows(&whole, &part, report.rows) && is_transparent(&part, report.rows),
               "%s of %zu bytes: %u rows differ", paths[i], size, report.rows);
        rows = report.rows;
      }
    }
    guarded_free(&whole);
    guarded_free(&part);
    free(file.data);
  }
}

// ---------------------------------------------------------------- opaque codes

typedef struct opaque_counts {
  uint32_t opaque, unknown;
} opaque_counts;

// An image whose codes are opaque has no other pixels in libwebp's decoder.
static void check_opaque(const bytes *file, const char *path, size_t bit, opaque_counts *counts) {
  imgc_request request = request_for(IMGC_FORMAT_WEBP, file->data, file->size);
  imgc_report report = {0};
  imgc_webp webp;
  if (imgc_webp_scan(&request, &webp, &report) || !webp.image.is_lossless) return;
  // libwebp allocates the pixels of a size that a changed bit has made large.
  if ((uint64_t)webp.width * webp.height > 1 << 16) return;
  if (!imgc_webp_is_opaque(&request, &webp.image, &report)) {
    counts->unknown++;
    return;
  }
  int width, height;
  uint8_t *pixels = WebPDecodeRGBA(file->data, file->size, &width, &height);
  if (!pixels) return;
  counts->opaque++;
  bool is_opaque = true;
  for (size_t i = 0; i < (size_t)width * (size_t)height; i++) is_opaque &= pixels[i * 4 + 3] == 255;
  expect(is_opaque, "%s with bit %zu changed is not opaque", path, bit);
  WebPFree(pixels);
}

// Changed bits lead to indices after the palette, to colour cache codes without a pixel, to other
// alpha values and to other transforms.
void test_webp_opaque(void) {
  static const char *const opaque[] = {"webp/lossless-palette.webp", "webp/lossless-flat.webp",
                                       "webp/lossless-soft.webp"};
  static const char *const unknown[] = {"webp/lossless-17x9.webp", "webp/lossless-3x2.webp"};
  opaque_counts counts = {0}, none = {0};
  for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++) {
    bytes file = fixture(opaque[i]);
    opaque_counts whole = {0};
    check_opaque(&file, opaque[i], 0, &whole);
    expect(whole.opaque == 1, "%s is opaque", opaque[i]);
    // The header, the transforms and the codes are at the start.
    for (size_t bit = 0; bit < file.size * 8 && bit < 4096; bit++) {
      file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
      check_opaque(&file, opaque[i], bit, &counts);
      file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(file.data);
  }
  expect(counts.opaque > 500 && counts.unknown > 500, "%u opaque, %u unknown", counts.opaque,
         counts.unknown);
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    bytes file = fixture(unknown[i]);
    check_opaque(&file, unknown[i], 0, &none);
    free(file.data);
  }
  expect(none.opaque == 0 && none.unknown == 2, "images with alpha are not opaque");
}
