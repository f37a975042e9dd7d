// CRC-32C by the processor's instruction where it has one, else by a table; XXH3 from libxxhash.

#include "CChecksums.h"

#include <string.h>

#if !__has_include(<xxhash.h>)
#error "xxhash not found: apt-get install libxxhash-dev (or brew install xxhash)"
#endif
#include <xxhash.h>

// The polynomial 0x1EDC6F41 with its bits reversed.
#define POLYNOMIAL 0x82F63B78u

static uint32_t crc_portable(uint32_t crc, const uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (POLYNOMIAL & (0u - (crc & 1u)));
  }
  return crc;
}

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc_hardware(uint32_t crc, const uint8_t *data,
                                                               size_t size) {
  uint64_t wide = crc;
  for (; size >= 8; size -= 8, data += 8) {
    uint64_t word;
    memcpy(&word, data, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  crc = (uint32_t)wide;
  for (; size > 0; size--, data++) crc = _mm_crc32_u8(crc, *data);
  return crc;
}

static int has_hardware(void) { return __builtin_cpu_supports("sse4.2"); }
#else
static uint32_t crc_hardware(uint32_t crc, const uint8_t *data, size_t size) {
  return crc_portable(crc, data, size);
}
static int has_hardware(void) { return 0; }
#endif

uint32_t pi_crc32c(uint32_t crc, const void *data, size_t size) {
  crc = ~crc;
  crc = has_hardware() ? crc_hardware(crc, data, size) : crc_portable(crc, data, size);
  return ~crc;
}

uint64_t pi_xxh3_64(const void *data, size_t size) { return XXH3_64bits(data, size); }
