// Which scans of a progressive JPEG a reduced picture can do without.

#ifndef IMGC_JPEG_SCANS_H
#define IMGC_JPEG_SCANS_H

#include "CImageCodecs.h"

enum { IMGC_JPEG_MAX_LEFT_OUT = 32 };

// Parts of the file that libjpeg is not shown, each from a scan's SOS marker to the marker behind
// its data, in order.
typedef struct jpeg_left_out {
  uint32_t count;
  struct {
    size_t start, end; // offsets into the file
  } parts[IMGC_JPEG_MAX_LEFT_OUT];
} jpeg_left_out;

// Fills `out` by the request's IMGC_NO_LAST_REFINEMENT or IMGC_LOW_SCANS_ONLY. Nothing is left out
// unless the scans follow each other as ITU-T T.81 wants it, with and without those that are left
// out, down to an EOI marker: whatever is odd or cut is libjpeg's to judge.
void imgc_jpeg_leave_out(const imgc_request *request, jpeg_left_out *out);

#endif
