// Limits of sizes, memory and work for one file.

#ifndef CIMAGECODECS_RESOURCE_LIMITS_H
#define CIMAGECODECS_RESOURCE_LIMITS_H

#include <stdint.h>

// Resource limits; 0 in any field means "no limit". They are compared with values of the file's
// header before memory of that size is allocated. The field names are the tokens of
// IMGC_ERROR_LIMIT.
typedef struct imgc_limits {
  uint32_t max_side;         // pixels, width and height
  uint64_t max_pixels;       // width * height, of each canvas, page and frame
  uint64_t max_memory;       // bytes: pixels, scratch memory and memory of the library
  uint32_t max_scans;        // JPEG scans
  uint64_t max_scan_samples; // JPEG component samples of all scans together, plus 128 per warning
  uint32_t max_pages;        // TIFF pages (IFDs) that are counted
  uint32_t max_samples_per_pixel; // TIFF
  uint32_t max_tile_side;         // TIFF, pixels
  uint64_t max_metadata_item;     // bytes of one ICC profile, EXIF block or chunk
  uint64_t max_metadata_total;    // bytes of all metadata
  uint32_t max_chunks;            // PNG ancillary chunks, WebP chunks with metadata that are read
  uint64_t max_work;              // units of imgc_work
} imgc_limits;

// The work of all calls for one file so far: headers, counting of frames, decoding, resampling. A
// unit is about one nanosecond of one core at 3 GHz; the codecs add estimates of the worst case,
// before the work where the number of pixels determines it, and inside loops over the bytes of the
// file. The sum does not depend on the clock. Initialize to zero; one call at a time may use it.
typedef struct imgc_work {
  uint64_t units;
  // Upper bound of work that is not part of `units`, because the sum of both is within the limit
  // and an exact count would take time.
  uint64_t not_counted;
} imgc_work;

#endif
