// Parser of the marker segments of a JPEG before its first scan.

#ifndef IMGC_JPEG_MARKERS_H
#define IMGC_JPEG_MARKERS_H

#include "CImageCodecs.h"

typedef struct jpeg_chunk {
  size_t offset; // from the start of the file
  uint32_t size;
} jpeg_chunk;

// Information from the segments before the first scan. Offsets are relative to the request's data.
typedef struct jpeg_markers {
  uint8_t frame; // code of the first SOFn; 0: none found
  uint8_t bits;
  uint8_t components;
  uint32_t width;
  uint32_t height;
  bool is_hierarchical; // a DHP or EXP segment was found
  bool has_exif;
  jpeg_chunk exif; // starts at the TIFF header
  bool has_icc;
  bool icc_is_broken; // chunks missing, duplicated or with inconsistent counts
  unsigned icc_count;
  uint64_t icc_size;   // bytes of all chunks; 0 if icc_is_broken
  jpeg_chunk icc[256]; // index: sequence number, from 1
} jpeg_markers;

// Fails when the bytes are not a JPEG, or when libjpeg-turbo 2.1 cannot decode this kind of JPEG.
// Does not fail for a file that is truncated after the SOI marker: libjpeg reports the truncation
// later.
imgc_status imgc_jpeg_parse_markers(const imgc_request *request, jpeg_markers *markers,
                                    imgc_report *report);

#endif
