// Checked properties of one page of a TIFF file.

#ifndef IMGC_TIFF_PROPERTIES_H
#define IMGC_TIFF_PROPERTIES_H

#include "tiff/page/tiff_open.h"

typedef enum tiff_kind {
  TIFF_KIND_GRAY,
  TIFF_KIND_RGB,
  TIFF_KIND_PALETTE,
  TIFF_KIND_CMYK,
  TIFF_KIND_YCBCR, // libtiff delivers YCbCr; libjpeg converts new-style JPEG to RGB instead
  TIFF_KIND_LAB,
} tiff_kind;

enum { TIFF_ROWS_PER_POLL = 16 };
// tiff_work.c computes limits of the decoding time from the max_memory of the request, or from this
// number of bytes when the request has no max_memory.
enum { TIFF_UNLIMITED_MEMORY = 512 << 20 };

typedef struct tiff_properties {
  uint32_t width, height;
  uint16_t compression;
  uint16_t photometric;
  uint8_t stored_bits; // bits per sample in the file
  uint8_t bits;        // bits per sample as libtiff delivers it
  uint16_t format;     // SAMPLEFORMAT_UINT, _INT or _IEEEFP, as delivered
  uint16_t samples;    // per pixel
  uint16_t orientation;
  tiff_kind kind;
  imgc_color_model model;
  uint16_t colors;       // colour samples per pixel: 1, 3 or 4
  int alpha;             // index of the alpha sample; -1: none
  bool associated;       // colours are premultiplied by alpha
  bool inverted;         // WhiteIsZero
  bool separate;         // one plane per sample
  uint16_t planes;       // planes to read: 1, or the number of colours plus alpha
  uint16_t sub_x, sub_y; // YCbCr: luma samples per chroma sample; otherwise 1

  // Strips and tiles are decoded by the same code: a strip is a tile with the width of the image.
  bool tiled;
  uint32_t tile_width, tile_height; // pixels
  uint32_t tile_columns, tile_rows; // number of tiles
  uint64_t unit_bytes;              // one tile row in one plane; sub_y rows for subsampled YCbCr
  uint64_t tile_bytes;              // one tile in one plane
  bool direct;        // not compressed: rows are read directly from the file in memory
  bool swapped;       // the byte order of direct samples is not the native one
  bool reversed;      // FillOrder 2: the first bit of each byte is the least significant one
  bool native_lzw;    // tiff_lzw.c decodes intact data instead of libtiff
  bool has_predictor; // for native_lzw: horizontal predictor (Predictor 2) of 8 or 16 bits
  uint32_t band_rows; // rows of the band buffer
  uint64_t work_bytes;
  uint64_t cost;       // estimated nanoseconds to decode the page
  uint64_t retry_cost; // nanoseconds available for decoding again after damage
} tiff_properties;

// Returns true for CCITT compression, of which libtiff detects and reports damage per row.
static inline bool tiff_is_fax(uint16_t compression) {
  return compression == COMPRESSION_CCITTRLE || compression == COMPRESSION_CCITTRLEW ||
         compression == COMPRESSION_CCITTFAX3 || compression == COMPRESSION_CCITTFAX4;
}

// Returns the index in the file of the k-th plane to read: the planes of the colours, then alpha.
static inline uint16_t tiff_plane(const tiff_properties *properties, uint16_t k) {
  return k < properties->colors ? k : (uint16_t)properties->alpha;
}

// Returns the number of pixel rows in each tile of a row of tiles; `tile_rows` is the number of
// rows of tiles above. The last strip contains only the remaining rows of the image, but tiles at
// the bottom are complete.
static inline uint32_t tiff_rows_in_tile(const tiff_properties *properties, uint32_t tile_rows) {
  uint32_t left = properties->height - tile_rows * properties->tile_height;
  return properties->tiled || left > properties->tile_height ? properties->tile_height : left;
}

#endif
