#include "jpeg/baseline/jpeg_huffman.h"

#include <string.h>

// Returns the part of an entry that depends on the symbol only: the zero coefficients to skip, and
// the number of value bits.
static uint32_t entry_of(const imgc_huffman *h, unsigned symbol) {
  if (!h->is_ac) return symbol << 6;
  unsigned run = symbol >> 4, size = symbol & 15;
  if (size == 0 && run != 15) run = IMGC_BLOCK_ENDS;
  return run << 10 | size << 6;
}

static void fill(imgc_huffman *h, unsigned code, unsigned length, unsigned symbol) {
  const uint32_t entry = entry_of(h, symbol);
  const unsigned rest = IMGC_HUFFMAN_LOOKUP_BITS - length, size = entry >> 6 & 15;
  for (uint32_t i = 0; i < 1u << rest; i++) {
    uint32_t *at = &h->lookup[(code << rest) + i];
    if (size <= rest) {
      int32_t value = imgc_extend_sign(i >> (rest - size), size);
      *at = (uint32_t)value << 16 | (entry & ~(15u << 6)) | (length + size);
    } else {
      *at = entry | length;
    }
  }
}

bool imgc_huffman_init(imgc_huffman *h, const uint8_t bits[17], const uint8_t symbols[256],
                       bool is_ac) {
  memset(h, 0, sizeof *h);
  memcpy(h->symbols, symbols, sizeof h->symbols);
  h->is_ac = is_ac;
  unsigned code = 0, index = 0;
  for (unsigned length = 1; length <= 16; length++, code <<= 1) {
    h->offset[length] = (int32_t)index - (int32_t)code;
    for (unsigned i = 0; i < bits[length]; i++, code++, index++) {
      // A code that consists only of 1 bits is not allowed (T.81, C.2), and a DC difference of
      // 8-bit samples has at most 11 bits.
      if (index == 256 || code + 1 >= 1u << length) return false;
      if (!is_ac && symbols[index] > 11) return false;
      if (length <= IMGC_HUFFMAN_LOOKUP_BITS) fill(h, code, length, symbols[index]);
    }
    h->end[length] = code << (16 - length);
  }
  return true;
}

uint32_t imgc_huffman_long_code(const imgc_huffman *h, uint64_t next_bits) {
  const uint32_t code = (uint32_t)(next_bits >> 48);
  for (unsigned length = IMGC_HUFFMAN_LOOKUP_BITS + 1; length <= 16; length++) {
    if (code >= h->end[length]) continue;
    int32_t index = h->offset[length] + (int32_t)(code >> (16 - length));
    return entry_of(h, h->symbols[index & 255]) | length;
  }
  return 0;
}
