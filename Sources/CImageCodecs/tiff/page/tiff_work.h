// Upper bound of a page's decoding time, estimated from its tags before decoding.

#ifndef IMGC_TIFF_WORK_H
#define IMGC_TIFF_WORK_H

#include "tiff/page/tiff_properties.h"

// Rejects a page whose estimated decoding time exceeds the limit of the request; sets
// properties->cost and properties->retry_cost.
imgc_status tiff_check_work(const imgc_request *request, const tiff_file *file,
                            tiff_properties *properties, imgc_report *report);

// Returns the estimated nanoseconds to decode `input_bytes` to `bytes` of samples.
uint64_t tiff_cost(const tiff_properties *properties, uint64_t bytes, uint64_t input_bytes);

#endif
