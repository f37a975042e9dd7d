// Shared by the test programs: counted checks, random bytes, guarded memory, fixtures.

#ifndef IMGC_TESTS_H
#define IMGC_TESTS_H

#include "CImageCodecs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Counts a check; prints the first failures of a group. Evaluates to the value of `claim`.
#define expect(claim, ...) ((claim) ? count_success() : print_failure(__VA_ARGS__))
bool count_success(void);
__attribute__((format(printf, 1, 2))) bool print_failure(const char *format, ...);

// Deterministic random numbers (xorshift64*).
uint32_t random_number(void);
void fill(uint8_t *bytes, size_t count);

// A target with guard bytes before, after and between its rows.
typedef struct guarded {
  imgc_target target;
  uint8_t *memory;
  size_t size;
} guarded;

guarded guarded_create(uint32_t width, uint32_t height, uint8_t orientation, uint8_t content);
bool guarded_is_intact(const guarded *g);
void guarded_free(guarded *g);
static inline uint8_t *guarded_row(const guarded *g, uint32_t y) {
  return (uint8_t *)g->target.pixels + y * g->target.stride;
}

typedef struct bytes {
  uint8_t *data;
  size_t size;
} bytes;

// Reads a file of the folder Fixtures; exits when it cannot be read.
bytes fixture(const char *path);

// Returns a request with strict limits.
imgc_request request_for(imgc_format format, const void *data, size_t size);

// The test groups.
void test_constants(void);
void test_probing(void);
void test_arguments(void);
void test_limits(void);
void test_cancel(void);
void test_truncation(void);
void test_orientation(void);
void test_frames(void);
void test_png_encoder(void);
void test_jpeg_encoder(void);
void test_gif_encoder(void);
void test_webp_encoder(void);
void test_band(void);
void test_rows(void);
void test_composite(void);
void test_filters(void);
void test_resampler(void);
void test_inflate(void);
void test_lzw(void);
void test_jpeg_blocks(void);
void test_jpeg_flat_blocks(void);
void test_tiff_memory(void);
void test_metadata_limits(void);
void test_regions(void);
void test_webp_rows(void);
void test_webp_truncation(void);
void test_webp_opaque(void);
void test_webp_flat(void);
void test_webp_halved_rows(void);
void test_webp_halved_images(void);
void test_webp_not_halved(void);
void test_webp_halved_memory(void);
void test_work(void);
void test_work_sum(void);
void test_work_fits(void);
void test_webp_constant_images(void);

#endif
