// The container of a GIF: headers, extensions and data blocks, read through giflib from memory.

#ifndef IMGC_GIF_BLOCKS_H
#define IMGC_GIF_BLOCKS_H

#include "CImageCodecs.h"
#include "core/bytes.h"

#if !__has_include(<gif_lib.h>)
#error "giflib is missing: apt-get install libgif-dev"
#endif
#include <gif_lib.h>

typedef struct imgc_gif {
  const imgc_request *request;
  imgc_report *report;
  GifFileType *file;
  imgc_reader source;
  size_t short_count; // bytes that giflib got, less than it wanted
  bool cut;           // the bytes ended inside a block
  bool data_over;     // the image's data blocks have been read to their end
  bool has_loop_count;
  uint32_t loop_count; // of the first loop extension passed
} imgc_gif;

typedef struct imgc_gif_image {
  uint64_t offset; // of the image separator
  uint32_t x, y, width, height;
  bool interlaced;
  uint8_t code_size; // as stored: 1...11 when it can be decoded
  uint8_t disposal;  // IMGC_DISPOSE_...
  int16_t transparent_index;
  uint16_t delay; // 1/100 s
} imgc_gif_image;

typedef enum imgc_gif_found {
  IMGC_GIF_IMAGE,
  IMGC_GIF_TRAILER,
  IMGC_GIF_NO_MORE, // the bytes end where a block could begin
  IMGC_GIF_CUT,     // the bytes end inside a block
  IMGC_GIF_JUNK,    // neither image, extension nor trailer
  IMGC_GIF_FAILED,  // see the report
} imgc_gif_found;

// What giflib allocates for an open file, with both palettes.
enum { IMGC_GIF_LIBRARY_BYTES = 32768 };

// Reads the header and the global palette. Close it whatever the outcome.
imgc_status imgc_gif_open(imgc_gif *gif, const imgc_request *request, imgc_report *report);
void imgc_gif_close(imgc_gif *gif);
// The next block is read from here: a place that offset was at before.
void imgc_gif_seek(imgc_gif *gif, uint64_t offset);

// On to the next image descriptor; its data blocks come next.
imgc_gif_found imgc_gif_next_image(imgc_gif *gif, imgc_gif_image *image);
// To the end of the image's data blocks. False when the bytes end before.
bool imgc_gif_skip_data(imgc_gif *gif);
// Bytes of the next data blocks, together; size is 255 or more. 0 after the last one.
size_t imgc_gif_read_data(imgc_gif *gif, uint8_t *bytes, size_t size);

// The palette of the image found last, RGBA; the transparent index becomes transparent black.
void imgc_gif_palette(const imgc_gif *gif, int transparent_index, uint32_t palette[256]);
// 1...8.
uint8_t imgc_gif_palette_bits(const imgc_gif *gif);

#endif
