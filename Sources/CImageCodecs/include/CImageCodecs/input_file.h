// Opening, reading and mapping of files.

#ifndef CIMAGECODECS_INPUT_FILE_H
#define CIMAGECODECS_INPUT_FILE_H

#include "cancel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum imgc_file_result {
  IMGC_FILE_OK = 0,
  IMGC_FILE_ERROR = 1,         // a system call failed; see error_number
  IMGC_FILE_NOT_REGULAR = 2,   // a directory, FIFO, socket or device
  IMGC_FILE_TOO_LARGE = 3,     // larger than max_size; see found_size
  IMGC_FILE_CHANGED = 4,       // became shorter while it was read
  IMGC_FILE_OUT_OF_MEMORY = 5, // no memory for the bytes
  IMGC_FILE_CANCELLED = 6,     // the cancel flag was raised, or its deadline has passed
} imgc_file_result;

// An open file and its bytes, read or mapped.
typedef struct imgc_file {
  const uint8_t *data; // NULL unless the file is mapped or loaded
  size_t size;         // size of the file in bytes when it was opened
  bool is_mapped;
  int error_number;    // errno of the failed system call
  uint64_t found_size; // size of the file in bytes when it was opened
  int descriptor;      // the other fields are private
  int region;
  int64_t changed_seconds; // time of the last status change when the file was opened
  int64_t changed_nanoseconds;
} imgc_file;

// Opens a regular file for reading; symbolic links are followed, and a FIFO or device is rejected
// without waiting. The bytes are neither mapped nor read yet. Call imgc_file_close only after
// IMGC_FILE_OK.
imgc_file_result imgc_file_open(const char *path, uint64_t max_size, imgc_file *file);
// The same for the file behind a descriptor of the caller, which is duplicated.
imgc_file_result imgc_file_open_descriptor(int descriptor, uint64_t max_size, imgc_file *file);
// Maps the file; false when it is empty or cannot be mapped, so that it must be loaded.
//
// The first mapping installs a SIGBUS handler for the process, the only global state of this
// interface: without it, a mapped file that becomes shorter would end the process. A read of a
// missing byte returns 0. The handler passes other SIGBUS signals to the action that it replaced.
// If the application installs another handler later, files are no longer mapped.
bool imgc_file_map(imgc_file *file);
// Reads the complete file into `bytes`, `size` bytes of the caller; polls `cancel` (may be NULL)
// once per MiB.
imgc_file_result imgc_file_read(imgc_file *file, uint8_t *bytes, imgc_cancel *cancel);
// Reads the complete file, as imgc_file_read does, into allocated memory. After an error, the file
// must still be closed.
imgc_file_result imgc_file_load(imgc_file *file, imgc_cancel *cancel);
// Releases the bytes. Returns CHANGED when the mapped file became shorter than `size`, and ERROR
// when a page could not be read although the file is unchanged, or when its state is unknown;
// results computed from the bytes are then not valid.
imgc_file_result imgc_file_close(imgc_file *file);

#ifdef __cplusplus
}
#endif
#endif
