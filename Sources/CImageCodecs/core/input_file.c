// Opening, reading and mapping of input files.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // for O_CLOEXEC and st_ctim
#endif

#include "CImageCodecs/input_file.h"
#include "core/mapped_regions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __APPLE__
#define st_ctim st_ctimespec
#endif

enum {
  READ_SIZE = 1 << 20, // bytes per read, between polls of the cancel flag
};

static imgc_file_result fail_errno(imgc_file *file) {
  file->error_number = errno;
  return IMGC_FILE_ERROR;
}

imgc_file_result imgc_file_read(imgc_file *file, uint8_t *bytes, imgc_cancel *cancel) {
  for (size_t at = 0; at < file->size;) {
    if (imgc_cancel_poll(cancel)) return IMGC_FILE_CANCELLED;
    size_t left = file->size - at;
    ssize_t count =
        pread(file->descriptor, bytes + at, left < READ_SIZE ? left : READ_SIZE, (off_t)at);
    if (count == 0) return IMGC_FILE_CHANGED;
    if (count > 0) at += (size_t)count;
    if (count < 0 && errno != EINTR) return fail_errno(file);
  }
  return IMGC_FILE_OK;
}

imgc_file_result imgc_file_load(imgc_file *file, imgc_cancel *cancel) {
  uint8_t *bytes = malloc(file->size ? file->size : 1);
  if (!bytes) return IMGC_FILE_OUT_OF_MEMORY;
  file->data = bytes;
  return imgc_file_read(file, bytes, cancel);
}

bool imgc_file_map(imgc_file *file) {
  if (file->size == 0) return false;
  void *start = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
  if (start == MAP_FAILED) return false;
  file->region = imgc_region_add(start, file->size);
  if (file->region == IMGC_NO_REGION) {
    munmap(start, file->size);
    return false;
  }
  file->data = start;
  file->is_mapped = true;
  return true;
}

// Reads the size of the file behind file->descriptor.
static imgc_file_result read_status(uint64_t max_size, imgc_file *file) {
  struct stat status;
  if (file->descriptor < 0 || fstat(file->descriptor, &status)) return fail_errno(file);
  if (!S_ISREG(status.st_mode)) return IMGC_FILE_NOT_REGULAR;
  file->found_size = (uint64_t)status.st_size;
  if (file->found_size > max_size || file->found_size > SIZE_MAX) return IMGC_FILE_TOO_LARGE;
  file->size = (size_t)status.st_size;
  file->changed_seconds = status.st_ctim.tv_sec;
  file->changed_nanoseconds = status.st_ctim.tv_nsec;
  return IMGC_FILE_OK;
}

static imgc_file_result open_file(const char *path, uint64_t max_size, imgc_file *file) {
  struct stat status;
  // Opening a device can have effects, so the kind is checked before and after.
  if (stat(path, &status)) return fail_errno(file);
  if (!S_ISREG(status.st_mode)) return IMGC_FILE_NOT_REGULAR;
  do {
    file->descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  } while (file->descriptor < 0 && errno == EINTR);
  return read_status(max_size, file);
}

imgc_file_result imgc_file_open(const char *path, uint64_t max_size, imgc_file *file) {
  *file = (imgc_file){.descriptor = -1, .region = IMGC_NO_REGION};
  imgc_file_result result = open_file(path, max_size, file);
  if (result) imgc_file_close(file);
  return result;
}

imgc_file_result imgc_file_open_descriptor(int descriptor, uint64_t max_size, imgc_file *file) {
  *file = (imgc_file){.descriptor = -1, .region = IMGC_NO_REGION};
  file->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  imgc_file_result result = read_status(max_size, file);
  if (result) imgc_file_close(file);
  return result;
}

// The state of a mapped file at its end.
static imgc_file_result check_mapped(imgc_file *file, bool has_missing_pages) {
  struct stat status;
  if (fstat(file->descriptor, &status)) return fail_errno(file);
  // In the last page of a file that became shorter, missing bytes are zeros without a signal.
  if ((uint64_t)status.st_size < file->size) return IMGC_FILE_CHANGED;
  if (!has_missing_pages) return IMGC_FILE_OK;
  // The file may have become shorter and longer again, which changes the time.
  if (status.st_ctim.tv_sec != file->changed_seconds ||
      status.st_ctim.tv_nsec != file->changed_nanoseconds)
    return IMGC_FILE_CHANGED;
  file->error_number = EIO;
  return IMGC_FILE_ERROR;
}

imgc_file_result imgc_file_close(imgc_file *file) {
  imgc_file_result result = IMGC_FILE_OK;
  if (file->is_mapped) {
    result = check_mapped(file, imgc_region_remove(file->region));
    munmap((void *)file->data, file->size);
  } else {
    free((void *)file->data);
  }
  if (file->descriptor >= 0) close(file->descriptor);
  file->data = NULL;
  file->is_mapped = false;
  file->descriptor = -1;
  return result;
}
