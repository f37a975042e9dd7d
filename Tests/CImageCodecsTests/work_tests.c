// Tests of the work budget: estimates of all formats, refusal at every limit, and the frames of an
// animation.

#include "core/limits.h"
#include "tests.h"
#include "webp/webp_container.h"
#include "webp/webp_stream.h"

static const struct {
  imgc_format format;
  const char *path;
} samples[] = {
    {IMGC_FORMAT_PNG, "png/filter-mixed-rgb8.png"},
    {IMGC_FORMAT_PNG, "apng/interlaced.png"},
    {IMGC_FORMAT_JPEG, "jpeg/size-15x31.jpg"},
    {IMGC_FORMAT_JPEG, "jpeg/progressive-dc-only.jpg"},
    {IMGC_FORMAT_GIF, "gif/disposal-mixed.gif"},
    {IMGC_FORMAT_TIFF, "tiff/ccitt-g4.tif"},
    {IMGC_FORMAT_TIFF, "tiff/predictor-2-3x8-le.tif"},
    {IMGC_FORMAT_WEBP, "webp/lossy-alpha-21x19.webp"},
    {IMGC_FORMAT_WEBP, "webp/lossless-palette.webp"},
    {IMGC_FORMAT_WEBP, "webp/animation.webp"},
};

// Reads the header, decodes the still image and draws all frames. Returns the status of the first
// call that fails.
static imgc_status decode_all(const imgc_request *request, imgc_report *report) {
  imgc_header header;
  imgc_request counting = *request;
  counting.flags |= IMGC_COUNT_FRAMES;
  if (imgc_read_header(&counting, &header, report)) return report->status;
  guarded image = guarded_create(header.width, header.height, 1, 0);
  imgc_frame frame = {0};
  imgc_status status = imgc_decode(request, &image.target, report);
  while (!status && !(status = imgc_next_frame(request, &frame, report)))
    status = imgc_draw_frame(request, &frame, &image.target, report);
  expect(guarded_is_intact(&image), "bytes outside the image were written");
  guarded_free(&image);
  return status == IMGC_END_OF_FRAMES || request->format == IMGC_FORMAT_TIFF ? report->status
                                                                             : status;
}

void test_work(void) {
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
    bytes file = fixture(samples[i].path);
    imgc_request request = request_for(samples[i].format, file.data, file.size);
    imgc_report report;
    imgc_work work = {0}, again = {0};
    request.work = &work;
    request.limits.max_work = UINT64_MAX; // without a limit, less is counted
    expect(decode_all(&request, &report) == IMGC_OK, "%s: %s", samples[i].path, report.message);
    expect(work.units > 0, "%s: no work", samples[i].path);
    request.work = &again;
    decode_all(&request, &report);
    expect(again.units == work.units, "%s: the work is not the same again", samples[i].path);

    // Every smaller limit fails, with its name; a later call for the file fails too.
    uint64_t step = work.units / 200 + 1;
    for (uint64_t limit = 1; limit < work.units; limit += step) {
      imgc_work limited = {0};
      request.work = &limited;
      request.limits.max_work = limit;
      imgc_status status = decode_all(&request, &report);
      expect(status == IMGC_ERROR_LIMIT && strcmp(report.token, "max_work") == 0,
             "%s: limit %llu of %llu: %d %s", samples[i].path, (unsigned long long)limit,
             (unsigned long long)work.units, status, report.message);
      expect(decode_all(&request, &report) == IMGC_ERROR_LIMIT, "%s: decoded after the limit",
             samples[i].path);
    }
    // The work, with the prefix codes of a lossless WebP, which are counted only near the limit.
    imgc_work exact = {0};
    request.work = &exact;
    request.limits.max_work = work.units + work.not_counted;
    expect(decode_all(&request, &report) == IMGC_OK, "%s: %s", samples[i].path, report.message);
    // Without an object for the work, the limit does not apply.
    request.work = NULL;
    request.limits.max_work = 1;
    expect(decode_all(&request, &report) == IMGC_OK, "%s: %s", samples[i].path, report.message);
    free(file.data);
  }
}

void test_work_sum(void) {
  imgc_work work = {.units = UINT64_MAX - 10};
  imgc_request request = {.work = &work};
  imgc_report report = {0};
  expect(imgc_charge(&request, 5, &report) == IMGC_OK, "no limit");
  expect(imgc_charge(&request, UINT64_MAX, NULL) == IMGC_OK && work.units == UINT64_MAX,
         "the sum is not clamped");
  request.limits.max_work = UINT64_MAX - 1;
  expect(imgc_charge(&request, 0, NULL) == IMGC_ERROR_LIMIT, "without a report");
  expect(imgc_charge(&request, 0, &report) == IMGC_ERROR_LIMIT, "with a report");
}

void test_work_fits(void) {
  imgc_work work = {.units = 10};
  imgc_request request = {.work = &work};
  expect(imgc_work_fits(&request, UINT64_MAX) && work.not_counted == 0, "without a limit");
  request.limits.max_work = 100;
  expect(imgc_work_fits(&request, 60) && work.not_counted == 60, "within the limit");
  expect(!imgc_work_fits(&request, 31) && work.not_counted == 60, "above the limit");
  expect(!imgc_work_fits(&request, UINT64_MAX), "overflow");
  expect(imgc_work_fits(&request, 30) && work.not_counted == 90, "at the limit");
  expect(imgc_charge(&request, 90, NULL) == IMGC_OK, "what is not counted does not count");
}

// Bits, the least significant bit of a byte first.
typedef struct writer {
  uint8_t bytes[256];
  unsigned count;
} writer;

static void put(writer *w, uint32_t value, unsigned bits) {
  for (unsigned i = 0; i < bits; i++, w->count++)
    w->bytes[w->count / 8] |= (uint8_t)((value >> i & 1) << (w->count % 8));
}

// The prefix codes of an image whose samples have one value each, and no colour cache. A code of
// one symbol takes no bits (RFC 9649, section 3.7.2.1); `green` may be a length of a copy.
static void put_constant(writer *w, uint32_t green) {
  put(w, 0, 1);
  if (green < 256) {
    put(w, 1, 1), put(w, 0, 1), put(w, 1, 1), put(w, green, 8);
  } else {
    // One code length, 1, for the symbol 256: 256 zeros (138 + 118), then a 1.
    put(w, 0, 1), put(w, 14, 4);
    for (unsigned i = 0; i < 18; i++) put(w, i == 2 || i == 17 ? 1 : 0, 3);
    put(w, 1, 1), put(w, 0, 3), put(w, 1, 2);
    put(w, 1, 1), put(w, 127, 7), put(w, 1, 1), put(w, 107, 7), put(w, 0, 1);
  }
  for (int i = 0; i < 4; i++) put(w, 1, 4); // one symbol, 0
}

// The images before the main image of a lossless stream have up to 16 million samples that take no
// data. They are not read one by one.
void test_webp_constant_images(void) {
  for (uint32_t green = 0; green <= 256; green += 64) {
    writer w = {0};
    put(&w, 0x2F, 8), put(&w, 16383, 14), put(&w, 16383, 14), put(&w, 0, 4);
    put(&w, 1, 1), put(&w, 0, 2), put(&w, 0, 3); // predictor transform
    put_constant(&w, green);
    put(&w, 1, 1), put(&w, 1, 2), put(&w, 0, 3); // colour transform
    put_constant(&w, green);
    put(&w, 0, 1), put(&w, 0, 1), put(&w, 1, 1), put(&w, 0, 3); // entropy image
    put_constant(&w, green);
    uint8_t chunk[8 + sizeof w.bytes] = "VP8L";
    uint32_t size = w.count / 8 + 1;
    for (int i = 0; i < 4; i++) chunk[4 + i] = (uint8_t)(size >> 8 * i);
    memcpy(chunk + 8, w.bytes, sizeof w.bytes);
    imgc_request request = request_for(IMGC_FORMAT_WEBP, chunk, size + 8);
    imgc_webp_image image = {
        .size = size + 8, .is_found = true, .is_lossless = true, .width = 16384, .height = 16384};
    imgc_report report = {0};
    imgc_webp_stream stream;
    expect(imgc_webp_stream_open(&stream, &request, &image, &report), "open");
    bool is_valid = imgc_webp_stream_read_header(&stream);
    expect(is_valid == (green < 256), "green %u: %s", green, is_valid ? "valid" : "invalid");
    expect(stream.symbols <= 4, "green %u: %llu symbols were read", green,
           (unsigned long long)stream.symbols);
    expect(!is_valid || (stream.groups == green + 1 && stream.used == 1), "%u groups, %u used",
           stream.groups, stream.used);
  }
}
