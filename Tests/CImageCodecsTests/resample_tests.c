// The resampler's vector variants against the scalar ones: all filters, sizes up to 40 pixels, with
// crops, alpha and linear light.

#include "tests.h"

static void compare(const imgc_resample_request *wanted, const uint8_t *source) {
  static uint8_t results[2][40 * 40 * 4];
  imgc_report report = {0};
  for (int plain = 0; plain < 2; plain++) {
    imgc_resample_request request = *wanted;
    if (plain) request.flags |= IMGC_RESAMPLE_PORTABLE;
    imgc_resampler *resampler;
    report.status = imgc_resampler_create(&request, &resampler);
    if (!expect(report.status == IMGC_OK, "a resampler: %d", report.status)) return;
    memset(results[plain], 0, sizeof results[plain]);
    uint32_t rows = 0;
    for (uint32_t y = 0; y < request.source_height; y++)
      rows = imgc_resampler_push(resampler, source + (size_t)y * request.source_width * 4,
                                 results[plain], (size_t)request.width * 4);
    expect(rows == request.height, "%u of %u rows", rows, request.height);
    imgc_resampler_destroy(resampler);
  }
  expect(memcmp(results[0], results[1], sizeof results[0]) == 0,
         "%u x %u to %u x %u, filter %d, flags %u", wanted->source_width, wanted->source_height,
         wanted->width, wanted->height, wanted->filter, wanted->flags);
}

void test_resampler(void) {
  enum { SIDE = 40 };
  static uint8_t source[SIDE * SIDE * 4];
  for (uint32_t round = 0; round < 6000; round++) {
    imgc_resample_request r = {.source_width = 1 + random_number() % SIDE,
                               .source_height = 1 + random_number() % SIDE,
                               .width = 1 + random_number() % SIDE,
                               .height = 1 + random_number() % SIDE,
                               .filter = (imgc_filter)(round % 5)};
    r.crop_width = r.source_width, r.crop_height = r.source_height;
    if (round % 3 == 0) {
      r.crop_x = r.source_width * 0.25, r.crop_width *= 0.6;
      r.crop_y = r.source_height * 0.1, r.crop_height *= 0.83;
    }
    if (round % 4 == 0) r.flags |= IMGC_RESAMPLE_LINEAR;
    fill(source, sizeof source);
    if (round % 2 == 0) {
      for (size_t i = 3; i < sizeof source; i += 4) source[i] = 255;
      if (round % 8 == 0) r.flags |= IMGC_RESAMPLE_OPAQUE;
    }
    compare(&r, source);
  }
}
