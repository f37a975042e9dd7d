#include "jpeg/baseline/jpeg_baseline.h"
#include "CImageCodecs.h"
#include "core/copy.h"
#include "jpeg/baseline/jpeg_block.h"
#include "jpeg/baseline/jpeg_flat.h"
#include "jpeg/baseline/jpeg_reduced.h"
#include "rows/rows.h"

#include <stdlib.h>

enum { MAX_STEP = 4095, MAX_PLANES = 3, MAX_SIDE = 4 };
// Limit of blocks in an MCU of several components (T.81, B.2.3).
enum { MAX_BLOCKS = 10 };

// Minimum number of MCUs of an image for which imgc_jpeg_flat_mcus saves more time than the
// construction of its tables takes. Fuzz/run defines this number as 0, so that small files use the
// tables too.
#ifndef IMGC_MIN_MCUS_FOR_SKIPS
#define IMGC_MIN_MCUS_FOR_SKIPS 1000
#endif

typedef struct plane {
  unsigned across, down; // blocks of an MCU, horizontally and vertically
  unsigned size;         // samples of a block per side: 1, 2 or 4
  int32_t steps[DCTSIZE2];
  const imgc_huffman *dc, *ac;
  unsigned flat_size; // samples per side that imgc_jpeg_flat_mcus reads; 0: it is not used
  int32_t last_dc;
  uint8_t *samples; // the samples of a row of MCUs
} plane;

struct jpeg_baseline {
  imgc_jpeg_bits bits;
  uint32_t restart_interval; // MCUs; 0: no markers
  uint32_t until_restart;
  unsigned next_restart;                  // 0...7
  uint32_t columns;                       // columns of MCUs
  uint32_t mcu_rows;                      // rows of MCUs still to read
  unsigned side;                          // samples of an MCU per side, equal in all planes
  uint32_t width;                         // pixels
  unsigned row;                           // next unread row of the decoded MCUs; `side`: none
  unsigned count;                         // planes, in the order of the scan
  uint8_t *component_samples[MAX_PLANES]; // Y, Cb, Cr
  plane planes[MAX_PLANES];
  imgc_huffman dc[2], ac[2];
  imgc_huffman_skips skips[2];      // skip tables of `ac`
  imgc_flat_plane flat[MAX_PLANES]; // entries for those of `planes` that are flat
  uint8_t block_planes[MAX_BLOCKS]; // the plane of each block of an MCU
  unsigned blocks;                  // blocks per MCU when all planes are flat; otherwise 0
  unsigned flat_bytes;              // samples per MCU when all planes are flat; otherwise 0
  uint8_t *flat_samples;            // a row of MCUs whose planes are all flat, in data order
};

// ---------------------------------------------------------------- supported files

static bool is_supported(const struct jpeg_decompress_struct *cinfo) {
  const bool has_color = cinfo->num_components == 3 && cinfo->jpeg_color_space == JCS_YCbCr;
  const bool is_gray = cinfo->num_components == 1 && cinfo->jpeg_color_space == JCS_GRAYSCALE;
  return (has_color || is_gray) && cinfo->out_color_space == JCS_EXT_RGBA &&
         cinfo->comps_in_scan == cinfo->num_components && cinfo->data_precision == 8 &&
         !cinfo->progressive_mode && !cinfo->arith_code && !cinfo->CCIR601_sampling &&
         cinfo->Ss == 0 && cinfo->Se == DCTSIZE2 - 1 && cinfo->Ah == 0 && cinfo->Al == 0 &&
         (IMGC_JPEG_MIN_DCT_SIZE(cinfo) == 1 || IMGC_JPEG_MIN_DCT_SIZE(cinfo) == 2);
}

// Adds the plane of a component; returns false if it is not supported. libjpeg enlarges subsampled
// chroma by an inverse DCT of twice the size, so no interpolation is necessary.
static bool add_plane(jpeg_baseline *b, const struct jpeg_decompress_struct *cinfo,
                      const jpeg_component_info *c) {
  plane *p = &b->planes[b->count++];
  p->across = cinfo->num_components == 1 ? 1 : (unsigned)c->h_samp_factor;
  p->down = cinfo->num_components == 1 ? 1 : (unsigned)c->v_samp_factor;
  p->size = (unsigned)IMGC_JPEG_DCT_SIZE(c);
  if (p->across != p->down || p->across > 2 || p->across * p->size != b->side) return false;
  if (c->quant_tbl_no < 0 || c->quant_tbl_no >= NUM_QUANT_TBLS) return false;
  const JQUANT_TBL *table = cinfo->quant_tbl_ptrs[c->quant_tbl_no];
  if (!table || c->dc_tbl_no < 0 || c->dc_tbl_no > 1 || c->ac_tbl_no < 0 || c->ac_tbl_no > 1)
    return false;
  for (unsigned k = 0; k < DCTSIZE2; k++) {
    p->steps[k] = table->quantval[imgc_jpeg_order[k]];
    // A quantization step of 0 is rejected, because the range check of the dequantized DC value
    // would then not limit the sum of the DC differences.
    if (p->steps[k] == 0 || p->steps[k] > MAX_STEP) return false;
  }
  p->dc = &b->dc[c->dc_tbl_no];
  p->ac = &b->ac[c->ac_tbl_no];
  return true;
}

static bool init_tables(jpeg_baseline *b, const struct jpeg_decompress_struct *cinfo) {
  for (unsigned i = 0; i < 2; i++) {
    const JHUFF_TBL *dc = cinfo->dc_huff_tbl_ptrs[i], *ac = cinfo->ac_huff_tbl_ptrs[i];
    for (unsigned k = 0; k < b->count; k++) {
      if (b->planes[k].dc == &b->dc[i] && !dc) return false;
      if (b->planes[k].ac == &b->ac[i] && !ac) return false;
    }
    // A table may be missing when no plane uses it.
    if (dc && !imgc_huffman_init(&b->dc[i], dc->bits, dc->huffval, false)) return false;
    if (ac && !imgc_huffman_init(&b->ac[i], ac->bits, ac->huffval, true)) return false;
  }
  return true;
}

// Returns the samples per side that imgc_jpeg_flat_mcus reads from a block; 0 when it is not used,
// because more coefficients are needed, or because the image has too few MCUs.
static unsigned flat_size(const jpeg_baseline *b, const plane *p, uint32_t flags) {
  if ((uint64_t)b->columns * b->mcu_rows < IMGC_MIN_MCUS_FOR_SKIPS) return 0;
  if (p->size == 1) return 1;
  if (p->size > 2) return 0;
  if (flags & IMGC_FLAT_CHROMA && p->size == b->side) return 1;
  return flags & IMGC_LOW_FREQUENCIES ? 2 : 0;
}

static void init_flat_planes(jpeg_baseline *b, uint32_t flags) {
  bool has_skips[2] = {false, false}, is_all = true;
  unsigned blocks = 0, bytes = 0;
  for (unsigned k = 0; k < b->count; k++) {
    plane *p = &b->planes[k];
    const unsigned size = flat_size(b, p, flags);
    p->flat_size = size;
    is_all = is_all && size > 0;
    if (size == 0) continue;
    const ptrdiff_t i = p->ac - b->ac;
    if (!has_skips[i]) imgc_huffman_skips_init(&b->skips[i], p->ac);
    has_skips[i] = true;
    b->flat[k] = (imgc_flat_plane){p->dc, p->ac, &b->skips[i], p->steps, size, 0};
    for (unsigned n = 0; n < p->across * p->down; n++) {
      b->block_planes[blocks++] = (uint8_t)k;
      bytes += size * size;
    }
  }
  b->blocks = is_all ? blocks : 0;
  b->flat_bytes = is_all ? bytes : 0;
}

static bool init(jpeg_baseline *b, const struct jpeg_decompress_struct *cinfo, uint32_t flags) {
  const unsigned most = cinfo->num_components == 1 ? 1 : (unsigned)cinfo->max_h_samp_factor;
  const uint32_t mcu = most * DCTSIZE;
  b->side = most * (unsigned)IMGC_JPEG_MIN_DCT_SIZE(cinfo);
  if (b->side > MAX_SIDE) return false;
  for (int i = 0; i < cinfo->comps_in_scan; i++)
    if (!add_plane(b, cinfo, cinfo->cur_comp_info[i])) return false;
  unsigned blocks = 0;
  for (unsigned k = 0; k < b->count; k++) blocks += b->planes[k].across * b->planes[k].down;
  if (blocks > MAX_BLOCKS) return false;
  if (!init_tables(b, cinfo)) return false;
  b->columns = (cinfo->image_width + mcu - 1) / mcu;
  b->mcu_rows = (cinfo->image_height + mcu - 1) / mcu;
  init_flat_planes(b, flags);
  b->width = cinfo->output_width;
  b->row = b->side;
  b->restart_interval = b->until_restart = cinfo->restart_interval;
  b->bits.next = cinfo->src->next_input_byte;
  b->bits.end = b->bits.next + cinfo->src->bytes_in_buffer;
  // The product fits into size_t, because the width is at most 65,535 pixels.
  const size_t plane_bytes = (size_t)b->columns * b->side * b->side;
  uint8_t *samples = malloc(plane_bytes * b->count + (size_t)b->columns * b->flat_bytes);
  if (!samples) return false;
  b->flat_samples = samples + plane_bytes * b->count;
  for (unsigned i = 0; i < b->count; i++) {
    b->planes[i].samples = samples + i * plane_bytes;
    b->component_samples[cinfo->cur_comp_info[i]->component_index] = b->planes[i].samples;
  }
  return true;
}

jpeg_baseline *imgc_jpeg_baseline_open(const struct jpeg_decompress_struct *cinfo, uint32_t flags) {
  if (!is_supported(cinfo)) return NULL;
  jpeg_baseline *b = calloc(1, sizeof *b);
  if (b && !init(b, cinfo, flags)) {
    free(b);
    return NULL;
  }
  return b;
}

void imgc_jpeg_baseline_close(jpeg_baseline *b) {
  if (b) free(b->planes[0].samples);
  free(b);
}

const uint8_t *imgc_jpeg_baseline_next(const jpeg_baseline *b) { return b->bits.next; }

// ---------------------------------------------------------------- MCUs

// Reads a restart marker. It must be the next one of the sequence RST0...RST7, and only padding
// bits may precede it.
static bool restart(jpeg_baseline *b) {
  imgc_jpeg_bits *bits = &b->bits;
  if (bits->count >= 8 || bits->end - bits->next < 2) return false;
  if (bits->next[0] != 0xFF || bits->next[1] != JPEG_RST0 + b->next_restart) return false;
  *bits = (imgc_jpeg_bits){.next = bits->next + 2, .end = bits->end};
  for (unsigned i = 0; i < b->count; i++) b->planes[i].last_dc = b->flat[i].last_dc = 0;
  b->next_restart = (b->next_restart + 1) % 8;
  b->until_restart = b->restart_interval;
  return true;
}

// Writes the samples of a block. A single sample is repeated if `size` is 2. Returns the position
// after the last sample that was read.
static inline const uint8_t *write_samples(uint8_t *to, size_t stride, unsigned size,
                                           const uint8_t *from, unsigned flat_size) {
  if (flat_size == 2) {
    imgc_copy(to, from, 2);
    imgc_copy(to + stride, from + 2, 2);
    return from + 4;
  }
  to[0] = from[0];
  if (size > 1) to[1] = to[stride] = to[stride + 1] = from[0];
  return from + 1;
}

// Writes a plane's samples of MCU `column`. `from` contains the samples in data order; returns the
// position after the last sample that was read.
static const uint8_t *write_blocks(const jpeg_baseline *b, const plane *p, uint32_t column,
                                   const uint8_t *from) {
  const size_t stride = (size_t)b->columns * b->side;
  uint8_t *to = p->samples + (size_t)column * b->side;
  for (unsigned y = 0; y < p->down; y++)
    for (unsigned x = 0; x < p->across; x++)
      from = write_samples(to + y * p->size * stride + x * p->size, stride, p->size, from,
                           p->flat_size);
  return from;
}

static bool read_blocks(jpeg_baseline *b, plane *p, uint32_t column) {
  if (p->flat_size) {
    static const uint8_t first[MAX_BLOCKS];
    uint8_t samples[MAX_BLOCKS * 4];
    imgc_flat_plane *flat = &b->flat[p - b->planes];
    if (!imgc_jpeg_flat_mcus(&b->bits, flat, first, p->across * p->down, 1, samples)) return false;
    write_blocks(b, p, column, samples);
    return true;
  }
  const size_t stride = (size_t)b->columns * b->side;
  for (unsigned y = 0; y < p->down; y++) {
    for (unsigned x = 0; x < p->across; x++) {
      int16_t block[DCTSIZE2] = {0};
      unsigned count = imgc_jpeg_block(&b->bits, p->dc, p->ac, p->steps, &p->last_dc, block);
      uint8_t *to = p->samples + y * p->size * stride + (size_t)column * b->side + x * p->size;
      if (count == 0) return false;
      if (count == 1)
        imgc_jpeg_reduce_flat(to, stride, block[0], p->size);
      else
        imgc_jpeg_reduce(to, stride, block, p->size);
    }
  }
  return true;
}

// Returns the number of MCUs from `column` to the next restart marker or the end of the row, at
// most `most`; 0 when an expected marker is missing.
static uint32_t mcus_until_restart(jpeg_baseline *b, uint32_t column, uint32_t most) {
  const uint32_t left = b->columns - column < most ? b->columns - column : most;
  if (b->restart_interval == 0) return left;
  if (b->until_restart == 0 && !restart(b)) return 0;
  const uint32_t count = left < b->until_restart ? left : b->until_restart;
  b->until_restart -= count;
  return count;
}

static bool read_flat_row(jpeg_baseline *b) {
  for (uint32_t column = 0; column < b->columns;) {
    const uint32_t count = mcus_until_restart(b, column, b->columns);
    if (count == 0 || !imgc_jpeg_flat_mcus(&b->bits, b->flat, b->block_planes, b->blocks, count,
                                           b->flat_samples + (size_t)column * b->flat_bytes))
      return false;
    column += count;
  }
  const uint8_t *from = b->flat_samples;
  for (uint32_t column = 0; column < b->columns; column++)
    for (unsigned i = 0; i < b->count; i++) from = write_blocks(b, &b->planes[i], column, from);
  return true;
}

static bool read_row(jpeg_baseline *b) {
  if (b->blocks > 0) return read_flat_row(b);
  for (uint32_t column = 0; column < b->columns; column++) {
    if (mcus_until_restart(b, column, 1) == 0) return false;
    for (unsigned i = 0; i < b->count; i++)
      if (!read_blocks(b, &b->planes[i], column)) return false;
  }
  return true;
}

static bool read_mcus(jpeg_baseline *b) {
  if (b->mcu_rows == 0) return false;
  b->mcu_rows--;
  b->row = 0;
  return read_row(b);
}

bool imgc_jpeg_baseline_read(jpeg_baseline *b, uint8_t *const *rows, uint32_t count) {
  for (uint32_t i = 0; i < count; i++, b->row++) {
    if (b->row == b->side && !read_mcus(b)) return false;
    const size_t at = (size_t)b->row * b->columns * b->side;
    if (b->count == 1)
      imgc_row_gray8(rows[i], b->component_samples[0] + at, b->width);
    else
      imgc_jpeg_row_rgba(rows[i], b->component_samples[0] + at, b->component_samples[1] + at,
                         b->component_samples[2] + at, b->width);
  }
  return true;
}
