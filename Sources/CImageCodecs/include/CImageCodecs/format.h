// File formats, and their detection by signature.

#ifndef CIMAGECODECS_FORMAT_H
#define CIMAGECODECS_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum imgc_format {
  IMGC_FORMAT_UNKNOWN = 0,
  IMGC_FORMAT_PNG = 1,
  IMGC_FORMAT_JPEG = 2,
  IMGC_FORMAT_GIF = 3,
  IMGC_FORMAT_TIFF = 4,
  IMGC_FORMAT_BMP = 5,    // detected here, decoded in Swift
  IMGC_FORMAT_WEBP = 100, // decoded if compiled with IMGC_WEBP
  // Detected by signature and not decoded, so that the caller's error message can contain the name
  // of the format.
  IMGC_FORMAT_AVIF = 101,
  IMGC_FORMAT_HEIC = 102,
  IMGC_FORMAT_JPEGXL = 103,
  IMGC_FORMAT_JPEG2000 = 104,
  IMGC_FORMAT_SVG = 105,
  IMGC_FORMAT_CGBI = 106, // PNG variant in iOS application bundles (Xcode's pngcrush)
} imgc_format;

// Returns the format by the signature in the first 1,024 bytes; UNKNOWN for an unknown signature.
imgc_format imgc_probe(const uint8_t *data, size_t size);

#ifdef __cplusplus
}
#endif
#endif
