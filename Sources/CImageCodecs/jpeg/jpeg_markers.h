// A walk over the marker segments of a JPEG before its first scan.

#ifndef IMGC_JPEG_MARKERS_H
#define IMGC_JPEG_MARKERS_H

#include "CImageCodecs.h"

typedef struct jpeg_chunk {
  size_t offset; // into the file
  uint32_t size;
} jpeg_chunk;

// What the segments before the first scan say. Offsets point into the request's data.
typedef struct jpeg_markers {
  uint8_t frame; // code of the first SOFn; 0: none met
  uint8_t bits;
  uint8_t components;
  uint32_t width;
  uint32_t height;
  bool is_hierarchical; // DHP or EXP met
  bool has_exif;
  jpeg_chunk exif; // from the TIFF header on
  bool has_icc;
  bool icc_is_broken; // chunks missing, doubled or not agreeing on their number
  unsigned icc_count;
  uint64_t icc_size;   // all chunks; 0 when broken
  jpeg_chunk icc[256]; // by sequence number, from 1
} jpeg_markers;

// Fails when the bytes are no JPEG, or one that libjpeg-turbo 2.1 cannot decode. A walk that
// ends early is not a failure here: libjpeg says what is wrong.
imgc_status imgc_jpeg_walk(const imgc_request *request, jpeg_markers *markers, imgc_report *report);

#endif
