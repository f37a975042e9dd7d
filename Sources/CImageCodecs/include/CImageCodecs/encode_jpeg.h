// The JPEG encoder.

#ifndef CIMAGECODECS_ENCODE_JPEG_H
#define CIMAGECODECS_ENCODE_JPEG_H

#include "cancel.h"
#include "image.h"
#include "output.h"
#include "report.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Chroma subsampling: the cases of the Swift enum ChromaSubsampling.
typedef enum imgc_chroma {
  IMGC_CHROMA_420 = 0,
  IMGC_CHROMA_422 = 1,
  IMGC_CHROMA_444 = 2,
} imgc_chroma;

typedef struct imgc_jpeg_options {
  uint8_t quality; // 1...100
  uint8_t chroma;  // imgc_chroma
  bool is_progressive;
  bool optimizes_huffman;
  uint8_t background[3]; // red, green, blue: colour behind transparent pixels
  bool avoids_gray;      // three components also when all pixels are gray, for an RGB profile
} imgc_jpeg_options;

// Appends a complete file. Polls `cancel` (may be NULL) at least every 16 rows and once per row of
// blocks of each scan. Without `avoids_gray`, an image with only gray pixels is encoded with one
// component, unless pixels are translucent and the background is not gray.
imgc_status imgc_encode_jpeg(const imgc_image *image, const imgc_jpeg_options *options,
                             imgc_cancel *cancel, imgc_output *output, imgc_report *report);

#ifdef __cplusplus
}
#endif
#endif
