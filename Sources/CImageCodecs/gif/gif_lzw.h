// LZW decompression of GIF (GIF89a, appendix F): codes to palette indices, row by row.

#ifndef IMGC_GIF_LZW_H
#define IMGC_GIF_LZW_H

#include "CImageCodecs.h"

typedef struct imgc_lzw imgc_lzw;

typedef enum imgc_lzw_state {
  IMGC_LZW_INPUT,     // the input is consumed: call imgc_lzw_feed
  IMGC_LZW_OUTPUT,    // read the complete rows, then call imgc_lzw_run again
  IMGC_LZW_END,       // the end code was read, or all pixels are decoded
  IMGC_LZW_INVALID,   // an invalid code
  IMGC_LZW_NO_MEMORY, // out of memory
} imgc_lzw_state;

// Creates a decoder for width * height indices; code_size is 1...11. NULL: out of memory.
imgc_lzw *imgc_lzw_create(uint32_t width, uint32_t height, unsigned code_size);
void imgc_lzw_destroy(imgc_lzw *lzw);
// Returns the maximum memory of the decoder for an image of this size, in bytes.
uint64_t imgc_lzw_bytes(uint32_t width, uint32_t height);

// Sets the next input after IMGC_LZW_INPUT. The bytes must remain valid until imgc_lzw_run returns
// IMGC_LZW_INPUT again.
void imgc_lzw_feed(imgc_lzw *lzw, const uint8_t *bytes, size_t count);
// Decodes more codes; call it only when imgc_lzw_row returns NULL. END and INVALID are final: later
// calls return them again.
imgc_lzw_state imgc_lzw_run(imgc_lzw *lzw);
// Returns the next `width` indices, valid until the next run; NULL when they are not complete.
const uint8_t *imgc_lzw_row(imgc_lzw *lzw);
// After imgc_lzw_row has returned NULL: returns the decoded indices of the incomplete row, `*count`
// of them, fewer than `width`. Valid until the next run.
const uint8_t *imgc_lzw_partial_row(const imgc_lzw *lzw, uint32_t *count);

#endif
