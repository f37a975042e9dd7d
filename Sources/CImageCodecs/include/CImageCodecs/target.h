// Pixels in the caller's memory, to which a call writes.

#ifndef CIMAGECODECS_TARGET_H
#define CIMAGECODECS_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The destination of decoded pixels: RGBA8, straight alpha, top row first.
typedef struct imgc_target {
  void *pixels;
  size_t size;         // bytes at `pixels`, at least stride * (height - 1) + width * 4
  size_t stride;       // bytes from row to row, at least width * 4; the padding is not written
  uint32_t width;      // pixels, after scaling and orientation
  uint32_t height;     // pixels, after scaling and orientation
  uint8_t orientation; // EXIF 1...8, applied while writing; 1: as stored. Not for GIF frames
} imgc_target;

// Sets the rectangle, clipped to the target, to transparent black.
void imgc_clear_rect(const imgc_target *target, uint32_t x, uint32_t y, uint32_t width,
                     uint32_t height);

// Copies the source to the target, transformed by target->orientation. Returns false when the size
// of the target is not the size of the transformed source.
bool imgc_orient(const imgc_target *source, const imgc_target *target);

#ifdef __cplusplus
}
#endif
#endif
