// One plane of one strip or tile, decoded by libtiff.

#ifndef IMGC_TIFF_STRILE_H
#define IMGC_TIFF_STRILE_H

#include "tiff/page/tiff_properties.h"
#include "tiff/strips/tiff_lzw.h"

typedef struct tiff_reader {
  const imgc_request *request;
  tiff_file *file;
  const tiff_properties *properties;
  uint8_t *scratch;     // a tile per plane; NULL when samples are read directly from the input
  bool output_is_dirty; // the bytes of `scratch` are not all zero
  uint8_t *writable;    // copy of the input in which libtiff may reverse bits
  uint64_t writable_size;
  bool out_of_memory;    // `writable` could not be allocated: the data is not damaged
  tiff_lzw *lzw;         // NULL: libtiff decodes
  uint64_t scan_samples; // JPEG samples visited so far
  uint64_t retry_left;   // remaining nanoseconds for decoding again after damage
  bool without_eol;      // Group 3 data is decoded as Compression 2
} tiff_reader;

// One plane of one strip or tile.
typedef struct tiff_strile {
  uint32_t index;
  const uint8_t *data;
  uint64_t size;          // available bytes
  bool truncated;         // the file ends inside the data, or an end code precedes the last row
  uint8_t *to;            // unit_bytes * units
  uint64_t units;         // requested units
  uint64_t complete_rows; // complete rows
  bool has_part;          // the row after them has decoded pixels, and white pixels after these
  bool intact;
} tiff_strile;

// Clears the output if it is not zero, because some codecs do not write all bytes.
void tiff_clear(tiff_reader *reader, const tiff_strile *strile);

// Decodes the first `units` units (of unit_bytes each) into the output without clearing it. Returns
// false when libtiff reports an error, or reader->out_of_memory is set.
bool tiff_decode(tiff_reader *reader, const tiff_strile *strile, uint64_t units);

// Releases reader->writable.
void tiff_free_writable(tiff_reader *reader);

#endif
