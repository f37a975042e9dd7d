// Checks of the sizes in compressed strips and tiles before a codec allocates memory of these
// sizes.

#ifndef IMGC_TIFF_BLOBS_H
#define IMGC_TIFF_BLOBS_H

#include "tiff/page/tiff_properties.h"

// Returns false when the size in the data does not match the strip or tile; the data must then not
// be passed to the codec.
bool tiff_blob_fits(const tiff_properties *properties, const uint8_t *data, uint64_t size,
                    uint32_t rows);

// Returns the code of the first frame header (SOF) in a JPEG stream; 0 when there is none before
// the first scan.
uint8_t tiff_jpeg_frame(const uint8_t *data, uint64_t size);

// Returns an upper bound of the number of scans in a JPEG stream: the number of SOS marker codes.
uint64_t tiff_count_scans(const uint8_t *data, uint64_t size);

#endif
