// Look-up tables of a block's Huffman codes.

#ifndef IMGC_INFLATE_TABLES_H
#define IMGC_INFLATE_TABLES_H

#include "inflate/inflate_state.h"

// A table entry, from the lowest bit: 6 bits with the number of stream bits to consume, including
// the extra bits of a length or distance; 2 flags; 4 bits with the length of the first codeword, or
// the index bits of a sub-table; 4 flags; from bit 16 one or two literals, the base of a length or
// distance, or the start of a sub-table.
enum {
  IMGC_INFLATE_BITS = 63,
  IMGC_INFLATE_IS_PAIR = 1 << 6, // a second literal in bits 24 to 31
  IMGC_INFLATE_IS_LITERAL = 1 << 7,
  IMGC_INFLATE_RARE = 1 << 12, // one of the next three
  IMGC_INFLATE_SUBTABLE = 1 << 13,
  IMGC_INFLATE_END_OF_BLOCK = 1 << 14,
  IMGC_INFLATE_IS_UNDEFINED = 1 << 15,
};

// Builds the table of `count` symbols (at most 288) from their codeword lengths in bits, at most
// 15; 0: unused. Returns false when the code is over-subscribed or incomplete. Two incomplete codes
// are allowed: a single codeword of one bit, and no codeword.
bool imgc_inflate_literal_table(imgc_inflater *z, const uint8_t *lengths, unsigned count);
// Builds the table of at most 32 distance symbols, as imgc_inflate_literal_table does.
bool imgc_inflate_distance_table(imgc_inflater *z, const uint8_t *lengths, unsigned count);
// Builds the table of 19 code lengths, with codewords of at most 7 bits, as
// imgc_inflate_literal_table does. In an entry, the symbol is in bits 16 to 31 and the number of
// bits to consume in bits 0 to 7.
bool imgc_inflate_length_table(uint32_t table[128], const uint8_t *lengths);

#endif
