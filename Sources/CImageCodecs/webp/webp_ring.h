// Memory for rows in which a decoder can write a complete image, although it has fewer bytes.

#ifndef IMGC_WEBP_RING_H
#define IMGC_WEBP_RING_H

#include "webp/webp_container.h"

// A range of addresses of `rows_total` rows. Where the range has more bytes than the memory, the
// same memory is mapped repeatedly: a write after its end overwrites its start. No byte outside is
// ever written. Any `rows` consecutive rows do not overlap.
typedef struct imgc_webp_ring {
  uint8_t *pixels;  // NULL: out of memory
  uint32_t rows;    // rows that the memory holds, at least 1
  bool holds_image; // a write can start at any row; otherwise only the first `rows` rows exist
  size_t size;      // bytes of the memory
  size_t addresses; // bytes of addresses; 0: the memory is from imgc_scratch_alloc
} imgc_webp_ring;

// Returns the bytes from row to row: RGBA8, or, for a halved image, the luma of the row followed by
// half of the chroma of two rows: the U samples after an even row, the V samples after an odd row.
size_t imgc_webp_row_bytes(const imgc_webp_image *image);
// Returns how many rows of the image are in memory at once; for a halved image an even number, or
// all rows.
uint32_t imgc_webp_ring_rows(const imgc_webp_image *image);
// Returns an upper bound of the memory, in bytes.
uint64_t imgc_webp_ring_bytes(const imgc_webp_image *image);
void imgc_webp_ring_open(imgc_webp_ring *ring, const imgc_request *request,
                         const imgc_webp_image *image);
void imgc_webp_ring_close(imgc_webp_ring *ring, const imgc_request *request);

#endif
