// The properties of a file that are known without its pixels: header, TIFF pages, ICC profile.

#ifndef CIMAGECODECS_HEADER_H
#define CIMAGECODECS_HEADER_H

#include "format.h"
#include "report.h"
#include "request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum imgc_color_model {
  IMGC_COLOR_GRAY = 0,
  IMGC_COLOR_RGB = 1,
  IMGC_COLOR_INDEXED = 2,
  IMGC_COLOR_YCBCR = 3,
  IMGC_COLOR_CMYK = 4, // YCCK too: libjpeg converts it to CMYK
  IMGC_COLOR_LAB = 5,
  IMGC_COLOR_LOGLUV = 6,
} imgc_color_model;

typedef struct imgc_header {
  imgc_format format;
  uint32_t width;       // pixels, as stored (before orientation), after scaling
  uint32_t height;      // pixels, as stored, after scaling
  uint32_t frame_count; // animation frames or TIFF pages; 0: unknown, the file was not read fully
  uint32_t loop_count;  // plays, 0: infinite; valid when has_loop_count
  bool has_loop_count;
  bool is_animated;         // for GIF only valid with IMGC_COUNT_FRAMES
  bool is_progressive;      // progressive JPEG, interlaced PNG or GIF frame 0
  bool has_alpha;           // the image's pixel format can represent transparency
  uint8_t bits_per_channel; // 1...64, as stored
  uint8_t channels;         // samples per pixel, as stored
  uint8_t orientation;      // TIFF tag 274; 1 for other formats (the caller reads EXIF)
  imgc_color_model color_model;
  uint64_t work_bytes;  // bytes; upper bound of the decoder's memory, without the pixels
  uint32_t band_rows;   // rows in memory at once in imgc_decode_resampled; `height`: all rows
  uint64_t exif_offset; // first byte of the TIFF header of the EXIF block in `data`
  uint64_t exif_size;   // bytes; 0: none
  // TIFF: the offsets of the page's IFD, and of the IFD of the chain whose SubIFD it is. Both are
  // equal when it is in the chain.
  uint64_t directory, parent_directory;
  uint64_t icc_size; // bytes of the embedded profile, uncompressed; 0: none
  // PNG colour chunks. All of them are reported; imgc_transform_create applies their precedence.
  bool has_cicp;
  uint8_t cicp[4]; // primaries, transfer, matrix, full range (ITU-T H.273)
  bool has_srgb;
  uint8_t srgb_intent;
  bool has_gamma;
  uint32_t gamma; // times 100,000, as stored in gAMA
  bool has_chromaticities;
  uint32_t chromaticities[8]; // white x y, red x y, green x y, blue x y; times 100,000
} imgc_header;

// A page of a TIFF, as its IFD describes it.
typedef struct imgc_page {
  uint32_t width, height; // pixels, as stored; 0: missing
  bool is_reduced;        // a reduced-resolution version of another image of the file
  bool is_sub;            // the SubIFD of another IFD
} imgc_page;

// Reads the parts of the file that `header` describes, and checks `request->limits`. Decodes no
// pixels.
imgc_status imgc_read_header(const imgc_request *request, imgc_header *header, imgc_report *report);

// Describes the pages of a TIFF in the order of their numbers: first the full-resolution images in
// file order, where SubIFDs follow their IFD, then the reduced-resolution ones and the samples of
// camera sensors. Writes at most `capacity` pages; `*count` is the number written, 0 for other
// formats and with more pages than max_pages.
imgc_status imgc_read_pages(const imgc_request *request, imgc_page *pages, uint32_t capacity,
                            uint32_t *count, imgc_report *report);

// Copies the embedded ICC profile to `profile`; `size` is header.icc_size.
imgc_status imgc_read_icc(const imgc_request *request, uint8_t *profile, size_t size,
                          imgc_report *report);

#ifdef __cplusplus
}
#endif
#endif
