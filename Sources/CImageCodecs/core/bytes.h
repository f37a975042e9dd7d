// A bounds-checked read position, and unchecked loads of integers in both byte orders.

#ifndef IMGC_BYTES_H
#define IMGC_BYTES_H

#include "core/copy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A read position in memory, for bounds-checked reading.
typedef struct imgc_reader {
  const uint8_t *data;
  size_t size;
  size_t offset; // never above size
} imgc_reader;

static inline size_t imgc_left(const imgc_reader *r) { return r->size - r->offset; }
// Moves past n bytes. Returns false and does not move when fewer than n bytes remain.
static inline bool imgc_skip(imgc_reader *r, uint64_t n) {
  if (n > imgc_left(r)) return false;
  r->offset += (size_t)n;
  return true;
}

static inline uint16_t imgc_be16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }
static inline uint16_t imgc_le16(const uint8_t *p) { return (uint16_t)(p[1] << 8 | p[0]); }
static inline uint32_t imgc_le24(const uint8_t *p) { return imgc_le16(p) | (uint32_t)p[2] << 16; }
static inline uint32_t imgc_be32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline uint32_t imgc_le32(const uint8_t *p) {
  return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}
static inline void imgc_put_be32(uint8_t *p, uint32_t value) {
  p[0] = (uint8_t)(value >> 24), p[1] = (uint8_t)(value >> 16);
  p[2] = (uint8_t)(value >> 8), p[3] = (uint8_t)value;
}

// Unaligned 64-bit loads and stores for bit readers, each compiled to a move and, if the byte order
// differs, a byte swap.
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define IMGC_SWAP_BE64(v) __builtin_bswap64(v)
#define IMGC_SWAP_LE64(v) (v)
#else
#define IMGC_SWAP_BE64(v) (v)
#define IMGC_SWAP_LE64(v) __builtin_bswap64(v)
#endif
static inline __attribute__((always_inline)) uint64_t imgc_load_be64(const uint8_t *p) {
  uint64_t v;
  imgc_copy(&v, p, 8);
  return IMGC_SWAP_BE64(v);
}
static inline __attribute__((always_inline)) uint64_t imgc_load_le64(const uint8_t *p) {
  uint64_t v;
  imgc_copy(&v, p, 8);
  return IMGC_SWAP_LE64(v);
}
static inline __attribute__((always_inline)) void imgc_store_le64(uint8_t *p, uint64_t v) {
  v = IMGC_SWAP_LE64(v);
  imgc_copy(p, &v, 8);
}

#endif
