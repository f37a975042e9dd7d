#include "jpeg_baseline.h"
#include "jpeg_huffman.h"
#include "jpeg_reduced.h"
#include "rows.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STEP = 4095, MAX_PLANES = 3, MAX_SIDE = 4 };

// MCUs from which on the tables of imgc_jpeg_block_dc are worth the making.
enum { LEAST_MCUS_FOR_SKIPS = 2000 };

typedef struct plane {
  unsigned across, down; // blocks of an MCU
  unsigned size;         // samples of a block, on each side
  int32_t steps[DCTSIZE2];
  const imgc_huffman *dc, *ac;
  const imgc_huffman_skips *skips; // NULL where more than DC counts, or little is to be read
  int32_t last_dc;
  uint8_t *samples; // a row of MCUs
} plane;

struct jpeg_baseline {
  imgc_jpeg_bits bits;
  uint32_t restart_interval; // MCUs; 0: no markers
  uint32_t until_restart;
  unsigned next_restart;         // 0...7
  uint32_t columns;              // MCUs
  uint32_t mcu_rows;             // still to be read
  unsigned side;                 // samples of an MCU, on each side; the same in all planes
  uint32_t width;                // pixels
  unsigned row;                  // next one of the MCUs that were read; `side`: none left
  unsigned count;                // planes, in the order of the scan
  uint8_t *in_order[MAX_PLANES]; // Y, Cb, Cr
  plane planes[MAX_PLANES];
  imgc_huffman dc[2], ac[2];
  imgc_huffman_skips skips[2]; // of `ac`
};

// ---------------------------------------------------------------- what it takes

static bool is_plain(const struct jpeg_decompress_struct *cinfo) {
  const bool has_color = cinfo->num_components == 3 && cinfo->jpeg_color_space == JCS_YCbCr;
  const bool is_gray = cinfo->num_components == 1 && cinfo->jpeg_color_space == JCS_GRAYSCALE;
  return (has_color || is_gray) && cinfo->out_color_space == JCS_EXT_RGBA &&
         cinfo->comps_in_scan == cinfo->num_components && cinfo->data_precision == 8 &&
         !cinfo->progressive_mode && !cinfo->arith_code && !cinfo->CCIR601_sampling &&
         cinfo->Ss == 0 && cinfo->Se == DCTSIZE2 - 1 && cinfo->Ah == 0 && cinfo->Al == 0 &&
         (cinfo->min_DCT_scaled_size == 1 || cinfo->min_DCT_scaled_size == 2);
}

// libjpeg makes chroma of half the size larger by an inverse DCT of twice the points, and nothing
// is left to be interpolated.
static bool add_plane(jpeg_baseline *b, const struct jpeg_decompress_struct *cinfo,
                      const jpeg_component_info *c) {
  plane *p = &b->planes[b->count++];
  p->across = cinfo->num_components == 1 ? 1 : (unsigned)c->h_samp_factor;
  p->down = cinfo->num_components == 1 ? 1 : (unsigned)c->v_samp_factor;
  p->size = (unsigned)c->DCT_scaled_size;
  if (p->across != p->down || p->across > 2 || p->across * p->size != b->side) return false;
  if (c->quant_tbl_no < 0 || c->quant_tbl_no >= NUM_QUANT_TBLS) return false;
  const JQUANT_TBL *table = cinfo->quant_tbl_ptrs[c->quant_tbl_no];
  if (!table || c->dc_tbl_no < 0 || c->dc_tbl_no > 1 || c->ac_tbl_no < 0 || c->ac_tbl_no > 1)
    return false;
  for (unsigned k = 0; k < DCTSIZE2; k++) {
    p->steps[k] = table->quantval[imgc_jpeg_order[k]];
    if (p->steps[k] > MAX_STEP) return false;
  }
  p->dc = &b->dc[c->dc_tbl_no];
  p->ac = &b->ac[c->ac_tbl_no];
  return true;
}

static bool make_tables(jpeg_baseline *b, const struct jpeg_decompress_struct *cinfo) {
  for (unsigned i = 0; i < 2; i++) {
    const JHUFF_TBL *dc = cinfo->dc_huff_tbl_ptrs[i], *ac = cinfo->ac_huff_tbl_ptrs[i];
    for (unsigned k = 0; k < b->count; k++) {
      if (b->planes[k].dc == &b->dc[i] && !dc) return false;
      if (b->planes[k].ac == &b->ac[i] && !ac) return false;
    }
    // A table that no plane has may be anything.
    if (dc && !imgc_huffman_make(&b->dc[i], dc->bits, dc->huffval, false)) return false;
    if (ac && !imgc_huffman_make(&b->ac[i], ac->bits, ac->huffval, true)) return false;
  }
  return true;
}

static void make_skips(jpeg_baseline *b) {
  if ((uint64_t)b->columns * b->mcu_rows < LEAST_MCUS_FOR_SKIPS) return;
  bool is_made[2] = {false, false};
  for (unsigned k = 0; k < b->count; k++) {
    plane *p = &b->planes[k];
    if (p->size != 1) continue;
    const ptrdiff_t i = p->ac - b->ac;
    if (!is_made[i]) imgc_huffman_skips_make(&b->skips[i], p->ac);
    is_made[i] = true;
    p->skips = &b->skips[i];
  }
}

static bool set_up(jpeg_baseline *b, const struct jpeg_decompress_struct *cinfo) {
  const unsigned most = cinfo->num_components == 1 ? 1 : (unsigned)cinfo->max_h_samp_factor;
  const uint32_t mcu = most * DCTSIZE;
  b->side = most * (unsigned)cinfo->min_DCT_scaled_size;
  if (b->side > MAX_SIDE) return false;
  for (int i = 0; i < cinfo->comps_in_scan; i++)
    if (!add_plane(b, cinfo, cinfo->cur_comp_info[i])) return false;
  if (!make_tables(b, cinfo)) return false;
  b->columns = (cinfo->image_width + mcu - 1) / mcu;
  b->mcu_rows = (cinfo->image_height + mcu - 1) / mcu;
  make_skips(b);
  b->width = cinfo->output_width;
  b->row = b->side;
  b->restart_interval = b->until_restart = cinfo->restart_interval;
  b->bits.next = cinfo->src->next_input_byte;
  b->bits.end = b->bits.next + cinfo->src->bytes_in_buffer;
  // A side has at most 65,535 pixels.
  const size_t plane_bytes = (size_t)b->columns * b->side * b->side;
  uint8_t *samples = malloc(plane_bytes * b->count);
  if (!samples) return false;
  for (unsigned i = 0; i < b->count; i++) {
    b->planes[i].samples = samples + i * plane_bytes;
    b->in_order[cinfo->cur_comp_info[i]->component_index] = b->planes[i].samples;
  }
  return true;
}

jpeg_baseline *imgc_jpeg_baseline_open(const struct jpeg_decompress_struct *cinfo) {
  if (!is_plain(cinfo)) return NULL;
  jpeg_baseline *b = calloc(1, sizeof *b);
  if (b && !set_up(b, cinfo)) {
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

// RST0...RST7 in turn, right behind the bits that fill the last byte.
static bool restart(jpeg_baseline *b) {
  imgc_jpeg_bits *bits = &b->bits;
  if (bits->count >= 8 || bits->end - bits->next < 2) return false;
  if (bits->next[0] != 0xFF || bits->next[1] != JPEG_RST0 + b->next_restart) return false;
  *bits = (imgc_jpeg_bits){.next = bits->next + 2, .end = bits->end};
  for (unsigned i = 0; i < b->count; i++) b->planes[i].last_dc = 0;
  b->next_restart = (b->next_restart + 1) % 8;
  b->until_restart = b->restart_interval;
  return true;
}

static bool read_flat_blocks(jpeg_baseline *b, plane *p, uint32_t column) {
  const size_t stride = (size_t)b->columns * b->side;
  for (unsigned y = 0; y < p->down; y++) {
    for (unsigned x = 0; x < p->across; x++) {
      int16_t dc;
      if (!imgc_jpeg_block_dc(&b->bits, p->dc, p->ac, p->skips, p->steps[0], &p->last_dc, &dc))
        return false;
      imgc_jpeg_reduce_flat(p->samples + y * stride + (size_t)column * b->side + x, stride, dc, 1);
    }
  }
  return true;
}

static bool read_blocks(jpeg_baseline *b, plane *p, uint32_t column) {
  if (p->skips) return read_flat_blocks(b, p, column);
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

static bool read_mcus(jpeg_baseline *b) {
  if (b->mcu_rows == 0) return false;
  b->mcu_rows--;
  for (uint32_t column = 0; column < b->columns; column++) {
    if (b->restart_interval) {
      if (b->until_restart == 0 && !restart(b)) return false;
      b->until_restart--;
    }
    for (unsigned i = 0; i < b->count; i++)
      if (!read_blocks(b, &b->planes[i], column)) return false;
  }
  b->row = 0;
  return true;
}

bool imgc_jpeg_baseline_read(jpeg_baseline *b, uint8_t *const *rows, uint32_t count) {
  for (uint32_t i = 0; i < count; i++, b->row++) {
    if (b->row == b->side && !read_mcus(b)) return false;
    const size_t at = (size_t)b->row * b->columns * b->side;
    if (b->count == 1)
      imgc_row_gray8(rows[i], b->in_order[0] + at, b->width);
    else
      imgc_jpeg_row_rgba(rows[i], b->in_order[0] + at, b->in_order[1] + at, b->in_order[2] + at,
                         b->width);
  }
  return true;
}
