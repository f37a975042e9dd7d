// The LZW decoder. A table entry contains an offset and a length in the output, as in gif_lzw.c.
// Photographs without a predictor have a code for every 1.4 bytes, so nearly all strings are short:
// an entry also contains the first 8 bytes of its string. Most codes then need only one load and
// one store, which do not depend on recently written output.

#include "tiff/strips/tiff_lzw.h"
#include "core/bytes.h"
#include "core/copy.h"
#include "core/cpu_features.h"

#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

enum {
  CODES = 4096,
  CLEAR = 256,
  END = 257,
  FIRST = 258, // first entry that may be added
  INLINE_BYTES = 8,
  CODES_PER_LOAD = 4, // 4 codes of 12 bits fit into the 56 bits of one load
};

typedef struct entry {
  uint64_t bytes; // the first eight bytes, the first one lowest
  uint64_t dest;  // offset in the high 48 bits, length in the low 16
} entry;

INLINE size_t length_of(entry e) { return e.dest & 0xffff; }

struct tiff_lzw {
  entry entries[CODES + 1];
};

tiff_lzw *tiff_lzw_create(void) {
  tiff_lzw *z = malloc(sizeof *z);
  // The entries of the clear code and the end code are initialized but not used.
  for (unsigned i = 0; z && i < FIRST; i++) z->entries[i] = (entry){.bytes = i & 0xff, .dest = 1};
  return z;
}

void tiff_lzw_destroy(tiff_lzw *z) { free(z); }
uint64_t tiff_lzw_bytes(void) { return sizeof(tiff_lzw); }

// Writes a string and up to 15 additional bytes; returns its length.
INLINE size_t put(uint8_t *output, size_t out, entry e) {
  size_t length = length_of(e);
  imgc_store_le64(output + out, e.bytes);
  if (length <= INLINE_BYTES) return length;
  const uint8_t *src = output + (e.dest >> 16);
  uint8_t *dst = output + out;
  // The source of the newest string may end with the first byte at `dst`, which was stored above.
  for (size_t i = INLINE_BYTES; i < length; i += 16) {
    uint8_t v[16];
    imgc_copy(v, src + i, 16);
    imgc_copy(dst + i, v, 16);
  }
  return length;
}

// Returns the previous string, which was written at `out`, extended by the first byte of the next
// one.
INLINE entry extended(entry before, size_t out, uint64_t first) {
  size_t length = length_of(before);
  uint64_t more = length < INLINE_BYTES ? first << (8 * length) : 0;
  return (entry){before.bytes | more, (uint64_t)out << 16 | (length + 1)};
}

typedef struct bit_reader {
  const uint8_t *next, *end;
  uint64_t bits; // unused bits, highest first; lower bits may equal the data at `next`
  unsigned count;
} bit_reader;

// Fills the buffer to at least 56 bits; at least 8 bytes of input must remain.
INLINE void refill(bit_reader *r) {
  r->bits |= imgc_load_be64(r->next) >> r->count;
  r->next += (63 - r->count) >> 3;
  r->count |= 56;
}

// Returns the next code, or END when there are not enough bits.
INLINE unsigned read_code(bit_reader *r, unsigned code_bits) {
  for (; r->count < code_bits && r->next < r->end; r->count += 8)
    r->bits |= (uint64_t)*r->next++ << (56 - r->count);
  if (r->count < code_bits) return END;
  unsigned code = (unsigned)(r->bits >> (64 - code_bits));
  r->bits <<= code_bits;
  r->count -= code_bits;
  return code;
}

INLINE bool decode(tiff_lzw *z, const uint8_t *data, size_t data_size, uint8_t *output,
                   size_t size) {
  // The size is limited, so that output offsets fit into 32 bits.
  if (size > UINT32_MAX - TIFF_LZW_SLACK) return false;
  entry *const entries = z->entries;
  bit_reader r = {.next = data, .end = data + data_size};
  unsigned code_bits = 9, limit = FIRST;
  size_t out = 0, before_out = 0;
  entry before;

  if (read_code(&r, code_bits) != CLEAR) return false;
  while (out < size) {
    // The code after a clear code is a single byte and adds no table entry.
    unsigned code;
    do code = read_code(&r, 9);
    while (code == CLEAR);
    if (code > CLEAR) return false;
    code_bits = 9;
    limit = FIRST;
    before = entries[code];
    before_out = out;
    output[out++] = (uint8_t)code;

    while (out < size) {
      // Fast path: enough input, and no change of the code length within this load.
      while (r.end - r.next >= 8 && out < size && limit + CODES_PER_LOAD + 1 < 1u << code_bits) {
        refill(&r);
        for (int k = 0; k < CODES_PER_LOAD; k++) {
          code = (unsigned)(r.bits >> (64 - code_bits));
          if (code > limit || (code & ~1u) == CLEAR) goto special;
          r.bits <<= code_bits;
          r.count -= code_bits;
          uint64_t first = (code == limit ? before.bytes : entries[code].bytes) & 0xff;
          entries[limit++] = extended(before, before_out, first);
          before = entries[code];
          before_out = out;
          out += put(output, out, before);
        }
      }
    special:
      if (out >= size) return true;
      code = read_code(&r, code_bits);
      if (code == CLEAR) break;
      if (code == END || code > limit || limit >= CODES - 1) return false;
      uint64_t first = (code == limit ? before.bytes : entries[code].bytes) & 0xff;
      entries[limit++] = extended(before, before_out, first);
      before = entries[code];
      before_out = out;
      out += put(output, out, before);
      // TIFF's "early change": the code length increases one entry earlier than in GIF.
      if ((limit + 1) >> code_bits && code_bits < 12) code_bits++;
    }
  }
  return true;
}

#if defined(__x86_64__)
// With BMI2 a variable shift is one operation instead of three.
__attribute__((target("bmi,bmi2"))) static bool
decode_bmi2(tiff_lzw *z, const uint8_t *data, size_t data_size, uint8_t *output, size_t size) {
  return decode(z, data, data_size, output, size);
}
#endif

bool tiff_lzw_decode(tiff_lzw *z, const uint8_t *data, size_t data_size, uint8_t *output,
                     size_t size) {
#if defined(__x86_64__)
  if (IMGC_CPU_HAS_BMI2) return decode_bmi2(z, data, data_size, output, size);
#endif
  return decode(z, data, data_size, output, size);
}
