// The container of a GIF: headers, extensions and data blocks, read through giflib from memory.

#ifndef IMGC_GIF_BLOCKS_H
#define IMGC_GIF_BLOCKS_H

#include "CImageCodecs.h"
#include "core/bytes.h"

#if !__has_include(<gif_lib.h>)
#error "giflib is missing: apt-get install libgif-dev (brew install giflib)"
#endif
#include <gif_lib.h>

typedef struct imgc_gif {
  const imgc_request *request;
  imgc_report *report;
  GifFileType *file;
  imgc_reader source;
  size_t short_read_bytes; // bytes of the last incomplete read by giflib
  bool truncated;          // the bytes ended inside a block
  bool data_ended;         // the image's data blocks have been read completely
  bool has_loop_count;
  uint32_t loop_count; // as stored in the first Netscape loop extension: plays - 1; 0: infinite
} imgc_gif;

typedef struct imgc_gif_image {
  uint64_t offset; // file offset of the image separator
  uint32_t x, y, width, height;
  bool interlaced;
  uint8_t code_size; // as stored; valid: 1...11
  uint8_t disposal;  // IMGC_DISPOSE_...
  int16_t transparent_index;
  uint16_t delay; // hundredths of a second
} imgc_gif_image;

typedef enum imgc_gif_result {
  IMGC_GIF_IMAGE,
  IMGC_GIF_TRAILER,
  IMGC_GIF_END_OF_DATA,   // the bytes end at a block boundary
  IMGC_GIF_TRUNCATED,     // the bytes end inside a block
  IMGC_GIF_UNKNOWN_BLOCK, // neither image, extension nor trailer
  IMGC_GIF_FAILED,        // see the report
} imgc_gif_result;

// Upper bound of the bytes that giflib allocates for an open file, with the global and the local
// palette.
enum { IMGC_GIF_LIBRARY_BYTES = 32768 };

// Reads the header and the global palette. Call imgc_gif_close after success and failure.
imgc_status imgc_gif_open(imgc_gif *gif, const imgc_request *request, imgc_report *report);
void imgc_gif_close(imgc_gif *gif);
// Sets the position of the next block to `offset`, which must be a position that was reached
// before.
void imgc_gif_seek(imgc_gif *gif, uint64_t offset);

// Moves to the next image descriptor; its data blocks follow.
imgc_gif_result imgc_gif_next_image(imgc_gif *gif, imgc_gif_image *image);
// Moves past the image's data blocks. Returns false when the data is truncated or a poll fails.
bool imgc_gif_skip_data(imgc_gif *gif);
// Copies the content of the next data blocks and returns the number of bytes; 0 after the last
// block. `size` is 255 or more.
size_t imgc_gif_read_data(imgc_gif *gif, uint8_t *bytes, size_t size);

// Returns the palette of the last image as RGBA; the transparent index becomes transparent black.
void imgc_gif_palette(const imgc_gif *gif, int transparent_index, uint32_t palette[256]);
// Returns the palette's bits per index, 1...8.
uint8_t imgc_gif_palette_bits(const imgc_gif *gif);

#endif
