// The scans of a progressive JPEG that are not needed for a reduced image.

#ifndef IMGC_JPEG_SCANS_H
#define IMGC_JPEG_SCANS_H

#include "CImageCodecs.h"

enum { IMGC_JPEG_MAX_SKIPPED_SCANS = 32 };

// Byte ranges that libjpeg does not read, each from a scan's SOS marker to the marker after its
// data, in file order.
typedef struct jpeg_skipped_scans {
  uint32_t count;
  struct {
    size_t start, end; // offsets into the file
  } ranges[IMGC_JPEG_MAX_SKIPPED_SCANS];
} jpeg_skipped_scans;

// Selects the scans to skip by the request's flags IMGC_NO_LAST_REFINEMENT and IMGC_LOW_SCANS_ONLY.
// Scans are skipped only if the sequence of scans conforms to ITU-T T.81 up to an EOI marker, with
// and without the skipped scans. libjpeg reads all scans of irregular and truncated files, of files
// above 64 MiB, and in requests with IMGC_STRICT_ON_CORRUPT or IMGC_STRICT_ON_WARNING.
void imgc_jpeg_select_skipped_scans(const imgc_request *request, jpeg_skipped_scans *out);

#endif
