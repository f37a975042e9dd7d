// A libFuzzer target. A macro selects the format, for example -DFUZZ_FORMAT=IMGC_FORMAT_PNG;
// Fuzz/run builds one program per format. Without this macro the target tests format detection,
// headers and colour profiles. With -DFUZZ_FRAMES the target decodes only the frames of an
// animation. The last input byte selects orientation, strictness, scale and page, or, without the
// macro, the format, so that the fuzzer can vary them.
//
// In addition to crashes and sanitizer reports, these defects are findings: a write to the padding
// of a row; an image size that differs from the size in the header; a report with more rows than
// the image has; pixels that depend on the previous content of their memory; resampling during the
// decode with a result that differs from resampling after the decode; a native decoder with a
// result that differs from that of another decoder (see compare_with_libraries); a frame of an
// animation that changes pixels outside its area; frames that depend on earlier decodes; the status
// INTERNAL or INVALID_ARGUMENT.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CImageCodecs.h"

#include <webp/decode.h>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "violated: %s (line %d)\n", #condition, __LINE__);                           \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

#ifndef FUZZ_MAX_PIXELS
#define FUZZ_MAX_PIXELS 16000000
#endif

static const imgc_limits limits = {
    .max_side = 65535,
    .max_pixels = FUZZ_MAX_PIXELS,
    .max_memory = 128u << 20,
    .max_scans = 20,
    .max_scan_samples = 40000000,
    .max_pages = 64,
    .max_samples_per_pixel = 64,
    .max_tile_side = 65535,
    .max_metadata_item = 1 << 20,
    .max_metadata_total = 4 << 20,
    .max_chunks = 128,
    .max_work = 1000000000000, // so that all work is counted; never exceeded
};
#ifdef FUZZ_FRAMES
enum { MAX_FRAMES = 100, MAX_FRAME_PIXELS = 1 << 16 };
#else
enum { MAX_FRAMES = 12, MAX_FRAME_PIXELS = 1 << 20 };
#endif
enum { PADDING = 12 };

static void check_report(const imgc_report *report, imgc_status status) {
  CHECK(status == report->status || status == IMGC_END_OF_FRAMES);
  CHECK(status != IMGC_ERROR_INTERNAL && status != IMGC_ERROR_INVALID_ARGUMENT);
  CHECK(memchr(report->message, 0, sizeof report->message));
  CHECK(memchr(report->token, 0, sizeof report->token));
  CHECK(report->warning_count <= IMGC_MAX_WARNINGS);
  CHECK((status == IMGC_OK || status == IMGC_END_OF_FRAMES) == (report->message[0] == 0));
}

static imgc_target make_target(const imgc_header *header, uint8_t orientation, uint8_t fill) {
  imgc_target target = {.width = orientation >= 5 ? header->height : header->width,
                        .height = orientation >= 5 ? header->width : header->height,
                        .orientation = orientation};
  target.stride = (size_t)target.width * 4 + PADDING;
  target.size = target.stride * target.height;
  target.pixels = malloc(target.size);
  CHECK(target.pixels);
  memset(target.pixels, fill, target.size);
  return target;
}

static void check_padding(const imgc_target *target, uint8_t fill) {
  for (size_t y = 0; y < target->height; y++)
    for (size_t i = 0; i < PADDING; i++)
      CHECK(((uint8_t *)target->pixels)[y * target->stride + (size_t)target->width * 4 + i] ==
            fill);
}

static void check_still(const imgc_request *request, const imgc_header *header, uint8_t orientation,
                        bool decodes_twice) {
  imgc_report report, again;
  imgc_target target = make_target(header, orientation, 0x00);
  imgc_status status = imgc_decode(request, &target, &report);
  check_report(&report, status);
  check_padding(&target, 0x00);
  CHECK(report.rows <= header->height);
  if (!status && decodes_twice) {
    imgc_target other = make_target(header, orientation, 0xFF);
    CHECK(imgc_decode(request, &other, &again) == IMGC_OK);
    check_padding(&other, 0xFF);
    for (size_t y = 0; y < target.height; y++)
      CHECK(memcmp((uint8_t *)target.pixels + y * target.stride,
                   (uint8_t *)other.pixels + y * other.stride, (size_t)target.width * 4) == 0);
    CHECK(again.truncated == report.truncated && again.corrupt == report.corrupt);
    free(other.pixels);
  }
  free(target.pixels);
}

// Compares the native decoders with the C libraries, except for GIF: pixels and reports must be
// equal. For PNG it compares with the decoder that IMGC_LEAST_MEMORY selects; this is libpng only
// for interlaced images. A comparison of all images with libpng would report differences that are
// not defects, because libdeflate accepts a few streams that libpng rejects.
static void compare_with_libraries(const imgc_request *request, const imgc_header *header) {
  if (request->format == IMGC_FORMAT_GIF) return;
  imgc_report report, other;
  imgc_request library = *request;
  library.flags |= request->format == IMGC_FORMAT_PNG ? IMGC_LEAST_MEMORY : IMGC_LIBRARIES_ONLY;
  imgc_target target = make_target(header, 1, 0x00), expected = make_target(header, 1, 0x00);
  imgc_status status = imgc_decode(request, &target, &report);
  imgc_status library_status = imgc_decode(&library, &expected, &other);
  CHECK(status == library_status || status == IMGC_ERROR_LIMIT);
  if (!status) {
    CHECK(report.truncated == other.truncated && report.corrupt == other.corrupt);
    CHECK(report.rows == other.rows && report.warning_total == other.warning_total);
    CHECK(memcmp(target.pixels, expected.pixels, target.size) == 0);
  }
  free(target.pixels);
  free(expected.pixels);
}

// Compares an intact still WebP image with the simple interface of libwebp. libwebp rejects some
// containers that this library repairs; they are not compared.
static void compare_with_libwebp(const imgc_request *request, const imgc_header *header) {
  imgc_report report;
  if (request->format != IMGC_FORMAT_WEBP || header->frame_count > 1) return;
  imgc_target target = make_target(header, 1, 0x00);
  int width, height;
  if (!imgc_decode(request, &target, &report) && !report.truncated && !report.corrupt) {
    uint8_t *expected = WebPDecodeRGBA(request->data, request->size, &width, &height);
    if (expected && (uint32_t)width == header->width && (uint32_t)height == header->height)
      for (size_t at = 0; at < (size_t)width * (size_t)height; at++) {
        uint8_t *pixel = expected + at * 4;
        // Without the alpha bit this library returns an opaque image, as dwebp does.
        if (!header->has_alpha) pixel[3] = 255;
        size_t y = at / header->width, x = at % header->width;
        CHECK(memcmp((uint8_t *)target.pixels + y * target.stride + x * 4, pixel, 4) == 0);
      }
    WebPFree(expected);
  }
  free(target.pixels);
}

static bool is_opaque(const imgc_target *target) {
  for (size_t y = 0; y < target->height; y++)
    for (size_t x = 0; x < target->width; x++)
      if (((uint8_t *)target->pixels)[y * target->stride + x * 4 + 3] != 255) return false;
  return true;
}

// Compares resampling during the decode with resampling after the decode: pixels and reports must
// be equal.
static void check_resampled(const imgc_request *request, const imgc_header *header,
                            uint8_t selector) {
  imgc_report report, full_report;
  imgc_target full = make_target(header, 1, 0x00);
  imgc_header resampled_header = {.width = 1u + selector % 19, .height = 1u + selector % 13};
  imgc_target resampled = make_target(&resampled_header, 1, 0x00);
  imgc_target expected = make_target(&resampled_header, 1, 0x00);
  imgc_resample_request resample = {.source_width = header->width,
                                    .source_height = header->height,
                                    .crop_width = header->width,
                                    .crop_height = header->height,
                                    .width = resampled.width,
                                    .height = resampled.height,
                                    .filter = (imgc_filter)(selector % 5),
                                    .flags = header->has_alpha ? 0 : IMGC_RESAMPLE_OPAQUE};
  CHECK(imgc_resampled_bytes(header, &resample) < UINT64_MAX);

  imgc_request reduced = *request;
  reduced.flags |= selector % 2 ? IMGC_NO_LAST_REFINEMENT : IMGC_LOW_SCANS_ONLY;
  if (selector / 2 % 2) reduced.flags |= IMGC_FLAT_CHROMA;
  if (selector / 4 % 2) reduced.flags |= IMGC_LOW_FREQUENCIES;
  imgc_status status = imgc_decode_resampled(&reduced, &resample, &resampled, &report);
  check_report(&report, status);
  check_padding(&resampled, 0x00);

  status = imgc_decode_resampled(request, &resample, &resampled, &report);
  check_report(&report, status);
  check_padding(&resampled, 0x00);
  imgc_status full_status = imgc_decode(request, &full, &full_report);
  CHECK(status == full_status || status == IMGC_ERROR_LIMIT || full_status == IMGC_ERROR_LIMIT);
  if (!status && !full_status) {
    CHECK(report.truncated == full_report.truncated && report.corrupt == full_report.corrupt);
    CHECK(report.rows == full_report.rows && report.warning_count == full_report.warning_count);
    if (!is_opaque(&full)) resample.flags &= ~(uint32_t)IMGC_RESAMPLE_OPAQUE;
    imgc_resampler *resampler;
    CHECK(imgc_resampler_create(&resample, &resampler) == IMGC_OK);
    for (size_t y = 0; y < full.height; y++)
      imgc_resampler_push(resampler, (uint8_t *)full.pixels + y * full.stride, expected.pixels,
                          expected.stride);
    imgc_resampler_destroy(resampler);
    CHECK(memcmp(resampled.pixels, expected.pixels, resampled.size) == 0);
  }
  free(full.pixels);
  free(resampled.pixels);
  free(expected.pixels);
}

// Expects that a frame left the pixels outside its area unchanged.
static void check_outside(const imgc_target *canvas, const imgc_frame *frame,
                          const uint8_t *before) {
  const uint8_t *pixels = canvas->pixels;
  size_t row = (size_t)canvas->width * 4, left = (size_t)frame->x * 4;
  size_t right = left + (size_t)frame->width * 4;
  if (left > row) left = row;
  if (right > row) right = row;
  for (size_t y = 0; y < canvas->height; y++) {
    const uint8_t *now = pixels + y * canvas->stride, *then = before + y * canvas->stride;
    bool inside = y >= frame->y && y - frame->y < frame->height;
    CHECK(memcmp(now, then, inside ? left : row) == 0);
    if (inside) CHECK(memcmp(now + right, then + right, row - right) == 0);
  }
}

// Draws the frames of an animation and returns a sum of the canvases and delays.
static uint64_t draw_frames(const imgc_request *request, const imgc_header *header) {
  imgc_target canvas = make_target(header, 1, 0x00);
  uint8_t *before = malloc(canvas.size);
  CHECK(before);
  imgc_frame frame = {0};
  imgc_report report;
  uint64_t sum = 0;
  for (int i = 0; i < MAX_FRAMES; i++) {
    if (i > 0 && frame.disposal == IMGC_DISPOSE_CLEAR)
      imgc_clear_rect(&canvas, frame.x, frame.y, frame.width, frame.height);
    imgc_status status = imgc_next_frame(request, &frame, &report);
    check_report(&report, status);
    if (status) break;
    CHECK(frame.delay_denominator != 0 && frame.number == (uint32_t)i + 1);
    memcpy(before, canvas.pixels, canvas.size);
    status = imgc_draw_frame(request, &frame, &canvas, &report);
    check_report(&report, status);
    check_padding(&canvas, 0x00);
    check_outside(&canvas, &frame, before);
    if (status) break;
    sum = sum * 31 + frame.delay_numerator;
#ifdef FUZZ_FRAMES
    for (size_t at = 0; at < canvas.size; at++) sum = sum * 31 + ((uint8_t *)canvas.pixels)[at];
#endif
  }
  free(before);
  free(canvas.pixels);
  return sum;
}

static void check_frames(const imgc_request *request, const imgc_header *header) {
  if ((uint64_t)header->width * header->height > MAX_FRAME_PIXELS) return;
  uint64_t sum = draw_frames(request, header);
#ifdef FUZZ_FRAMES
  CHECK(draw_frames(request, header) == sum);
#else
  (void)sum;
#endif
}

static void check_color(const imgc_request *request, const imgc_header *header) {
  imgc_report report;
  imgc_color_source source = {.header = header};
  uint8_t *icc = NULL;
  if (header->icc_size) {
    CHECK(header->icc_size <= limits.max_metadata_item);
    icc = malloc(header->icc_size);
    if (!imgc_read_icc(request, icc, header->icc_size, &report))
      source.icc = icc, source.icc_size = header->icc_size;
  }
  imgc_transform *transform = NULL;
  if (!imgc_transform_create(&source, &transform, &report) && transform &&
      !imgc_transform_is_cmyk(transform)) {
    uint8_t pixels[4 * 4] = {0, 128, 255, 7, 9};
    imgc_target target = {pixels, sizeof pixels, sizeof pixels, 4, 1, 1};
    CHECK(imgc_transform_apply(transform, request, &target, &report) == IMGC_OK);
    CHECK(pixels[3] == 7);
  }
  imgc_transform_destroy(transform);
  if (icc) {
    char text[33];
    imgc_icc_description(icc, header->icc_size, text, sizeof text);
    CHECK(memchr(text, 0, sizeof text));
  }
  free(icc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t selector = size ? data[size - 1] : 0;
  imgc_work work = {0};
  imgc_request request = {.data = data, .size = size, .limits = limits, .flags = IMGC_COUNT_FRAMES};
  request.work = &work;
#ifdef FUZZ_FORMAT
  request.format = FUZZ_FORMAT;
  request.strictness = selector % 16 == 0 ? (imgc_strictness)(selector / 16 % 4) : IMGC_LENIENT;
  request.scale_denominator = FUZZ_FORMAT == IMGC_FORMAT_JPEG ? 1u << (selector / 8 % 4) : 1;
  request.page = FUZZ_FORMAT == IMGC_FORMAT_TIFF ? selector / 64 : 0;
#else
  static const imgc_format formats[] = {IMGC_FORMAT_PNG, IMGC_FORMAT_JPEG, IMGC_FORMAT_GIF,
                                        IMGC_FORMAT_TIFF, IMGC_FORMAT_WEBP};
  request.format = selector % 6 == 5 ? imgc_probe(data, size) : formats[selector % 6];
#endif
  imgc_header header;
  imgc_report report;
  imgc_status status = imgc_read_header(&request, &header, &report);
  check_report(&report, status);
  if (status) return 0;
  CHECK(header.width > 0 && header.height > 0);
  CHECK((uint64_t)header.width * header.height <= limits.max_pixels);
  CHECK(header.exif_size == 0 || header.exif_offset + header.exif_size <= size);
  CHECK(header.orientation >= 1 && header.orientation <= 8);
#ifdef FUZZ_FRAMES
  check_frames(&request, &header);
#elif defined FUZZ_FORMAT
  if (selector % 4 == 3) check_color(&request, &header);
  check_still(&request, &header, (uint8_t)(selector % 8 + 1), selector % 3 == 0);
  check_resampled(&request, &header, selector);
  compare_with_libraries(&request, &header);
  compare_with_libwebp(&request, &header);
  check_frames(&request, &header);
#else
  check_color(&request, &header);
#endif
  return 0;
}
