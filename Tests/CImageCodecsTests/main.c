// Tests of the C core: the contract of its public headers, and vector variants against scalar ones.
// Prints one line per group; exit status 1 when a check fails. The argument is the folder Fixtures.

#include "tests.h"

#include <stdarg.h>

static uint64_t checks, failures;

bool count_success(void) {
  checks++;
  return true;
}

bool print_failure(const char *format, ...) {
  checks++;
  if (failures++ < 10) {
    va_list arguments;
    va_start(arguments, format);
    printf("  failed: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
  }
  return false;
}

static uint64_t state = 1;

uint32_t random_number(void) {
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return (uint32_t)(state * UINT64_C(2685821657736338717) >> 32);
}

void fill(uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)random_number();
}

// ---------------------------------------------------------------- guarded targets

enum { GUARD = 64, PADDING = 12, GUARD_BYTE = 0xC7 };

guarded guarded_create(uint32_t width, uint32_t height, uint8_t orientation, uint8_t content) {
  guarded g = {.target = {.width = width, .height = height, .orientation = orientation}};
  g.target.stride = (size_t)width * 4 + PADDING;
  g.target.size = g.target.stride * height;
  g.size = g.target.size + 2 * GUARD;
  g.memory = malloc(g.size);
  if (!g.memory) exit(2);
  memset(g.memory, GUARD_BYTE, g.size);
  g.target.pixels = g.memory + GUARD;
  for (uint32_t y = 0; y < height; y++) memset(guarded_row(&g, y), content, (size_t)width * 4);
  return g;
}

static bool is_guard(const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (bytes[i] != GUARD_BYTE) return false;
  return true;
}

bool guarded_is_intact(const guarded *g) {
  if (!is_guard(g->memory, GUARD) || !is_guard(g->memory + g->size - GUARD, GUARD)) return false;
  for (uint32_t y = 0; y < g->target.height; y++)
    if (!is_guard(guarded_row(g, y) + (size_t)g->target.width * 4, PADDING)) return false;
  return true;
}

void guarded_free(guarded *g) { free(g->memory); }

// ---------------------------------------------------------------- files and requests

static const char *fixtures;

bytes fixture(const char *path) {
  char name[4096];
  snprintf(name, sizeof name, "%s/%s", fixtures, path);
  FILE *file = fopen(name, "rb");
  bytes b = {malloc(1 << 20), 0};
  if (file && b.data) b.size = fread(b.data, 1, 1 << 20, file);
  if (!file || b.size == 0) {
    printf("cannot read %s\n", name);
    exit(2);
  }
  fclose(file);
  return b;
}

imgc_request request_for(imgc_format format, const void *data, size_t size) {
  return (imgc_request){.data = data,
                        .size = size,
                        .format = format,
                        .limits = {.max_side = 65535,
                                   .max_pixels = 16000000,
                                   .max_memory = 128u << 20,
                                   .max_scans = 100,
                                   .max_scan_samples = 40000000,
                                   .max_pages = 64,
                                   .max_samples_per_pixel = 64,
                                   .max_tile_side = 65535,
                                   .max_metadata_item = 1 << 20,
                                   .max_metadata_total = 4 << 20,
                                   .max_chunks = 128}};
}

// ---------------------------------------------------------------- groups

static const struct {
  const char *name;
  void (*run)(void);
} groups[] = {
    {"constants and sizes", test_constants},
    {"probing", test_probing},
    {"arguments", test_arguments},
    {"limits", test_limits},
    {"cancelling", test_cancel},
    {"truncation", test_truncation},
    {"orientation", test_orientation},
    {"frames", test_frames},
    {"png encoder", test_png_encoder},
    {"jpeg encoder", test_jpeg_encoder},
    {"gif encoder", test_gif_encoder},
    {"webp encoder", test_webp_encoder},
    {"band", test_band},
    {"row kernels", test_rows},
    {"composition", test_composite},
    {"png filters", test_filters},
    {"resampler kernels", test_resampler},
    {"inflate", test_inflate},
    {"tiff lzw", test_lzw},
    {"jpeg blocks", test_jpeg_blocks},
    {"jpeg flat blocks", test_jpeg_flat_blocks},
    {"tiff memory", test_tiff_memory},
    {"metadata limits", test_metadata_limits},
    {"regions", test_regions},
    {"webp rows", test_webp_rows},
    {"webp truncation", test_webp_truncation},
    {"webp opaque codes", test_webp_opaque},
    {"webp flat images", test_webp_flat},
    {"webp halved rows", test_webp_halved_rows},
    {"webp halved images", test_webp_halved_images},
    {"webp not halved", test_webp_not_halved},
    {"webp halved memory", test_webp_halved_memory},
    {"work", test_work},
    {"work sum", test_work_sum},
    {"work fits", test_work_fits},
    {"webp constant images", test_webp_constant_images},
};

int main(int count, char **arguments) {
  if (count != 2) {
    printf("usage: %s FIXTURES\n", arguments[0]);
    return 64;
  }
  fixtures = arguments[1];
  bool failed = false;
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    checks = failures = 0;
    groups[i].run();
    printf("%s: %llu checks, %llu failed\n", groups[i].name, (unsigned long long)checks,
           (unsigned long long)failures);
    failed |= failures > 0 || checks == 0;
  }
  return failed;
}
