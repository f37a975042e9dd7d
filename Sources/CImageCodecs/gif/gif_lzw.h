// LZW as GIF has it (GIF89a, appendix F): codes in, palette indices out, one row at a time.

#ifndef IMGC_GIF_LZW_H
#define IMGC_GIF_LZW_H

#include "CImageCodecs.h"

typedef struct imgc_lzw imgc_lzw;

typedef enum imgc_lzw_state {
  IMGC_LZW_INPUT,  // feed more bytes
  IMGC_LZW_OUTPUT, // take the rows that are ready, then run again
  IMGC_LZW_END,    // the end code came, or all pixels are there
  IMGC_LZW_BAD,    // a code that means nothing
  IMGC_LZW_MEMORY, // out of memory
} imgc_lzw_state;

// For width * height indices; code_size is 1...11. NULL: out of memory.
imgc_lzw *imgc_lzw_create(uint32_t width, uint32_t height, unsigned code_size);
void imgc_lzw_destroy(imgc_lzw *lzw);
// The most that create and run ever allocate for a picture of this size.
uint64_t imgc_lzw_bytes(uint32_t width, uint32_t height);

// After IMGC_LZW_INPUT. The bytes must stay until run asks for the next.
void imgc_lzw_feed(imgc_lzw *lzw, const uint8_t *bytes, size_t count);
// Only when imgc_lzw_row has nothing to give. Ends and errors repeat themselves.
imgc_lzw_state imgc_lzw_run(imgc_lzw *lzw);
// The next `width` indices, good until the next run; NULL when they are not there yet.
const uint8_t *imgc_lzw_row(imgc_lzw *lzw);
// When imgc_lzw_row has nothing to give: the indices of the next row that are there, `*count` of
// them, fewer than `width`. Good until the next run.
const uint8_t *imgc_lzw_partial_row(const imgc_lzw *lzw, uint32_t *count);

#endif
