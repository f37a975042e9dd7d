// Tests that decode files: limits, cancelling, truncation, orientation, frames.

#include "tests.h"

typedef struct sample {
  imgc_format format;
  const char *path;
} sample;

// Small files that use different code paths of each codec.
static const sample samples[] = {
    {IMGC_FORMAT_PNG, "png/filter-mixed-rgb8.png"},
    {IMGC_FORMAT_PNG, "png/gray1-width-33.png"},
    {IMGC_FORMAT_PNG, "apng/interlaced.png"},
    {IMGC_FORMAT_PNG, "apng/gray-alpha8.png"},
    {IMGC_FORMAT_JPEG, "jpeg/gray-2x2.jpg"},
    {IMGC_FORMAT_JPEG, "jpeg/size-15x31.jpg"},
    {IMGC_FORMAT_JPEG, "jpeg/arithmetic.jpg"},
    {IMGC_FORMAT_JPEG, "jpeg/progressive-dc-only.jpg"},
    {IMGC_FORMAT_GIF, "gif/interlaced-9x9.gif"},
    {IMGC_FORMAT_GIF, "gif/disposal-2-partly-outside.gif"},
    {IMGC_FORMAT_TIFF, "tiff/rgb4-le.tif"},
    {IMGC_FORMAT_TIFF, "tiff/predictor-2-3x8-le.tif"},
    {IMGC_FORMAT_TIFF, "tiff/palette4-le.tif"},
    {IMGC_FORMAT_TIFF, "tiff/ccitt-g4.tif"},
    {IMGC_FORMAT_WEBP, "webp/lossy-17x33.webp"},
    {IMGC_FORMAT_WEBP, "webp/lossy-alpha-21x19.webp"},
    {IMGC_FORMAT_WEBP, "webp/lossless-17x9.webp"},
    {IMGC_FORMAT_WEBP, "webp/lossless-palette.webp"},
    {IMGC_FORMAT_WEBP, "webp/animation-partial-first.webp"},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static imgc_header header_of(const imgc_request *request, const char *path) {
  imgc_header header;
  imgc_report report;
  expect(imgc_read_header(request, &header, &report) == IMGC_OK, "header of %s: %s", path,
         report.message);
  return header;
}

static imgc_resample_request halved(const imgc_header *header) {
  return (imgc_resample_request){.source_width = header->width,
                                 .source_height = header->height,
                                 .crop_width = header->width,
                                 .crop_height = header->height,
                                 .width = (header->width + 1) / 2,
                                 .height = (header->height + 1) / 2,
                                 .filter = IMGC_FILTER_BOX,
                                 .flags = header->has_alpha ? 0 : IMGC_RESAMPLE_OPAQUE};
}

// ---------------------------------------------------------------- limits

static uint32_t allocations, releases;
static void *count_allocation(size_t size) {
  allocations++;
  return malloc(size);
}
static void count_release(void *memory, size_t size) {
  (void)size;
  releases++;
  free(memory);
}

static void expect_limit(imgc_request request, const char *token, const char *path) {
  imgc_header header;
  imgc_report report;
  allocations = 0;
  request.memory = (imgc_memory){count_allocation, count_release};
  expect(imgc_read_header(&request, &header, &report) == IMGC_ERROR_LIMIT &&
             strcmp(report.token, token) == 0,
         "%s of %s: status %d, token %s", token, path, report.status, report.token);
  expect(allocations == 0, "%s of %s: memory was allocated", token, path);
}

// A PNG of 60,000 x 60,000 pixels in a few bytes; its checksums are wrong, which is a warning.
static void expect_bomb_is_refused(void) {
  static const uint8_t bomb[] =
      "\x89PNG\r\n\x1a\n\0\0\0\x0DIHDR\0\0\xEA\x60\0\0\xEA\x60\x08\2\0\0\0"
      "crc!\0\0\0\x02IDAT\x78\x9C"
      "crc!";
  imgc_request request = request_for(IMGC_FORMAT_PNG, bomb, sizeof bomb - 1);
  expect_limit(request, "max_pixels", "bomb");
  request.limits.max_pixels = 0;
  expect_limit(request, "max_memory", "bomb");
  request.limits.max_side = 59999;
  expect_limit(request, "max_side", "bomb");
  request.limits = (imgc_limits){0};
  imgc_header header;
  imgc_report report;
  expect(imgc_read_header(&request, &header, &report) == IMGC_OK && header.width == 60000,
         "without limits: %s", report.message);
}

void test_limits(void) {
  expect_bomb_is_refused();
  for (size_t i = 0; i < SAMPLES; i++) {
    bytes file = fixture(samples[i].path);
    imgc_request request = request_for(samples[i].format, file.data, file.size), limited = request;
    imgc_header header = header_of(&request, samples[i].path);
    uint32_t side = header.width > header.height ? header.width : header.height;
    if (side > 1) {
      limited.limits.max_side = side - 1;
      expect_limit(limited, "max_side", samples[i].path);
    }
    limited = request;
    limited.limits.max_pixels = (uint64_t)header.width * header.height - 1;
    expect_limit(limited, "max_pixels", samples[i].path);
    limited = request;
    limited.limits.max_memory = 1000;
    expect_limit(limited, "max_memory", samples[i].path);
    // The memory that is computed from the header is sufficient; one byte less is not.
    limited.limits.max_memory = (uint64_t)header.width * header.height * 4 + header.work_bytes;
    guarded g = guarded_create(header.width, header.height, 1, 0);
    imgc_report report;
    expect(imgc_decode(&limited, &g.target, &report) == IMGC_OK,
           "%s with max_memory equal to the estimate: %s", samples[i].path, report.message);
    expect(guarded_is_intact(&g), "%s: guard bytes changed", samples[i].path);
    limited.limits.max_memory--;
    expect(imgc_decode(&limited, &g.target, &report) == IMGC_ERROR_LIMIT,
           "%s with max_memory one byte below the estimate", samples[i].path);
    guarded_free(&g);
    free(file.data);
  }
  // Large scratch blocks are allocated and released with the request's functions, both in a full
  // decode and in a resampled decode.
  bytes file = fixture("demo/window.png");
  imgc_request request = request_for(IMGC_FORMAT_PNG, file.data, file.size);
  imgc_header header = header_of(&request, "demo/window.png");
  imgc_resample_request resample = halved(&header);
  guarded full = guarded_create(header.width, header.height, 1, 0);
  guarded half = guarded_create(resample.width, resample.height, 1, 0);
  imgc_report report;
  allocations = releases = 0;
  request.memory = (imgc_memory){count_allocation, count_release};
  expect(imgc_decode(&request, &full.target, &report) == IMGC_OK, "%s", report.message);
  expect(allocations > 0 && allocations == releases, "%u blocks allocated, %u released",
         allocations, releases);
  expect(imgc_decode_resampled(&request, &resample, &half.target, &report) == IMGC_OK, "%s",
         report.message);
  expect(allocations == releases, "%u blocks allocated, %u released", allocations, releases);
  guarded_free(&full);
  guarded_free(&half);
  free(file.data);
}

// ---------------------------------------------------------------- cancelling

void test_cancel(void) {
  for (size_t i = 0; i < SAMPLES; i++) {
    bytes file = fixture(samples[i].path);
    imgc_request request = request_for(samples[i].format, file.data, file.size);
    imgc_header header = header_of(&request, samples[i].path);
    guarded g = guarded_create(header.width, header.height, 1, 0);
    imgc_report report;
    request.cancel = imgc_cancel_create();
    if (!request.cancel) exit(2);
    expect(imgc_decode(&request, &g.target, &report) == IMGC_OK, "%s: %s", samples[i].path,
           report.message);
    uint64_t polls = imgc_cancel_polls(request.cancel);
    expect(polls > 0 && !imgc_cancel_is_raised(request.cancel), "%s polls", samples[i].path);
    imgc_cancel_destroy(request.cancel);
    // In each run, the decode is cancelled at another poll; the last run is not cancelled.
    for (uint64_t after = 0; after <= polls; after++) {
      request.cancel = imgc_cancel_create();
      if (!request.cancel) exit(2);
      imgc_cancel_after(request.cancel, after);
      imgc_status status = imgc_decode(&request, &g.target, &report);
      expect(status == (after < polls ? IMGC_ERROR_CANCELLED : IMGC_OK),
             "%s cancelled after %llu of %llu polls: %d", samples[i].path,
             (unsigned long long)after, (unsigned long long)polls, status);
      expect(guarded_is_intact(&g), "%s: guard bytes changed", samples[i].path);
      imgc_cancel_destroy(request.cancel);
    }
    request.cancel = imgc_cancel_create();
    if (!request.cancel) exit(2);
    imgc_cancel_set_deadline(request.cancel, 1);
    expect(imgc_decode(&request, &g.target, &report) == IMGC_ERROR_LIMIT &&
               strcmp(report.token, "deadline") == 0,
           "%s past its deadline: %d", samples[i].path, report.status);
    imgc_cancel_set_deadline(request.cancel, 0);
    expect(imgc_decode(&request, &g.target, &report) == IMGC_OK, "%s without", samples[i].path);
    imgc_cancel_raise(request.cancel);
    expect(imgc_cancel_is_raised(request.cancel) &&
               imgc_cancel_poll(request.cancel) == IMGC_ERROR_CANCELLED,
           "a raised cancel flag");
    imgc_cancel_destroy(request.cancel);
    guarded_free(&g);
    free(file.data);
  }
}

// ---------------------------------------------------------------- truncation

static void check_report(const imgc_report *report, imgc_status status, uint32_t height,
                         const char *path, size_t size) {
  bool is_known = status == IMGC_OK || status == IMGC_ERROR_TRUNCATED ||
                  status == IMGC_ERROR_MALFORMED || status == IMGC_ERROR_UNSUPPORTED ||
                  status == IMGC_ERROR_LIMIT;
  expect(is_known && status == report->status, "%s of %zu bytes: status %d", path, size, status);
  expect((status == IMGC_OK) == (report->message[0] == 0),
         "%s of %zu bytes: message and status disagree", path, size);
  expect(report->rows <= height && report->warning_count <= IMGC_MAX_WARNINGS,
         "%s of %zu bytes: %u rows", path, size, report->rows);
}

static void decode_truncated(imgc_request request, const imgc_header *header, const char *path) {
  imgc_report report;
  for (uint8_t orientation = 1; orientation <= 6; orientation += 5) {
    bool oriented = orientation >= 5;
    guarded g = guarded_create(oriented ? header->height : header->width,
                               oriented ? header->width : header->height, orientation, 0x11);
    imgc_status status = imgc_decode(&request, &g.target, &report);
    check_report(&report, status, header->height, path, request.size);
    expect(guarded_is_intact(&g), "%s of %zu bytes: guard bytes changed", path, request.size);
    guarded_free(&g);
  }
  imgc_resample_request resample = halved(header);
  guarded g = guarded_create(resample.width, resample.height, 1, 0x22);
  imgc_status status = imgc_decode_resampled(&request, &resample, &g.target, &report);
  check_report(&report, status, header->height, path, request.size);
  expect(guarded_is_intact(&g), "%s of %zu bytes, resampled: guard bytes changed", path,
         request.size);
  guarded_free(&g);
}

// Decodes every prefix of a file, in memory of exactly that size. The target has the size of the
// complete image: the decode must not write outside the target, for any data.
void test_truncation(void) {
  for (size_t i = 0; i < SAMPLES; i++) {
    bytes file = fixture(samples[i].path);
    imgc_request request = request_for(samples[i].format, file.data, file.size);
    imgc_header full = header_of(&request, samples[i].path);
    for (size_t size = 0; size <= file.size; size++) {
      uint8_t *start = malloc(size ? size : 1);
      if (!start) exit(2);
      memcpy(start, file.data, size);
      request = request_for(samples[i].format, start, size);
      imgc_header header;
      imgc_report report;
      imgc_status status = imgc_read_header(&request, &header, &report);
      check_report(&report, status, UINT32_MAX, samples[i].path, size);
      if (!status)
        expect(header.width == full.width && header.height == full.height,
               "%s of %zu bytes is %u x %u", samples[i].path, size, header.width, header.height);
      decode_truncated(request, &full, samples[i].path);
      if (size == file.size) expect(status == IMGC_OK, "%s, whole", samples[i].path);
      free(start);
    }
    free(file.data);
  }
}

// ---------------------------------------------------------------- orientation

// EXIF 2.32, tag 274: returns the stored pixel that is displayed at (x, y).
static const uint8_t *stored(const guarded *g, uint8_t orientation, uint32_t x, uint32_t y) {
  uint32_t right = g->target.width - 1, bottom = g->target.height - 1;
  uint32_t places[9][2] = {
      [1] = {x, y}, [2] = {right - x, y},  [3] = {right - x, bottom - y}, [4] = {x, bottom - y},
      [5] = {y, x}, [6] = {y, bottom - x}, [7] = {right - y, bottom - x}, [8] = {right - y, x}};
  return guarded_row(g, places[orientation][1]) + places[orientation][0] * 4;
}

void test_orientation(void) {
  for (size_t i = 0; i < SAMPLES; i++) {
    bytes file = fixture(samples[i].path);
    imgc_request request = request_for(samples[i].format, file.data, file.size);
    imgc_header header = header_of(&request, samples[i].path);
    guarded upright = guarded_create(header.width, header.height, 1, 0x33);
    imgc_report report;
    expect(imgc_decode(&request, &upright.target, &report) == IMGC_OK, "%s", samples[i].path);
    for (uint8_t orientation = 1; orientation <= 8; orientation++) {
      bool swaps = orientation >= 5;
      guarded g = guarded_create(swaps ? header.height : header.width,
                                 swaps ? header.width : header.height, orientation, 0x44);
      guarded oriented = guarded_create(g.target.width, g.target.height, orientation, 0x55);
      expect(imgc_decode(&request, &g.target, &report) == IMGC_OK, "%s", samples[i].path);
      expect(imgc_orient(&upright.target, &oriented.target), "%s oriented", samples[i].path);
      bool equal = true;
      for (uint32_t y = 0; y < g.target.height; y++)
        for (uint32_t x = 0; x < g.target.width; x++) {
          const uint8_t *wanted = stored(&upright, orientation, x, y);
          equal &= memcmp(guarded_row(&g, y) + x * 4, wanted, 4) == 0 &&
                   memcmp(guarded_row(&oriented, y) + x * 4, wanted, 4) == 0;
        }
      expect(equal, "%s, orientation %d", samples[i].path, orientation);
      expect(guarded_is_intact(&g) && guarded_is_intact(&oriented), "%s: guard bytes changed",
             samples[i].path);
      guarded_free(&g);
      guarded_free(&oriented);
    }
    guarded_free(&upright);
    free(file.data);
  }
}

// ---------------------------------------------------------------- frames

void test_frames(void) {
  static const struct {
    sample file;
    uint32_t frames;
  } animations[] = {
      {{IMGC_FORMAT_GIF, "gif/disposal-2-partly-outside.gif"}, 3},
      {{IMGC_FORMAT_GIF, "gif/interlaced-frames.gif"}, 2},
      {{IMGC_FORMAT_GIF, "gif/frames-40.gif"}, 40},
      {{IMGC_FORMAT_PNG, "apng/rgb8.png"}, 2},
      {{IMGC_FORMAT_PNG, "apng/no-actl.png"}, 1},
      {{IMGC_FORMAT_WEBP, "webp/blend-cr--.webp"}, 3},
      {{IMGC_FORMAT_WEBP, "webp/animation-mixed.webp"}, 4},
      {{IMGC_FORMAT_WEBP, "webp/lossy-1x1.webp"}, 1},
      {{IMGC_FORMAT_JPEG, "jpeg/gray.jpg"}, 0},
      {{IMGC_FORMAT_TIFF, "tiff/gray8-le.tif"}, 0},
  };
  for (size_t i = 0; i < sizeof animations / sizeof *animations; i++) {
    const sample *s = &animations[i].file;
    bytes file = fixture(s->path);
    imgc_request request = request_for(s->format, file.data, file.size);
    request.flags = IMGC_COUNT_FRAMES;
    imgc_header header = header_of(&request, s->path);
    guarded canvas = guarded_create(header.width, header.height, 1, 0);
    imgc_frame frame = {0};
    imgc_report report;
    uint32_t count = 0;
    while (imgc_next_frame(&request, &frame, &report) == IMGC_OK) {
      expect(frame.number == ++count && frame.delay_denominator > 0, "%s, frame %u", s->path,
             frame.number);
      expect(imgc_draw_frame(&request, &frame, &canvas.target, &report) == IMGC_OK,
             "%s, drawing frame %u: %s", s->path, count, report.message);
      expect(guarded_is_intact(&canvas), "%s, frame %u: guard bytes changed", s->path, count);
    }
    expect(report.status == IMGC_OK &&
               imgc_next_frame(&request, &frame, &report) == IMGC_END_OF_FRAMES,
           "%s, past the end", s->path);
    expect(count == animations[i].frames, "%s has %u frames", s->path, count);
    canvas.target.orientation = 6;
    expect(imgc_draw_frame(&request, &frame, &canvas.target, &report) ==
               IMGC_ERROR_INVALID_ARGUMENT,
           "%s on an oriented canvas", s->path);
    guarded_free(&canvas);
    free(file.data);
  }
}
