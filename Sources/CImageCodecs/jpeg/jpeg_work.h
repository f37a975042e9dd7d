// The work of decoding a JPEG, estimated from its scan headers before the first scan is decoded.

#ifndef IMGC_JPEG_WORK_H
#define IMGC_JPEG_WORK_H

#include "jpeg/jpeg_markers.h"
#include "jpeg/jpeg_state.h"

// Returns the units of work (imgc_work) of one component's blocks in a scan. An AC refinement scan
// visits each coefficient of a block, although its data can be a few bytes for 32,767 blocks.
// - start, high: the fields Ss and Ah of the scan header (ITU-T T.81, B.2.3).
uint64_t imgc_jpeg_scan_units(uint64_t blocks, unsigned start, unsigned high);

// Returns the units of work of all scans of the file that are not skipped.
uint64_t imgc_jpeg_scans_work(const imgc_request *request, const jpeg_skipped_scans *skipped);

// Charges the work of a decode before it starts: the pixels, the bytes, and the scans.
imgc_status imgc_jpeg_charge(jpeg_state *state, const jpeg_markers *markers);

// Charges the current scan if libjpeg reads more scans than imgc_jpeg_charge has counted, for
// example because a damaged image is decoded again.
void imgc_jpeg_charge_scan(jpeg_state *state);

#endif
