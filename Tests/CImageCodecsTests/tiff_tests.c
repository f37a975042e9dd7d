// Tests of TIFF: failed allocations of large blocks, and the limits of metadata.

#include "tests.h"

// ---------------------------------------------------------------- a file of PackBits rows

enum { WIDTH = 1024, HEIGHT = 1100, ROW_BYTES = WIDTH / 128 * 129, ENTRIES = 10 };

static uint8_t *put(uint8_t *p, uint32_t value, unsigned count) {
  for (unsigned i = 0; i < count; i++) *p++ = (uint8_t)(value >> 8 * i);
  return p;
}

static uint8_t *put_entry(uint8_t *p, uint16_t tag, uint16_t type, uint32_t value) {
  p = put(put(p, tag, 2), type, 2);
  return put(put(p, 1, 4), value, 4);
}

static uint8_t reversed_bits(uint8_t byte) {
  uint8_t bits = 0;
  for (int i = 0; i < 8; i++) bits |= (uint8_t)((byte >> i & 1) << (7 - i));
  return bits;
}

static uint8_t sample_at(uint32_t x, uint32_t y) { return (uint8_t)(x * 7 + y * 13); }

// A gray image in one strip of more than 1 MiB, with FillOrder 2: libtiff reverses the bits of the
// input in place, so the decoder copies the input.
static bytes reversed_file(void) {
  uint32_t strip = 8 + 2 + ENTRIES * 12 + 4, strip_bytes = ROW_BYTES * HEIGHT;
  bytes file = {malloc(strip + strip_bytes), strip + strip_bytes};
  if (!file.data) exit(2);
  uint8_t *p = put(file.data, 0x2A4949, 4);
  p = put(put(p, 8, 4), ENTRIES, 2);
  p = put_entry(p, 256, 4, WIDTH);
  p = put_entry(p, 257, 4, HEIGHT);
  p = put_entry(p, 258, 3, 8);
  p = put_entry(p, 259, 3, 32773); // PackBits
  p = put_entry(p, 262, 3, 1);     // BlackIsZero
  p = put_entry(p, 266, 3, 2);     // FillOrder
  p = put_entry(p, 273, 4, strip);
  p = put_entry(p, 277, 3, 1);
  p = put_entry(p, 278, 4, HEIGHT);
  p = put_entry(p, 279, 4, strip_bytes);
  p = put(p, 0, 4);
  for (uint32_t y = 0; y < HEIGHT; y++)
    for (uint32_t x = 0; x < WIDTH; x++) {
      if (x % 128 == 0) *p++ = reversed_bits(127); // a run of 128 literal bytes
      *p++ = reversed_bits(sample_at(x, y));
    }
  return file;
}

// ---------------------------------------------------------------- allocations

static uint32_t allocations, releases, failing;

static void *allocate_or_fail(size_t size) {
  if (allocations == failing) return NULL;
  allocations++;
  return malloc(size);
}

static void release(void *memory, size_t size) {
  (void)size;
  releases++;
  free(memory);
}

void test_tiff_memory(void) {
  bytes file = reversed_file();
  imgc_request request = request_for(IMGC_FORMAT_TIFF, file.data, file.size);
  request.memory = (imgc_memory){allocate_or_fail, release};
  guarded g = guarded_create(WIDTH, HEIGHT, 1, 0);
  imgc_report report;
  allocations = releases = 0, failing = UINT32_MAX;
  expect(imgc_decode(&request, &g.target, &report) == IMGC_OK && report.rows == HEIGHT, "%s",
         report.message);
  bool is_equal = true;
  for (uint32_t y = 0; y < HEIGHT; y++)
    for (uint32_t x = 0; x < WIDTH; x++) is_equal &= guarded_row(&g, y)[x * 4] == sample_at(x, y);
  expect(is_equal, "samples of a file with FillOrder 2");
  // The samples of the strip, and the copy of its input.
  uint32_t count = allocations;
  expect(count == 2 && releases == count, "%u blocks allocated, %u released", count, releases);
  for (failing = 0; failing < count; failing++) {
    allocations = releases = 0;
    imgc_status status = imgc_decode(&request, &g.target, &report);
    expect(status == IMGC_ERROR_OUT_OF_MEMORY, "allocation %u fails: status %d, %s", failing,
           status, report.message);
    expect(allocations == releases, "%u blocks allocated, %u released", allocations, releases);
    expect(guarded_is_intact(&g), "allocation %u fails: guard bytes changed", failing);
  }
  guarded_free(&g);
  free(file.data);
}

// ---------------------------------------------------------------- metadata

static void expect_profile(imgc_request request, uint64_t item, uint64_t total, uint64_t size,
                           const char *path) {
  imgc_header header;
  imgc_report report;
  request.limits.max_metadata_item = item;
  request.limits.max_metadata_total = total;
  expect(imgc_read_header(&request, &header, &report) == IMGC_OK && header.icc_size == size,
         "%s, limits %llu and %llu: a profile of %llu bytes", path, (unsigned long long)item,
         (unsigned long long)total, (unsigned long long)header.icc_size);
  bool is_ignored = false;
  for (uint32_t i = 0; i < report.warning_count; i++)
    is_ignored |= report.warnings[i] == IMGC_WARN_PROFILE_IGNORED ||
                  report.warnings[i] == IMGC_WARN_METADATA_IGNORED;
  expect(is_ignored == (size == 0), "%s, limits %llu and %llu: warning", path,
         (unsigned long long)item, (unsigned long long)total);
}

void test_metadata_limits(void) {
  static const struct {
    imgc_format format;
    const char *path;
  } files[] = {{IMGC_FORMAT_TIFF, "tiff/rgb8-icc.tif"},
               {IMGC_FORMAT_TIFF, "tiff/gray8-icc.tif"},
               {IMGC_FORMAT_TIFF, "tiff/cmyk8-icc.tif"},
               {IMGC_FORMAT_PNG, "png/iccp-p3.png"}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    bytes file = fixture(files[i].path);
    imgc_request request = request_for(files[i].format, file.data, file.size);
    imgc_header header;
    imgc_report report;
    expect(imgc_read_header(&request, &header, &report) == IMGC_OK, "%s", report.message);
    uint64_t size = header.icc_size;
    expect(size > 0, "%s has a profile", files[i].path);
    expect_profile(request, 0, 0, size, files[i].path);
    expect_profile(request, size, size, size, files[i].path);
    expect_profile(request, size - 1, 0, 0, files[i].path);
    expect_profile(request, 0, size - 1, 0, files[i].path);
    expect_profile(request, size, size - 1, 0, files[i].path);
    free(file.data);
  }
}
