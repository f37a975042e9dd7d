// The start of a decode: checks before the first scan.

#ifndef IMGC_JPEG_START_H
#define IMGC_JPEG_START_H

#include "jpeg/jpeg_markers.h"
#include "jpeg/jpeg_state.h"

// Checks the request, parses the markers and checks the size.
imgc_status imgc_jpeg_open(const imgc_request *request, jpeg_markers *markers, imgc_report *report);

// Step function for imgc_jpeg_run: reads the file up to the first scan, and checks the limits
// before large allocations. Sets the output size and colour space.
void imgc_jpeg_start(jpeg_state *s);

// Returns an upper bound of the decoder's memory in bytes, without the pixels; call it after
// imgc_jpeg_start.
uint64_t imgc_jpeg_work_bytes(struct jpeg_decompress_struct *cinfo);

#endif
