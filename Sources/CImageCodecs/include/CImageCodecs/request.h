// The request of a call that reads a file: input, limits, flags and scratch memory.

#ifndef CIMAGECODECS_REQUEST_H
#define CIMAGECODECS_REQUEST_H

#include "cancel.h"
#include "format.h"
#include "report.h"
#include "resource_limits.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A colour transform to sRGB; see imgc_transform_create in color.h.
typedef struct imgc_transform imgc_transform;

enum {
  IMGC_COUNT_FRAMES = 1 << 0,        // read_header: parse the whole file to count frames
  IMGC_NO_RARE_TIFF_CODECS = 1 << 1, // reject LERC and JBIG compression in TIFF
  // The image is resampled row by row (imgc_decode_resampled sets this flag): max_memory limits the
  // bytes of the rows that are in memory at once plus `result_bytes`, instead of the bytes of all
  // pixels.
  IMGC_RESAMPLES = 1 << 2,
  // For imgc_decode_resampled of progressive JPEGs. IMGC_NO_LAST_REFINEMENT skips the last
  // refinement scan of the luma; IMGC_LOW_SCANS_ONLY skips all refinement scans of AC coefficients,
  // and the AC scans of the luma that start at a high frequency. Damage in skipped scans is not
  // detected; a request with IMGC_STRICT_ON_CORRUPT or IMGC_STRICT_ON_WARNING therefore reads all
  // scans. See jpeg_scans.c.
  IMGC_NO_LAST_REFINEMENT = 1 << 3,
  IMGC_LOW_SCANS_ONLY = 1 << 4,
  // Uses libpng for PNG, libtiff for LZW in TIFF and libjpeg for baseline JPEG at 1/4 and 1/8
  // scale, instead of the native decoders. Tests use the flag to check that the native decoders and
  // the libraries return the same pixels and reports.
  IMGC_LIBRARIES_ONLY = 1 << 5,
  // For imgc_decode_resampled of baseline JPEGs at 1/8 scale with 2 x 2 subsampled chroma: uses
  // only the DC coefficient of each chroma block, for 2 x 2 pixels of the reduced image. The chroma
  // of the reduced image then has half the width and height of its luma, as in the file.
  IMGC_FLAT_CHROMA = 1 << 6,
  // Selects, among the decoders that return equal pixels, the one that needs the least memory, even
  // if it is slower. Only for PNG; for interlaced images it selects libpng. Set it for
  // imgc_read_header too: `work_bytes` depends on it.
  IMGC_LEAST_MEMORY = 1 << 7,
  // The opposite of IMGC_LEAST_MEMORY for PNG, for benchmarks: decompresses image data in one call
  // (at most 128 MiB of raw rows), also where a resampled decode would stream the data.
  IMGC_INFLATE_IN_ONE_CALL = 1 << 8,
  // For imgc_decode_resampled of baseline JPEGs at 1/4 and 1/8 scale: uses only the lowest 2 x 2
  // coefficients of a block that is reduced to 2 x 2 samples. Of the other coefficients, libjpeg
  // adds those that a mean of 4 x 4 pixels contains, and with them aliasing.
  IMGC_LOW_FREQUENCIES = 1 << 9,
};

// Allocator for large scratch blocks (1 MiB or more). After `free`, malloc can retain an unlimited
// amount of memory; an allocator of the caller can limit this amount. If both functions are NULL,
// malloc and free are used.
typedef struct imgc_memory {
  // Returns memory with undefined content, aligned for any type; NULL when memory is exhausted.
  void *(*allocate)(size_t size);
  // Releases `memory`, a result of `allocate`; `size` is the argument of that call.
  void (*release)(void *memory, size_t size);
} imgc_memory;

typedef struct imgc_request {
  const uint8_t *data;
  size_t size; // bytes
  imgc_format format;
  imgc_limits limits;
  imgc_strictness strictness;
  uint32_t flags; // IMGC_COUNT_FRAMES and the other flags above
  // Decode at 1/n of width and height, rounded up; 0 means 1. JPEG: 1, 2, 4 or 8. A lossy still
  // WebP without alpha, with IMGC_RESAMPLES: 1 or 2; a pixel then has the mean luma and the chroma
  // sample of 2 x 2 pixels. Otherwise, and for other formats, the scale is ignored.
  uint32_t scale_denominator;
  uint32_t page;                        // TIFF: page number, from 0; see imgc_read_pages
  imgc_cancel *cancel;                  // may be NULL
  imgc_work *work;                      // NULL: max_work does not apply
  const imgc_transform *cmyk_transform; // converts CMYK; NULL: conversion by multiplication
  imgc_memory memory;
  uint64_t result_bytes;       // IMGC_RESAMPLES: bytes of resampler and result; otherwise unused
  uint32_t max_counted_frames; // IMGC_COUNT_FRAMES: maximum of GIF and WebP frames to count; 0: no
                               // maximum
} imgc_request;

#ifdef __cplusplus
}
#endif
#endif
