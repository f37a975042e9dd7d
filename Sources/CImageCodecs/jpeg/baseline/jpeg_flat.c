#include "jpeg/baseline/jpeg_flat.h"

enum { SKIP_BITS = 63, COEFFICIENT = 1 << 6, SKIP_ENDS = 1 << 12, SKIP_NOTHING = 63 * COEFFICIENT };

// ---------------------------------------------------------------- tables

// A code at the start of the looked-up bits: in bits 0...3 its length; 0: it has more than
// IMGC_SKIP_LOOKUP_BITS bits, or is invalid; in bits 4...8 its length with the value bits; in bits
// 9...14 the zero coefficients to skip, or IMGC_BLOCK_ENDS.
typedef struct first_codes {
  uint16_t codes[1 << IMGC_SKIP_LOOKUP_BITS];
} first_codes;

static void find_first_codes(first_codes *f, const imgc_huffman *ac) {
  uint32_t from = 0;
  for (unsigned length = 1; length <= IMGC_SKIP_LOOKUP_BITS; length++) {
    const uint32_t rest = IMGC_SKIP_LOOKUP_BITS - length, end = ac->end[length] >> (16 - length);
    for (uint32_t code = from >> rest; code < end; code++, from += 1u << rest) {
      const unsigned symbol = ac->symbols[(ac->offset[length] + (int32_t)code) & 255];
      unsigned run = symbol >> 4;
      const unsigned size = symbol & 15;
      if (size == 0 && run != 15) run = IMGC_BLOCK_ENDS;
      const uint16_t entry = (uint16_t)(run << 9 | (length + size) << 4 | length);
      for (uint32_t i = 0; i < 1u << rest; i++) f->codes[from + i] = entry;
    }
  }
  for (; from < 1 << IMGC_SKIP_LOOKUP_BITS; from++) f->codes[from] = 0;
}

// Returns the table entry for all codes that are complete within `bits`, the looked-up bits.
static uint16_t skips_of(const first_codes *f, uint32_t bits) {
  enum { MASK = (1 << IMGC_SKIP_LOOKUP_BITS) - 1 };
  unsigned used = 0, coefficients = 0;
  while (used < IMGC_SKIP_LOOKUP_BITS) {
    const unsigned code = f->codes[bits << used & MASK], length = code & 15, total = code >> 4 & 31;
    const unsigned run = code >> 9;
    if (length == 0 || used + length > IMGC_SKIP_LOOKUP_BITS || used + total > IMGC_MAX_SKIP) break;
    if (run == IMGC_BLOCK_ENDS)
      return (uint16_t)(SKIP_ENDS | coefficients * COEFFICIENT | (used + total));
    if (coefficients + run + 1 >= IMGC_BLOCK_ENDS) break;
    used += total;
    coefficients += run + 1;
  }
  return used ? (uint16_t)(coefficients * COEFFICIENT | used) : SKIP_NOTHING;
}

void imgc_huffman_skips_init(imgc_huffman_skips *s, const imgc_huffman *ac) {
  first_codes f;
  find_first_codes(&f, ac);
  for (uint32_t i = 0; i < 1 << IMGC_SKIP_LOOKUP_BITS; i++) s->lookup[i] = skips_of(&f, i);
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
// bits. The refill happens beside the first look-up, so that decoding does not wait for the load.
// `used` is at most 2 * IMGC_MAX_SKIP for two look-ups, so at least 12 bits remain, enough for the
// next look-up.
IMGC_INLINE void consume(imgc_jpeg_bits *b, imgc_jpeg_bits full, unsigned used) {
  *b = full;
  imgc_consume_bits(b, used);
}

// Skips the AC codes of a block from the coefficient `first` on; returns false for an invalid code
// or a run past the end of the block. Before and after the call, the buffer contains at least 12
// bits, unless the data ends.
IMGC_INLINE bool skip_coefficients(imgc_jpeg_bits *b, const imgc_huffman *ac,
                                   const imgc_huffman_skips *skips, unsigned first) {
  enum { SHIFT = 64 - IMGC_SKIP_LOOKUP_BITS, OVER = 64 * COEFFICIENT };
  for (uint32_t passed = first * COEFFICIENT;;) {
    imgc_jpeg_bits full = *b;
    imgc_refill(&full);
    // `sum` contains the bits and coefficients that the look-ups skip. It is at least OVER when the
    // block ends, when a look-up skips coefficients past the end of the block, and when the next
    // code must be read by skip_code (SKIP_NOTHING).
    uint32_t before = passed, skip = skips->lookup[b->next_bits >> SHIFT], sum = before + skip;
    if (sum < OVER) {
      skip = skips->lookup[full.next_bits << (skip & SKIP_BITS) >> SHIFT];
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

IMGC_INLINE uint8_t byte_of(int32_t value) {
  value += 128;
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

// ---------------------------------------------------------------- 2 x 2 samples

// The lowest coefficients in zigzag order; (2, 0), which has the index 3, is not used.
enum { RIGHT = 1, DOWN = 2, DIAGONAL = 4, LOW_END = 5 };

// Reads the AC codes of a block up to LOW_END, and skips the others. Returns false where
// skip_coefficients does, and for a low coefficient outside -2,048...2,047. After the call, the
// buffer contains at least 12 bits, unless the data ends.
IMGC_INLINE bool read_low(imgc_jpeg_bits *b, const imgc_flat_plane *p, int32_t low[LOW_END]) {
  enum { MIN_BITS = 31 };
  for (unsigned k = 1;;) {
    if (b->count < MIN_BITS) imgc_refill(b);
    const uint32_t entry = imgc_read_code(b, p->ac);
    const unsigned run = entry >> 10 & 63;
    k += run;
    if (k >= LOW_END) {
      imgc_refill(b);
      if (k >= 64 || entry == 0) return run == IMGC_BLOCK_ENDS;
      return ++k == 64 || skip_coefficients(b, p->ac, p->skips, k);
    }
    const int32_t coefficient = imgc_value_of(entry) * p->steps[k];
    if (entry == 0 || (uint32_t)coefficient + 2048 >= 4096) return false;
    low[k] = coefficient;
    if (++k == LOW_END) {
      imgc_refill(b);
      return skip_coefficients(b, p->ac, p->skips, k);
    }
  }
}

// The factors of imgc_jpeg_reduce for 2 points: 3.625 / 4 and its square, times 2^13.
enum { F0_906 = 7423, F0_821 = 6726 };

IMGC_INLINE void write_low(uint8_t dst[4], int32_t dc, const int32_t low[LOW_END]) {
  const int32_t middle = dc * (1 << 13) + (1 << 15), right = low[RIGHT] * F0_906;
  const int32_t down = low[DOWN] * F0_906, diagonal = low[DIAGONAL] * F0_821;
  dst[0] = byte_of((middle + right + down + diagonal) >> 16);
  dst[1] = byte_of((middle - right + down - diagonal) >> 16);
  dst[2] = byte_of((middle + right - down - diagonal) >> 16);
  dst[3] = byte_of((middle - right - down + diagonal) >> 16);
}

// ---------------------------------------------------------------- MCUs

// Consumes the next code, of a DC difference, and returns its entry with its value; 0 when the code
// is invalid. The buffer contains at least 12 bits before and 29 bits after the call, unless the
// data ends.
IMGC_INLINE uint32_t read_difference(imgc_jpeg_bits *b, const imgc_huffman *dc) {
  imgc_jpeg_bits full = *b;
  imgc_refill(&full);
  uint32_t entry = dc->lookup[b->next_bits >> (64 - IMGC_HUFFMAN_LOOKUP_BITS)];
  *b = full;
  if (__builtin_expect((entry & 63) == 0 || (entry >> 6 & 15) > 0, 0)) return imgc_read_code(b, dc);
  imgc_consume_bits(b, entry & 63);
  return entry;
}

bool imgc_jpeg_flat_mcus(imgc_jpeg_bits *bits, imgc_flat_plane *planes, const uint8_t *block_planes,
                         unsigned blocks, uint32_t count, uint8_t *dst) {
  imgc_jpeg_bits b = *bits;
  imgc_refill(&b);
  for (uint32_t mcu = 0; mcu < count; mcu++) {
    for (unsigned k = 0; k < blocks; k++) {
      imgc_flat_plane *p = &planes[block_planes[k]];
      const uint32_t entry = read_difference(&b, p->dc);
      if (entry == 0) return false;
      p->last_dc += imgc_value_of(entry);
      const int32_t dc = p->last_dc * p->steps[0];
      if ((uint32_t)dc + 2048 >= 4096) return false;
      if (p->size == 1) {
        *dst++ = byte_of((dc + 4) >> 3);
        if (!skip_coefficients(&b, p->ac, p->skips, 1)) return false;
      } else {
        int32_t low[LOW_END] = {0};
        if (!read_low(&b, p, low)) return false;
        write_low(dst, dc, low);
        dst += 4;
      }
      if (b.count < 0) return false;
    }
  }
  *bits = b;
  return true;
}
