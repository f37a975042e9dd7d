// Decoding of a still image, at its stored size or resampled.

#ifndef CIMAGECODECS_DECODE_H
#define CIMAGECODECS_DECODE_H

#include "header.h"
#include "report.h"
#include "request.h"
#include "resample.h"
#include "target.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Decodes the still image and writes every pixel of the target; pixels without data become
// transparent black. After a failure the content of the target is unspecified.
imgc_status imgc_decode(const imgc_request *request, const imgc_target *target,
                        imgc_report *report);

// Decodes the still image with the same report as imgc_decode, and resamples it during the decode.
// For formats that are decoded row by row, only a band of rows is in memory. The source size in
// `resample` is the stored size, after JPEG scaling. Every pixel of `target`, which is upright and
// of the resampled size, is written. When `resample` has the flag IMGC_RESAMPLE_OPAQUE and pixels
// are transparent because of damage, the image is decoded again without the flag.
imgc_status imgc_decode_resampled(const imgc_request *request,
                                  const imgc_resample_request *resample, const imgc_target *target,
                                  imgc_report *report);

enum { IMGC_MAX_OUTPUTS = 16 };

// Like imgc_decode_resampled, with one decode for up to IMGC_MAX_OUTPUTS targets. Each target has
// the same pixels as with imgc_decode_resampled. All requests must have the same source size and
// the same IMGC_RESAMPLE_OPAQUE flag.
imgc_status imgc_decode_resampled_all(const imgc_request *request,
                                      const imgc_resample_request *resamples,
                                      const imgc_target *targets, uint32_t count,
                                      imgc_report *report);

// Returns an upper bound of the memory of imgc_decode_resampled without the target, in bytes;
// UINT64_MAX when `resample` is out of range.
uint64_t imgc_resampled_bytes(const imgc_header *header, const imgc_resample_request *resample);

#ifdef __cplusplus
}
#endif
#endif
