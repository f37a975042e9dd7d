#include "jpeg/baseline/jpeg_flat.h"

enum { SKIP_BITS = 63, COEFFICIENT = 1 << 6, SKIP_ENDS = 1 << 12, SKIP_NOTHING = 63 * COEFFICIENT };

// ---------------------------------------------------------------- tables

// Returns the table entry for all codes that are complete within the first IMGC_SKIP_LOOKUP_BITS
// bits of `next_bits`.
static uint16_t skips_of(const imgc_huffman *ac, uint64_t next_bits) {
  unsigned used = 0, coefficients = 0;
  for (;;) {
    const uint32_t entry = ac->lookup[next_bits >> (64 - IMGC_HUFFMAN_LOOKUP_BITS)];
    const unsigned length = (entry & 63) + (entry >> 6 & 15), run = entry >> 10 & 63;
    if ((entry & 63) == 0 || used + length > IMGC_SKIP_LOOKUP_BITS) break;
    if (run == IMGC_BLOCK_ENDS)
      return (uint16_t)(SKIP_ENDS | coefficients * COEFFICIENT | (used + length));
    if (coefficients + run + 1 >= IMGC_BLOCK_ENDS) break;
    used += length;
    coefficients += run + 1;
    next_bits <<= length;
  }
  return used ? (uint16_t)(coefficients * COEFFICIENT | used) : SKIP_NOTHING;
}

void imgc_huffman_skips_init(imgc_huffman_skips *s, const imgc_huffman *ac) {
  for (uint64_t i = 0; i < 1 << IMGC_SKIP_LOOKUP_BITS; i++)
    s->lookup[i] = skips_of(ac, i << (64 - IMGC_SKIP_LOOKUP_BITS));
}

// ---------------------------------------------------------------- blocks

typedef enum code { CODE_SKIPPED, BLOCK_ENDS, NO_CODE } code;

// Skips one code and its value bits. `*k` is the position in the block, before and after the code.
static __attribute__((noinline)) code skip_code(imgc_jpeg_bits *b, const imgc_huffman *ac,
                                                unsigned *k) {
  // A code with its value has at most 31 bits.
  imgc_refill(b);
  const uint32_t entry = imgc_read_code(b, ac);
  const unsigned run = entry >> 10 & 63;
  *k += run;
  imgc_refill(b);
  if (*k >= 64 || entry == 0) return run == IMGC_BLOCK_ENDS ? BLOCK_ENDS : NO_CODE;
  return ++*k >= 64 ? BLOCK_ENDS : CODE_SKIPPED;
}

// Replaces `b` by `full`, a copy of `b` that was refilled to at least 56 bits, and consumes `used`
// bits. The refill happens before the look-ups, so that decoding does not wait for the load. `used`
// is at most 26 for two look-ups and at most 27 for a DC difference, so at least 29 bits remain,
// enough for the next two look-ups.
IMGC_INLINE void consume(imgc_jpeg_bits *b, imgc_jpeg_bits full, unsigned used) {
  *b = full;
  imgc_consume_bits(b, used);
}

// Skips the AC codes of a block; returns false for an invalid code or a run past the end of the
// block. Before and after the call, the buffer contains at least 29 bits, unless the data ends.
IMGC_INLINE bool skip_coefficients(imgc_jpeg_bits *b, const imgc_huffman *ac,
                                   const imgc_huffman_skips *skips) {
  enum { SHIFT = 64 - IMGC_SKIP_LOOKUP_BITS, OVER = 64 * COEFFICIENT };
  for (uint32_t passed = COEFFICIENT;;) {
    imgc_jpeg_bits full = *b;
    imgc_refill(&full);
    // `sum` contains the bits and coefficients that the look-ups skip. It is at least OVER when the
    // block ends, when a look-up skips coefficients past the end of the block, and when the next
    // code must be read by skip_code (SKIP_NOTHING).
    uint32_t before = passed, skip = skips->lookup[b->next_bits >> SHIFT], sum = before + skip;
    if (sum < OVER) {
      skip = skips->lookup[b->next_bits << (skip & SKIP_BITS) >> SHIFT];
      before = sum;
      sum += skip;
      if (sum < OVER) {
        consume(b, full, sum & SKIP_BITS);
        passed = sum & ~(uint32_t)SKIP_BITS;
        continue;
      }
    }
    if ((skip & SKIP_ENDS) && sum - SKIP_ENDS < OVER) {
      consume(b, full, sum & SKIP_BITS);
      return true;
    }
    consume(b, full, before & SKIP_BITS);
    imgc_jpeg_bits slow = *b;
    unsigned k = before / COEFFICIENT;
    const code c = skip_code(&slow, ac, &k);
    *b = slow;
    if (c != CODE_SKIPPED) return c == BLOCK_ENDS;
    passed = k * COEFFICIENT;
  }
}

// Returns the sample of a block that consists of DC only.
IMGC_INLINE uint8_t sample_of(int32_t dc) {
  const int32_t value = ((dc + 4) >> 3) + 128;
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

bool imgc_jpeg_flat_mcus(imgc_jpeg_bits *bits, imgc_flat_plane *planes, const uint8_t *block_planes,
                         unsigned blocks, uint32_t count, uint8_t *dst) {
  imgc_jpeg_bits b = *bits;
  imgc_refill(&b);
  // Bitwise OR of all DC coefficients + 2,048; 4,096 or more after one of them was out of range.
  uint32_t range = 0;
  for (uint32_t mcu = 0; mcu < count; mcu++) {
    for (unsigned k = 0; k < blocks; k++) {
      imgc_flat_plane *p = &planes[block_planes[k]];
      imgc_jpeg_bits full = b;
      imgc_refill(&full);
      const int32_t count_before = b.count;
      const uint32_t entry = imgc_read_code(&b, p->dc);
      if (entry == 0) return false;
      consume(&b, full, (unsigned)(count_before - b.count));
      p->last_dc += imgc_value_of(entry);
      const int32_t dc = p->last_dc * p->step;
      range |= (uint32_t)dc + 2048;
      *dst++ = sample_of(dc);
      if (!skip_coefficients(&b, p->ac, p->skips)) return false;
      if (b.count < 0) return false;
    }
    if (range >= 4096) return false;
  }
  *bits = b;
  return true;
}
