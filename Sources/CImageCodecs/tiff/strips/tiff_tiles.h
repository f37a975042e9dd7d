// Reads one strip or tile at a time, with libtiff or directly from the input.

#ifndef IMGC_TIFF_TILES_H
#define IMGC_TIFF_TILES_H

#include "tiff/strips/tiff_strile.h"

enum { TIFF_MAX_PLANES = 5 }; // CMYK and alpha

typedef struct tiff_tile {
  const uint8_t *planes[TIFF_MAX_PLANES]; // rows of unit_bytes, in the order of tiff_plane
  uint32_t rows;                          // rows that can be shown
  bool has_part;   // the data ends inside the last of these rows; the others are complete
  uint32_t intact; // rows, from the first one, that were decoded from undamaged data
  bool truncated;  // the tile's data is truncated
} tiff_tile;

imgc_status tiff_reader_open(tiff_reader *reader, const imgc_request *request, tiff_file *file,
                             const tiff_properties *properties, imgc_report *report);
void tiff_reader_close(tiff_reader *reader);

// Reads the tile; its rows are valid until the next call. For damaged data tile->intact is less
// than the number of rows in the tile. If rows are missing, tile->rows is less than this number
// too. The call fails only when a limit is exceeded or memory is exhausted.
imgc_status tiff_read_tile(tiff_reader *reader, uint32_t column, uint32_t row, tiff_tile *tile,
                           imgc_report *report);

#endif
