// One plane of one strip or tile, decoded by libtiff.

#ifndef IMGC_TIFF_STRILE_H
#define IMGC_TIFF_STRILE_H

#include "tiff/page/tiff_facts.h"
#include "tiff/strips/tiff_lzw.h"

typedef struct tiff_reader {
  const imgc_request *request;
  tiff_file *file;
  const tiff_facts *facts;
  uint8_t *scratch;  // a tile for each plane; NULL when samples are read where they lie
  bool dirty;        // scratch is not zero any more
  uint8_t *writable; // input bytes that libtiff may turn around in place
  uint64_t writable_size;
  tiff_lzw *lzw;         // NULL: libtiff decodes
  uint64_t scan_samples; // JPEG work so far
  uint64_t retry_left;   // nanoseconds for decoding again after damage
  bool without_eol;      // Group 3 data is decoded as Compression 2
} tiff_reader;

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

#endif
