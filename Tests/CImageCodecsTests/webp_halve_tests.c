// Tests of lossy WebP images at half the size, against a model that converts one pixel at a time.

#include "tests.h"
#include "webp/webp_halve.h"

#include <webp/decode.h>

// ---------------------------------------------------------------- the model

static uint8_t clamped(int value) {
  return (uint8_t)(value < 0 ? 0 : value >= 256 << 6 ? 255 : value >> 6);
}

// BT.601 with a limited range, as in libwebp; `luma` is the sum of four samples.
static void model_pixel(uint8_t *pixel, int luma, int u, int v) {
  int y = luma * 19077 >> 10;
  pixel[0] = clamped(y + (v * 26149 >> 8) - 14234);
  pixel[1] = clamped(y - (u * 6419 >> 8) - (v * 13320 >> 8) + 8708);
  pixel[2] = clamped(y + (u * 33050 >> 8) - 17685);
  pixel[3] = 255;
}

static void model_row(uint8_t *dst, const imgc_webp_row_pair *rows, size_t width) {
  for (size_t x = 0; x < (width + 1) / 2; x++) {
    size_t left = x * 2, right = left + 1 < width ? left + 1 : left;
    int luma =
        rows->luma[0][left] + rows->luma[0][right] + rows->luma[1][left] + rows->luma[1][right];
    model_pixel(dst + x * 4, luma, rows->u[x], rows->v[x]);
  }
}

// ---------------------------------------------------------------- rows

// Copies, so that a read after the samples is detected.
static uint8_t *random_samples(size_t count, bool is_extreme) {
  uint8_t *samples = malloc(count);
  if (!samples) exit(2);
  fill(samples, count);
  for (size_t i = 0; is_extreme && i < count; i++) samples[i] = samples[i] & 1 ? 255 : 0;
  return samples;
}

void test_webp_halved_rows(void) {
  for (size_t width = 1; width < 100; width++) {
    for (int round = 0; round < 20; round++) {
      size_t count = (width + 1) / 2;
      bool is_extreme = round % 2;
      uint8_t *samples[4] = {random_samples(width, is_extreme), random_samples(width, is_extreme),
                             random_samples(count, is_extreme), random_samples(count, is_extreme)};
      imgc_webp_row_pair rows = {{samples[0], samples[1]}, samples[2], samples[3]};
      guarded expected = guarded_create((uint32_t)count, 1, 1, 0x11);
      guarded result = guarded_create((uint32_t)count, 1, 1, 0x22);
      model_row(guarded_row(&expected, 0), &rows, width);
      imgc_webp_halve(guarded_row(&result, 0), &rows, width);
      expect(memcmp(guarded_row(&expected, 0), guarded_row(&result, 0), count * 4) == 0 &&
                 guarded_is_intact(&result),
             "a halved row of %zu pixels differs", width);
      guarded_free(&expected);
      guarded_free(&result);
      for (int i = 0; i < 4; i++) free(samples[i]);
    }
  }
}

// ---------------------------------------------------------------- images

// Loop filters, which change rows above a macroblock; flat images, of which one piece of data
// contains many rows; odd sizes.
static const char *const paths[] = {
    "webp/lossy-no-filter.webp", "webp/lossy-simple-filter.webp", "webp/lossy-strong-filter.webp",
    "webp/lossy-quality-0.webp", "webp/lossy-quality-100.webp",   "webp/lossy-flat.webp",
    "webp/lossy-1x40.webp",      "webp/lossy-17x33.webp",         "webp/lossy-1x1.webp",
};
enum { PATHS = sizeof paths / sizeof *paths };

static imgc_request halved_request(const bytes *file) {
  imgc_request request = request_for(IMGC_FORMAT_WEBP, file->data, file->size);
  request.scale_denominator = 2;
  request.flags |= IMGC_RESAMPLES;
  return request;
}

// The image at half the size, from the samples of libwebp's simple decoder.
static guarded model_image(const bytes *file, const char *path) {
  uint8_t *u, *v;
  int width, height, stride, chroma_stride;
  uint8_t *luma =
      WebPDecodeYUV(file->data, file->size, &width, &height, &u, &v, &stride, &chroma_stride);
  if (!expect(luma != NULL, "%s", path)) exit(2);
  guarded image = guarded_create(((uint32_t)width + 1) / 2, ((uint32_t)height + 1) / 2, 1, 0x11);
  for (int y = 0; y < height; y += 2) {
    const uint8_t *upper = luma + y * stride, *lower = y + 1 < height ? upper + stride : upper;
    imgc_webp_row_pair rows = {
        {upper, lower}, u + y / 2 * chroma_stride, v + y / 2 * chroma_stride};
    model_row(guarded_row(&image, (uint32_t)y / 2), &rows, (size_t)width);
  }
  WebPFree(luma);
  return image;
}

// A resampling to the same size with the nearest pixel copies the rows that the codec pushes.
static imgc_resample_request copy_of(const guarded *image) {
  uint32_t width = image->target.width, height = image->target.height;
  return (imgc_resample_request){.source_width = width,
                                 .source_height = height,
                                 .crop_width = width,
                                 .crop_height = height,
                                 .width = width,
                                 .height = height,
                                 .filter = IMGC_FILTER_NEAREST};
}

static bool has_rows(const guarded *image, const guarded *expected, uint32_t rows) {
  size_t size = (size_t)image->target.width * 4;
  for (uint32_t y = 0; y < image->target.height; y++) {
    const uint8_t *row = guarded_row(image, y);
    if (y < rows && memcmp(row, guarded_row(expected, y), size) != 0) return false;
    for (size_t i = 0; y >= rows && i < size; i++)
      if (row[i] != 0) return false;
  }
  return true;
}

// Decodes with a flag that is raised after `polls` polls; returns the number of polls.
static uint64_t decode_cancelled(imgc_request request, const guarded *image, uint64_t polls,
                                 imgc_report *report) {
  imgc_resample_request copy = copy_of(image);
  request.cancel = imgc_cancel_create();
  if (!request.cancel) exit(2);
  imgc_cancel_after(request.cancel, polls);
  imgc_decode_resampled(&request, &copy, &image->target, report);
  uint64_t count = imgc_cancel_polls(request.cancel);
  imgc_cancel_destroy(request.cancel);
  return count;
}

static void check_cancelling(const imgc_request *request, const guarded *image, const char *path) {
  imgc_report report;
  uint64_t polls = decode_cancelled(*request, image, UINT64_MAX, &report);
  expect(polls > 0 && report.status == IMGC_OK, "%s: %s", path, report.message);
  for (uint64_t after = 0; after < polls; after++) {
    decode_cancelled(*request, image, after, &report);
    expect(report.status == IMGC_ERROR_CANCELLED, "%s cancelled after %llu of %llu polls", path,
           (unsigned long long)after, (unsigned long long)polls);
  }
}

// The rows of every prefix of a file are those of the complete image; the other rows are clear.
static void check_prefixes(imgc_request request, const guarded *expected, const guarded *image,
                           const char *path) {
  imgc_resample_request copy = copy_of(image);
  imgc_report report;
  uint32_t rows = 0;
  for (size_t size = 12, whole = request.size; size < whole; size++) {
    request.size = size;
    if (imgc_decode_resampled(&request, &copy, &image->target, &report)) {
      expect(report.status == IMGC_ERROR_TRUNCATED && rows == 0, "%s of %zu bytes: %s", path, size,
             report.message);
      continue;
    }
    bool is_complete = !report.truncated && report.rows == expected->target.height;
    expect(!report.corrupt && report.rows >= rows && (report.truncated || is_complete) &&
               has_rows(image, expected, report.rows),
           "%s of %zu bytes: %u rows after %u", path, size, report.rows, rows);
    rows = report.rows;
  }
}

void test_webp_halved_images(void) {
  for (size_t i = 0; i < PATHS; i++) {
    bytes file = fixture(paths[i]);
    imgc_request request = halved_request(&file);
    guarded expected = model_image(&file, paths[i]);
    uint32_t width = expected.target.width, height = expected.target.height;
    guarded image = guarded_create(width, height, 1, 0x22);
    imgc_header header;
    imgc_report report;
    expect(imgc_read_header(&request, &header, &report) == IMGC_OK && header.width == width &&
               header.height == height,
           "header of %s: %u x %u", paths[i], header.width, header.height);
    imgc_resample_request copy = copy_of(&image);
    expect(imgc_decode_resampled(&request, &copy, &image.target, &report) == IMGC_OK &&
               report.rows == height && has_rows(&image, &expected, height),
           "%s: %s", paths[i], report.message);
    check_cancelling(&request, &image, paths[i]);
    check_prefixes(request, &expected, &image, paths[i]);
    expect(guarded_is_intact(&image), "%s: guard bytes", paths[i]);
    guarded_free(&expected);
    guarded_free(&image);
    free(file.data);
  }
}

// ---------------------------------------------------------------- other requests

static bool has_equal_header(const imgc_request *a, const imgc_request *b) {
  imgc_header headers[2];
  imgc_report report;
  return imgc_read_header(a, &headers[0], &report) == IMGC_OK &&
         imgc_read_header(b, &headers[1], &report) == IMGC_OK &&
         headers[0].width == headers[1].width && headers[0].height == headers[1].height &&
         headers[0].work_bytes == headers[1].work_bytes &&
         headers[0].band_rows == headers[1].band_rows;
}

// Images with alpha, lossless images, animations, other scales, and decodes without resampling.
void test_webp_not_halved(void) {
  static const char *const others[] = {"webp/lossy-alpha-none.webp", "webp/lossless-soft.webp",
                                       "webp/animation.webp"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    bytes file = fixture(others[i]);
    imgc_request halved = halved_request(&file), full = halved;
    full.scale_denominator = 0;
    expect(has_equal_header(&halved, &full), "%s is halved", others[i]);
    free(file.data);
  }
  bytes file = fixture("webp/lossy-17x33.webp");
  imgc_request full = halved_request(&file);
  full.scale_denominator = 0;
  for (uint32_t denominator = 1; denominator <= 8; denominator++) {
    imgc_request scaled = full;
    scaled.scale_denominator = denominator;
    expect(has_equal_header(&scaled, &full) == (denominator != 2), "scale 1/%u", denominator);
  }
  imgc_request direct = halved_request(&file);
  direct.flags &= ~(uint32_t)IMGC_RESAMPLES;
  guarded image = guarded_create(17, 33, 1, 0x11);
  imgc_report report;
  expect(imgc_decode(&direct, &image.target, &report) == IMGC_OK, "%s", report.message);
  int width, height;
  uint8_t *pixels = WebPDecodeRGBA(file.data, file.size, &width, &height);
  for (uint32_t y = 0; pixels && y < 33; y++)
    expect(memcmp(guarded_row(&image, y), pixels + y * 17 * 4, (size_t)17 * 4) == 0, "row %u", y);
  WebPFree(pixels);
  guarded_free(&image);
  free(file.data);
}

// The header of a file that exceeds the limit only at full size can be read at both scales.
void test_webp_halved_memory(void) {
  bytes file = fixture("webp/lossy-strong-filter.webp");
  imgc_request half = halved_request(&file), full = half;
  full.scale_denominator = 0;
  imgc_header headers[2];
  imgc_report report;
  expect(imgc_read_header(&half, &headers[0], &report) == IMGC_OK &&
             imgc_read_header(&full, &headers[1], &report) == IMGC_OK,
         "%s", report.message);
  guarded image = guarded_create(1, 1, 1, 0x11);
  uint64_t needed[2];
  for (int i = 0; i < 2; i++) {
    imgc_resample_request resample = copy_of(&image);
    resample.source_width = headers[i].width, resample.source_height = headers[i].height;
    resample.crop_width = headers[i].width, resample.crop_height = headers[i].height;
    needed[i] = imgc_resampled_bytes(&headers[i], &resample) + image.target.size;
    imgc_request limited = i == 0 ? half : full;
    limited.limits.max_memory = needed[i];
    expect(imgc_decode_resampled(&limited, &resample, &image.target, &report) == IMGC_OK, "%s",
           report.message);
    full.limits.max_memory = needed[i];
    expect(imgc_read_header(&full, &headers[1], &report) == IMGC_OK, "%s", report.message);
  }
  expect(needed[0] < needed[1], "%llu bytes at half the size", (unsigned long long)needed[0]);
  full.limits.max_memory = 3000;
  expect(imgc_read_header(&full, &headers[1], &report) == IMGC_ERROR_LIMIT, "3,000 bytes");
  guarded_free(&image);
  free(file.data);
}
