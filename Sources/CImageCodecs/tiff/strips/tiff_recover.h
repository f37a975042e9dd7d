// Number of intact rows in strips and tiles that libtiff cannot decode completely.

#ifndef IMGC_TIFF_RECOVER_H
#define IMGC_TIFF_RECOVER_H

#include "tiff/strips/tiff_strile.h"

// Decodes a strip again after libtiff has failed, up to the damage. Returns the number of intact
// units (of unit_bytes each), which are in the output; 0 if there are none. If the budget for
// decoding again does not suffice, the result may be lower than the number of intact units.
uint64_t tiff_recover(tiff_reader *reader, const tiff_strile *strile);

// Decodes CCITT data; sets `truncated` and `intact`. Returns the number of rows that the decoder
// wrote, without rows that are incomplete because the data ended. The decoder continues after
// damage, so damaged rows are counted.
uint64_t tiff_read_fax(tiff_reader *reader, tiff_strile *strile);

#endif
