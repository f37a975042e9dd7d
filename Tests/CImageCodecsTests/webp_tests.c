// Tests of the ring and the windows of webp_draw.c: the tests are compiled with a ring of a few
// rows.

#include "tests.h"

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
