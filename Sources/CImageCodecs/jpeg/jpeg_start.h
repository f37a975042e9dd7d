// The start of a decode: checks that come before the first scan.

#ifndef IMGC_JPEG_START_H
#define IMGC_JPEG_START_H

#include "jpeg/jpeg_markers.h"
#include "jpeg/jpeg_state.h"

// Checks the request, walks the markers, checks the size.
imgc_status imgc_jpeg_open(const imgc_request *request, jpeg_markers *markers, imgc_report *report);

// In a step: everything up to the first scan; then the limits, before anything large is
// allocated. The output size and colour space are set.
void imgc_jpeg_start(jpeg_state *s);

// Upper estimate of the memory that decoding takes besides the pixels; past imgc_jpeg_start.
uint64_t imgc_jpeg_work_bytes(struct jpeg_decompress_struct *cinfo);

#endif
