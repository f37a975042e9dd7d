// The file that an encoder writes.

#ifndef CIMAGECODECS_OUTPUT_H
#define CIMAGECODECS_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The encoded file, to which the calls append. Initialize all fields except max_bytes to zero
// before the first call. Release the memory with imgc_output_free, after failures too.
typedef struct imgc_output {
  uint8_t *data;
  size_t count; // bytes
  size_t capacity;
  size_t max_bytes; // maximum of `count`; a larger file fails with IMGC_ERROR_LIMIT; 0: no limit
} imgc_output;

void imgc_output_free(imgc_output *output);

#ifdef __cplusplus
}
#endif
#endif
