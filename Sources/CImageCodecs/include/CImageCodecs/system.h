// The linked libraries, and the number of processors.

#ifndef CIMAGECODECS_SYSTEM_H
#define CIMAGECODECS_SYSTEM_H

#include "format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the version of the library that decodes `format`, for example "libpng 1.6.39".
const char *imgc_codec_version(imgc_format format);

// A library that the codecs link.
typedef struct imgc_library {
  const char *name; // for example "libpng"; static
  char version[24]; // for example "1.6.39"
  bool is_loaded;   // true: version of the loaded library; false: version of the headers
} imgc_library;

// Describes the library with this index, from 0, in `*library`. Returns false past the last index.
bool imgc_library_at(size_t index, imgc_library *library);

// Returns the number of processors that the calling thread may run on (sched_getaffinity(2)); 0
// when it is not known.
uint32_t imgc_affinity_count(void);

#ifdef __cplusplus
}
#endif
#endif
