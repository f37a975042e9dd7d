// State of a decompression, and the results of a run.

#ifndef IMGC_INFLATE_STATE_H
#define IMGC_INFLATE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  IMGC_INFLATE_WINDOW = 32 << 10, // maximum distance of a match
  IMGC_INFLATE_CHUNK = 96 << 10,  // output bytes between two moves of the window
  // Space after the chunk: a match of 258 bytes may start at the last byte of the chunk, and
  // matches are copied in blocks.
  IMGC_INFLATE_SLACK = 258 + 62,
  IMGC_INFLATE_LITERAL_BITS = 11,
  IMGC_INFLATE_DISTANCE_BITS = 9,
  // Table sizes with all sub-tables, computed by zlib's program `enough`: `enough 288 11 15` and
  // `enough 32 9 15`.
  IMGC_INFLATE_LITERALS = 2342,
  IMGC_INFLATE_DISTANCES = 594,
};

typedef enum imgc_inflate_result {
  IMGC_INFLATE_MORE,    // call again; output may be available
  IMGC_INFLATE_END,     // the last block has ended; output may be available
  IMGC_INFLATE_INVALID, // invalid or truncated data
  // libdeflate accepts the next element of the stream and zlib rejects it, for example a symbol
  // that RFC 1951 does not define. Returned only when `accepts_zlib_rejects` is false.
  IMGC_INFLATE_ZLIB_REJECTS,
} imgc_inflate_result;

typedef struct imgc_inflater {
  // Input: the unread bytes of the current piece. `next_input` sets the next piece, which may be
  // empty, and returns false when there is none.
  const uint8_t *in, *in_end;
  bool (*next_input)(void *context, const uint8_t **in, const uint8_t **in_end);
  void *context;
  bool accepts_zlib_rejects;

  // Output of the last run: [out_start, out) of `window`.
  size_t out_start, out;

  uint64_t bits; // unused bits; the lowest is the next
  unsigned bit_count;
  bool input_ended;
  enum { IMGC_INFLATE_HEADER, IMGC_INFLATE_STORED, IMGC_INFLATE_CODED, IMGC_INFLATE_DONE } state;
  bool is_last;            // current block is the last
  bool has_fixed;          // the tables are those of the fixed codes
  uint64_t dynamic_blocks; // blocks whose tables were built
  uint32_t stored;         // remaining bytes of a stored block
  unsigned literal_bits;   // index bits of `literals`
  uint32_t literals[IMGC_INFLATE_LITERALS];
  uint32_t distances[IMGC_INFLATE_DISTANCES];
  uint8_t window[IMGC_INFLATE_WINDOW + IMGC_INFLATE_CHUNK + IMGC_INFLATE_SLACK];
} imgc_inflater;

#endif
