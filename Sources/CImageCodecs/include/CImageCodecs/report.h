// The result of a call: status, warnings about damage, and the strictness that makes damage a
// failure.

#ifndef CIMAGECODECS_REPORT_H
#define CIMAGECODECS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IMGC_MESSAGE_SIZE 160
#define IMGC_TOKEN_SIZE 24
#define IMGC_MAX_WARNINGS 32

typedef enum imgc_status {
  IMGC_OK = 0,
  IMGC_ERROR_UNKNOWN_FORMAT = 1,   // no codec for imgc_request.format
  IMGC_ERROR_MALFORMED = 2,        // the bytes violate the format's specification
  IMGC_ERROR_TRUNCATED = 3,        // the bytes end before the first row; if strict, before the end
  IMGC_ERROR_UNSUPPORTED = 4,      // valid, but not decoded here; `token` names the feature
  IMGC_ERROR_LIMIT = 5,            // a field of imgc_limits was exceeded; `token` names it
  IMGC_ERROR_OUT_OF_MEMORY = 6,    // an allocation failed
  IMGC_ERROR_CANCELLED = 7,        // the cancel flag is raised
  IMGC_ERROR_INVALID_ARGUMENT = 8, // a bug in the caller
  IMGC_ERROR_INTERNAL = 9,         // a bug in this library
  IMGC_END_OF_FRAMES = 10,         // imgc_next_frame: there is no further frame
} imgc_status;

// Damage or an anomaly in a file that can still be decoded, at least partly. The values and the
// names that imgc_warning_name returns are stable. A *defect* makes the image's status "corrupt"; a
// *remark* does not.
typedef enum imgc_warning {
  IMGC_WARN_NONE = 0,
  // defects
  IMGC_WARN_CRC = 1,           // PNG chunk checksum
  IMGC_WARN_CHECKSUM = 2,      // zlib stream checksum
  IMGC_WARN_ENTROPY_DATA = 3,  // invalid compressed data
  IMGC_WARN_MARKER = 4,        // JPEG marker missing, extra or out of place
  IMGC_WARN_FRAME_REFUSED = 5, // damaged frame of an animation, skipped
  IMGC_WARN_STRIP = 6,         // TIFF strip or tile could not be decoded
  IMGC_WARN_PALETTE_INDEX = 7, // palette index out of range
  IMGC_WARN_CHUNK = 8,         // PNG chunk invalid or out of place
  IMGC_WARN_SEQUENCE = 9,      // APNG sequence number wrong or frame missing
  IMGC_WARN_STRUCTURE = 10,    // length, count or offset wrong, repaired
  IMGC_WARN_RUN_LENGTH = 11,   // BMP run extends outside the image, or invalid escape
  IMGC_WARN_DATA_OFFSET = 12,  // BMP pixel offset or file size wrong
  IMGC_WARN_CODE = 13,         // LZW code invalid
  // remarks
  IMGC_WARN_PROFILE_IGNORED = 64,  // colour profile unparsable, too large or of another model
  IMGC_WARN_ORIENTATION = 65,      // orientation outside 1...8
  IMGC_WARN_EXIF = 66,             // EXIF block damaged, partly ignored
  IMGC_WARN_HDR_TRANSFER = 67,     // PQ or HLG transfer function, not converted
  IMGC_WARN_TRAILING_DATA = 68,    // bytes after the end of the image
  IMGC_WARN_MISSING_END = 69,      // no EOI, IEND or trailer after the last row
  IMGC_WARN_TAG = 70,              // TIFF tag invalid, repaired or ignored
  IMGC_WARN_METADATA_IGNORED = 71, // metadata damaged, or larger than its limit
} imgc_warning;

// The least severe kind of damage with which a decode fails. Less severe damage is only reported.
typedef enum imgc_strictness {
  IMGC_LENIENT = 0,             // a decode never fails because of damage
  IMGC_STRICT_ON_TRUNCATED = 1, // the bytes ended early
  IMGC_STRICT_ON_CORRUPT = 2,   // truncation or a defect
  IMGC_STRICT_ON_WARNING = 3,   // truncation, a defect or a remark
} imgc_strictness;

// The result of a call. Every call fills it; after a successful call it contains the warnings.
typedef struct imgc_report {
  imgc_status status;
  bool truncated;                       // the bytes ended early; see `rows`
  bool corrupt;                         // a defect was detected
  uint32_t rows;                        // complete rows from the top, as stored, from intact data
  uint32_t warning_total;               // number of warnings, including repeated ones
  uint32_t warning_count;               // entries in `warnings`
  uint16_t warnings[IMGC_MAX_WARNINGS]; // imgc_warning, each once, in order of occurrence
  char token[IMGC_TOKEN_SIZE];     // LIMIT: field name; UNSUPPORTED: feature name; otherwise empty
  char message[IMGC_MESSAGE_SIZE]; // English, NUL-terminated, one line; empty on success
} imgc_report;

// The stable name of a warning, for example "crc". Never NULL.
const char *imgc_warning_name(uint16_t warning);

#ifdef __cplusplus
}
#endif
#endif
