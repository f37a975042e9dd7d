// The blocks of a GIF89a file: screen, extensions, colour tables and image data. giflib writes them
// to an output.

#ifndef IMGC_ENCODE_GIF_BLOCKS_H
#define IMGC_ENCODE_GIF_BLOCKS_H

#include "CImageCodecs/frames.h"
#include "encode/encode_gif_palette.h"

enum { IMGC_GIF_NO_INDEX = -1 };

typedef struct imgc_gif_blocks {
  struct GifFileType *file; // NULL before the header and after the end
  imgc_output *output;      // during a call
  imgc_cancel *cancel;
} imgc_gif_blocks;

typedef struct imgc_gif_header {
  uint32_t width, height;
  const imgc_gif_palette *palette;
  int16_t transparent; // index; IMGC_GIF_NO_INDEX: none
  bool needs_gif89a;
  bool repeats;
  uint16_t repeat_count;
} imgc_gif_header;

typedef struct imgc_gif_block {
  imgc_rect area;
  uint8_t *indices;                // area.width * area.height; giflib masks unused bits
  const imgc_gif_palette *palette; // NULL: that of the header
  int16_t transparent;             // index; IMGC_GIF_NO_INDEX: none
  bool is_still;                   // the only frame of the file
  uint8_t disposal;                // IMGC_DISPOSE_...
  uint16_t delay;
} imgc_gif_block;

imgc_status imgc_gif_put_header(imgc_gif_blocks *blocks, const imgc_gif_header *header,
                                imgc_report *report);
// Appends a frame.
imgc_status imgc_gif_put_image(const imgc_gif_blocks *blocks, const imgc_gif_block *block,
                               imgc_report *report);
// Appends the trailer, unless `output` is NULL, and releases giflib's memory. Returns false when
// memory is exhausted.
bool imgc_gif_blocks_close(imgc_gif_blocks *blocks);

#endif
