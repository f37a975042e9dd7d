// CRC-32C with the processor's instruction if available, otherwise with tables; XXH3 from
// libxxhash.

#include "CPlatformImageChecksums.h"

#include <string.h>

#if !__has_include(<xxhash.h>)
#error "xxhash not found: apt-get install libxxhash-dev (or brew install xxhash)"
#endif
#include <xxhash.h>

#include "crc32c_tables.h"

// Processes eight bytes per step, each with a separate table (Kounavis and Berry 2005, "slicing by
// 8").
static uint32_t crc_tables(uint32_t crc, const uint8_t *data, size_t size) {
  const uint32_t(*t)[256] = crc32c_tables;
  for (; size >= 8; size -= 8, data += 8) {
    uint32_t low = crc ^ ((uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 |
                          (uint32_t)data[3] << 24);
    crc = t[7][low & 255] ^ t[6][low >> 8 & 255] ^ t[5][low >> 16 & 255] ^ t[4][low >> 24] ^
          t[3][data[4]] ^ t[2][data[5]] ^ t[1][data[6]] ^ t[0][data[7]];
  }
  for (; size > 0; size--, data++) crc = crc >> 8 ^ t[0][(crc ^ *data) & 255];
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
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
// The CRC instructions are mandatory from ARMv8.1 on and available on the ARM processors of all
// Macs. A build for ARMv8.0 without the CRC extension uses the tables.
#include <arm_acle.h>

static uint32_t crc_hardware(uint32_t crc, const uint8_t *data, size_t size) {
  for (; size >= 8; size -= 8, data += 8) {
    uint64_t word;
    memcpy(&word, data, 8);
    crc = __crc32cd(crc, word);
  }
  for (; size > 0; size--, data++) crc = __crc32cb(crc, *data);
  return crc;
}

static int has_hardware(void) { return 1; }
#else
static uint32_t crc_hardware(uint32_t crc, const uint8_t *data, size_t size) {
  return crc_tables(crc, data, size);
}
static int has_hardware(void) { return 0; }
#endif

uint32_t pi_crc32c(uint32_t crc, const void *data, size_t size) {
  crc = ~crc;
  crc = has_hardware() ? crc_hardware(crc, data, size) : crc_tables(crc, data, size);
  return ~crc;
}

uint32_t pi_crc32c_portable(uint32_t crc, const void *data, size_t size) {
  return ~crc_tables(~crc, data, size);
}

uint64_t pi_xxh3_64(const void *data, size_t size) { return XXH3_64bits(data, size); }
