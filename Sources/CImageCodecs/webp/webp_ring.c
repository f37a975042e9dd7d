// The ring on Linux: mremap(2) with an old size of 0 maps the pages of a shared mapping again. On
// other systems, and when the addresses are not available, the memory is mapped once.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mremap
#endif

#include "webp/webp_ring.h"
#include "core/limits.h"
#include "core/scratch.h"

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

// Images up to this size are held completely. Tests define a smaller value.
#ifndef IMGC_WEBP_RING_BYTES
#define IMGC_WEBP_RING_BYTES ((uint64_t)8 << 20)
#endif

// A larger lossy image has 1/16 of its rows in memory.
enum { LOSSY_PARTS = 16, MIN_ROWS = 8 };

static uint64_t round_up(uint64_t size, uint64_t unit) {
  return imgc_add(size, unit - 1) / unit * unit;
}

size_t imgc_webp_row_bytes(const imgc_webp_image *image) {
  size_t width = image->width;
  return image->is_halved ? width + (width + 1) / 2 : width * 4;
}

// A halved image with an odd height has V samples after a last row without luma.
static uint64_t rows_bytes(const imgc_webp_image *image, uint32_t rows) {
  uint64_t count = image->is_halved ? rows + (rows & 1) : rows;
  return imgc_mul(imgc_webp_row_bytes(image), count);
}

uint32_t imgc_webp_ring_rows(const imgc_webp_image *image) {
  uint32_t height = image->height;
  // All rows: libwebp has 4 bytes per pixel of a lossless image in memory, and can complete many
  // rows at once; and when libwebp 1.2 crops, which webp_draw.c does for such rows, it decodes a
  // filtered alpha plane incorrectly.
  if (image->is_lossless || image->has_alpha_chunk) return height;
  uint64_t rows = IMGC_WEBP_RING_BYTES / imgc_webp_row_bytes(image),
           part = (height + LOSSY_PARTS - 1) / LOSSY_PARTS;
  if (rows < part) rows = part;
  if (rows < MIN_ROWS) rows = MIN_ROWS;
  if (image->is_halved) rows += rows & 1;
  return rows < height ? (uint32_t)rows : height;
}

static uint64_t page_size(void) {
#if defined(__linux__)
  long size = sysconf(_SC_PAGESIZE);
  if (size > 0) return (uint64_t)size;
#endif
  return 4096;
}

uint64_t imgc_webp_ring_bytes(const imgc_webp_image *image) {
  uint32_t rows = imgc_webp_ring_rows(image);
  uint64_t size = rows_bytes(image, rows);
  return rows < image->height ? round_up(size, page_size()) : size;
}

#if defined(__linux__)
// Maps the memory over all addresses. Returns false when the addresses are not available.
static bool map(imgc_webp_ring *ring, size_t addresses) {
  size_t size = ring->size;
  uint8_t *start =
      mmap(NULL, addresses, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return false;
  void *memory =
      mmap(start, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  bool is_mapped = memory != MAP_FAILED;
  for (size_t at = size; is_mapped && at < addresses; at += size)
    is_mapped = mremap(start, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, start + at) != MAP_FAILED;
  if (!is_mapped) {
    munmap(start, addresses);
    return false;
  }
  ring->pixels = start;
  ring->addresses = addresses;
  return true;
}
#endif

void imgc_webp_ring_open(imgc_webp_ring *ring, const imgc_request *request,
                         const imgc_webp_image *image) {
  *ring = (imgc_webp_ring){.rows = imgc_webp_ring_rows(image)};
  uint64_t size = imgc_webp_ring_bytes(image), height = image->height;
  if (size > SIZE_MAX / 2) return;
  ring->size = (size_t)size;
  ring->holds_image = true;
#if defined(__linux__)
  uint64_t addresses = round_up(rows_bytes(image, image->height), size);
  if (ring->rows < height && addresses <= SIZE_MAX / 2 && map(ring, (size_t)addresses)) return;
#endif
  ring->holds_image = ring->rows == height;
  ring->pixels = imgc_scratch_alloc(request, ring->size);
}

void imgc_webp_ring_close(imgc_webp_ring *ring, const imgc_request *request) {
#if defined(__linux__)
  if (ring->addresses) {
    munmap(ring->pixels, ring->addresses);
    ring->pixels = NULL;
    return;
  }
#endif
  imgc_scratch_free(request, ring->pixels, ring->size);
  ring->pixels = NULL;
}
