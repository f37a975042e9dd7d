// Strips and tiles that libtiff does not decode to the end: how many of their rows are right.

#ifndef IMGC_TIFF_RECOVER_H
#define IMGC_TIFF_RECOVER_H

#include "tiff/strips/tiff_strile.h"

// Decodes a strip that libtiff has failed with again, for the units that come before the damage.
// The output holds these when it returns. 0 also when the work for it is used up.
uint64_t tiff_recover(tiff_reader *reader, const tiff_strile *strile);

// Decodes CCITT data; sets `cut` and `intact`. The decoder goes on after damage, so that all rows
// count that it wrote, but for those that the end of the data left incomplete.
uint64_t tiff_read_fax(tiff_reader *reader, tiff_strile *strile);

#endif
