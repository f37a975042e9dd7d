// What one page of a TIFF file holds, reduced to numbers that were checked once.

#ifndef IMGC_TIFF_FACTS_H
#define IMGC_TIFF_FACTS_H

#include "tiff/page/tiff_open.h"

typedef enum tiff_kind {
  TIFF_KIND_GRAY,
  TIFF_KIND_RGB,
  TIFF_KIND_PALETTE,
  TIFF_KIND_CMYK,
  TIFF_KIND_YCBCR, // delivered as YCbCr: everything but new JPEG, which libjpeg turns into RGB
  TIFF_KIND_LAB,
} tiff_kind;

enum { TIFF_ROWS_A_POLL = 16 };
// Memory that the work is measured by where the request sets no limit.
enum { TIFF_UNLIMITED_MEMORY = 512 << 20 };

typedef struct tiff_facts {
  uint32_t width, height;
  uint16_t compression;
  uint16_t photometric;
  uint8_t stored_bits; // a sample, in the file
  uint8_t bits;        // a sample, as libtiff delivers it
  uint16_t format;     // SAMPLEFORMAT_UINT, _INT or _IEEEFP, as delivered
  uint16_t samples;    // a pixel
  uint16_t orientation;
  tiff_kind kind;
  imgc_color_model model;
  uint16_t colors;       // samples that make the colour: 1, 3 or 4
  int alpha;             // index of the alpha sample; -1: none
  bool associated;       // colours are multiplied by alpha
  bool inverted;         // WhiteIsZero
  bool separate;         // a plane for each sample
  uint16_t planes;       // planes to read: 1, or colors and alpha
  uint16_t sub_x, sub_y; // YCbCr: luma samples a chroma sample; else 1

  // Strips and tiles are treated alike; a strip is a tile as wide as the picture.
  bool tiled;
  uint32_t tile_width, tile_height; // pixels
  uint32_t across, down;            // tiles
  uint64_t unit_bytes; // one row of a tile in one plane; sub_y rows of subsampled YCbCr
  uint64_t tile_bytes; // one tile in one plane
  bool direct;         // not compressed: samples are read where they lie in the input
  bool swapped;        // direct samples are in the other byte order
  bool reversed;       // the input's bytes are least significant bit first
  bool own_lzw;        // tiff_lzw.c is tried first
  bool sums;           // and the samples of a row are differences (Predictor 2), of 8 or 16 bits
  uint32_t band_rows;  // to be written before they may go on into a resampler
  uint64_t work_bytes;
  uint64_t retry_cost; // nanoseconds for decoding again after damage
} tiff_facts;

// CCITT: 1-bit rows, in which damage is found and reported row by row.
static inline bool tiff_is_fax(uint16_t compression) {
  return compression == COMPRESSION_CCITTRLE || compression == COMPRESSION_CCITTRLEW ||
         compression == COMPRESSION_CCITTFAX3 || compression == COMPRESSION_CCITTFAX4;
}

// The plane index of the k-th plane that is read.
static inline uint16_t tiff_plane(const tiff_facts *facts, uint16_t k) {
  return k < facts->colors ? k : (uint16_t)facts->alpha;
}

// Rows in the tiles of tile row `down`: the last strip is cut, the last tile is not.
static inline uint32_t tiff_tile_rows(const tiff_facts *facts, uint32_t down) {
  uint32_t left = facts->height - down * facts->tile_height;
  return facts->tiled || left > facts->tile_height ? facts->tile_height : left;
}

#endif
