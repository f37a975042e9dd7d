// Strips and tiles that libtiff does not decode to the end: how many of their rows are right.

#ifndef IMGC_TIFF_RECOVER_H
#define IMGC_TIFF_RECOVER_H

#include "tiff/strips/tiff_tiles.h"

// One plane of one strip or tile.
typedef struct tiff_strile {
  uint32_t index;
  const uint8_t *data;
  uint64_t size;     // bytes that are there
  bool cut;          // the data ends before the last row: the file does, or an end code comes early
  uint8_t *to;       // unit_bytes * units
  uint64_t units;    // wanted
  uint64_t rows_got; // complete rows
  bool intact;
} tiff_strile;

// Clears the output where it may hold something: codecs leave gaps.
void tiff_clear(tiff_reader *reader, const tiff_strile *strile);

// Decodes the first `units` units over what the output holds.
bool tiff_decode(tiff_reader *reader, const tiff_strile *strile, uint64_t units);

// Decodes a strip that libtiff has failed with again, for the units that come before the damage.
// The output holds these when it returns. 0 also when the work for it is used up.
uint64_t tiff_recover(tiff_reader *reader, const tiff_strile *strile);

// Decodes CCITT data; sets `cut` and `intact`. The decoder goes on after damage, so that all rows
// count that it wrote, but for those that the end of the data left incomplete.
uint64_t tiff_read_fax(tiff_reader *reader, tiff_strile *strile);

#endif
