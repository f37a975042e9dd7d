// libtiff: the RGBA interface for a file in memory.

#include "CPlatformImageBaselines.h"

#include <stdlib.h>
#include <string.h>

#if !__has_include(<tiffio.h>)
#error "libtiff not found: apt-get install libtiff-dev (brew install libtiff)"
#endif
#include <tiffio.h>

struct memory {
  const uint8_t *data;
  uint64_t size, offset;
};

static tmsize_t read_memory(thandle_t handle, void *bytes, tmsize_t count) {
  struct memory *memory = handle;
  uint64_t left = memory->offset < memory->size ? memory->size - memory->offset : 0;
  uint64_t read_size = (uint64_t)count < left ? (uint64_t)count : left;
  memcpy(bytes, memory->data + (memory->size - left), read_size);
  memory->offset += read_size;
  return (tmsize_t)read_size;
}

static tmsize_t write_nothing(thandle_t handle, void *bytes, tmsize_t count) {
  (void)handle, (void)bytes, (void)count;
  return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
  struct memory *memory = handle;
  uint64_t from = whence == SEEK_CUR ? memory->offset : whence == SEEK_END ? memory->size : 0;
  return memory->offset = from + offset;
}

static int close_nothing(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t size_of(thandle_t handle) { return ((struct memory *)handle)->size; }

static int map(thandle_t handle, void **base, toff_t *size) {
  struct memory *memory = handle;
  *base = (void *)(uintptr_t)memory->data; // libtiff only reads this memory
  *size = memory->size;
  return 1;
}

static void unmap(thandle_t handle, void *base, toff_t size) {
  (void)handle, (void)base, (void)size;
}

static int quiet(TIFF *tiff, void *user, const char *module, const char *format, va_list words) {
  (void)tiff, (void)user, (void)module, (void)format, (void)words;
  return 1;
}

static TIFF *open_memory(struct memory *memory) {
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options) return NULL;
  TIFFOpenOptionsSetErrorHandlerExtR(options, quiet, NULL);
  TIFFOpenOptionsSetWarningHandlerExtR(options, quiet, NULL);
  TIFF *tiff = TIFFClientOpenExt("baseline", "r", memory, read_memory, write_nothing, seek,
                                 close_nothing, size_of, map, unmap, options);
  TIFFOpenOptionsFree(options);
  return tiff;
}

bool baseline_tiff(const uint8_t *data, size_t size, baseline_image *image) {
  struct memory memory = {data, size, 0};
  TIFF *tiff = open_memory(&memory);
  if (!tiff) return false;
  uint32_t width = 0, height = 0;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  uint32_t *pixels = width && height ? malloc((size_t)width * height * 4) : NULL;
  // libtiff packs red into the lowest byte of a pixel, so the memory order on a little-endian
  // machine is RGBA.
  bool ok =
      pixels && TIFFReadRGBAImageOriented(tiff, width, height, pixels, ORIENTATION_TOPLEFT, 1);
  TIFFClose(tiff);
  if (!ok) {
    free(pixels);
    return false;
  }
  *image = (baseline_image){(uint8_t *)pixels, width, height, 1};
  return true;
}
