#include "tiff/strips/tiff_recover.h"
#include "core/limits.h"
#include "tiff/page/tiff_work.h"

#include <string.h>

// Subtracts the cost of decoding the strip once more from the page's budget for decoding damaged
// strips again. Returns false, and subtracts nothing, when the budget does not suffice for decoding
// the strip `passes` times, or when the decode is cancelled or out of memory.
static bool charge(tiff_reader *r, const tiff_strile *s, unsigned passes) {
  if (r->out_of_memory || imgc_cancel_poll(r->request->cancel)) return false;
  uint64_t cost = tiff_cost(r->properties, s->units * r->properties->unit_bytes, s->size);
  if (r->retry_left / passes < cost || imgc_charge(r->request, cost, NULL)) return false;
  r->retry_left -= cost;
  return true;
}

// Returns byte i of a pseudo-random sequence that is unlikely in an image.
static uint8_t noise(uint64_t i) { return (uint8_t)((uint32_t)i * 2654435761u >> 24); }

static void fill_with_noise(tiff_reader *r, const tiff_strile *s, uint8_t change) {
  uint64_t bytes = s->units * r->properties->unit_bytes;
  for (uint64_t i = 0; i < bytes; i++) s->to[i] = noise(i) ^ change;
  r->output_is_dirty = true;
}

// Returns the number of output bytes up to the last byte that differs from the bytes of
// fill_with_noise.
static uint64_t written(const tiff_reader *r, const tiff_strile *s, uint8_t change) {
  uint64_t reached = s->units * r->properties->unit_bytes;
  while (reached > 0 && s->to[reached - 1] == (noise(reached - 1) ^ change)) reached--;
  return reached;
}

// Returns an input size that excludes the last byte of the zlib checksum. zlib reports a wrong
// checksum only when the checksum is complete, so with this size zlib returns the samples before
// the checksum. Returns the complete size for other codecs, and if the file ends inside the data.
static uint64_t size_without_checksum(const tiff_reader *r, const tiff_strile *s) {
  switch (r->properties->compression) {
  case COMPRESSION_ADOBE_DEFLATE:
  case COMPRESSION_DEFLATE:
  case COMPRESSION_PIXARLOG: return s->truncated || s->size == 0 ? s->size : s->size - 1;
  default: return s->size;
  }
}

// After a failure libtiff does not report how many bytes the codec decoded, and libtiff does not
// apply the predictor and the byte order. So the output is filled with noise before a decode, to
// detect the written bytes. Then only the units (of unit_bytes each) that were written are decoded
// again, which succeeds. For codecs that clear their output first, or write only at the end, a
// binary search finds the last intact unit.
uint64_t tiff_recover(tiff_reader *r, const tiff_strile *strile) {
  tiff_strile s = *strile;
  s.size = size_without_checksum(r, strile);
  if (!charge(r, &s, 1)) return 0;
  fill_with_noise(r, &s, 0);
  if (tiff_decode(r, &s, s.units)) return s.units;
  // Two bytes are added, because the last written bytes may equal the noise by chance.
  uint64_t reached = (written(r, &s, 0) + 2) / r->properties->unit_bytes;
  bool reach_is_unknown = reached >= s.units || r->properties->compression == COMPRESSION_PIXARLOG;

  uint64_t intact = 0, damaged_from = reach_is_unknown ? s.units : reached + 1, step = 1;
  bool output_is_valid = false;
  while (damaged_from - intact > 1 && charge(r, &s, intact ? 2 : 1)) {
    uint64_t units = intact                ? intact + (damaged_from - intact) / 2
                     : damaged_from > step ? damaged_from - step
                                           : damaged_from / 2;
    tiff_clear(r, &s);
    output_is_valid = tiff_decode(r, &s, units);
    if (output_is_valid)
      intact = units;
    else
      damaged_from = units, step *= 2;
  }
  if (intact == 0 || output_is_valid) return intact;
  tiff_clear(r, &s);
  return tiff_decode(r, &s, intact) ? intact : 0; // the previous charge includes this pass
}

// ---------------------------------------------------------------- CCITT

static bool has_message(const tiff_file *file) {
  const tiff_fax_notes *n = &file->fax;
  return n->first_invalid != TIFF_NO_ROW || n->last_short != TIFF_NO_ROW ||
         n->empty_last != TIFF_NO_ROW;
}

// Decodes all rows; returns true when libtiff reports no problem.
static bool decode_rows(tiff_reader *r, const tiff_strile *s) {
  tiff_fax_clear(&r->file->fax);
  return tiff_decode(r, s, s->units) && r->file->warnings == 0 && !has_message(r->file);
}

// Returns the number of complete rows. Rows that libtiff writes are final, because CCITT has no
// predictor. A written row can equal the bytes of fill_with_noise by chance, but not also their
// complement, so the data is decoded over both.
static uint64_t count_rows(tiff_reader *r, tiff_strile *s) {
  uint64_t row = r->properties->unit_bytes, rows = 0;
  for (int pass = 0; pass < 2 && rows < s->units && charge(r, s, 1); pass++) {
    uint8_t change = pass ? 0xFF : 0;
    fill_with_noise(r, s, change);
    decode_rows(r, s);
    uint64_t seen = (written(r, s, change) + row - 1) / row;
    if (seen > rows) rows = seen;
  }
  return tiff_fax_complete(&r->file->fax, rows, s->units, &s->has_part);
}

static uint64_t read_rows(tiff_reader *r, tiff_strile *s) {
  tiff_clear(r, s);
  s->intact = decode_rows(r, s);
  if (s->intact) return s->units;
  uint64_t rows = count_rows(r, s);
  // The data ended early: an end code precedes the last row, or the decoder read zeros after the
  // last byte.
  if (rows < s->units && r->file->fax.first_invalid == TIFF_NO_ROW) s->truncated = true;
  return rows;
}

static bool is_one_dimensional(TIFF *tif) {
  uint32_t options = 0;
  TIFFGetField(tif, TIFFTAG_GROUP3OPTIONS, &options);
  return !(options & GROUP3OPT_2DENCODING);
}

// Some writers of Group 3 data omit the EOL codes, which older versions of libtiff require. Without
// EOL codes the data is encoded as with Compression 2, but without byte alignment of rows.
static uint64_t read_without_eol(tiff_reader *r, tiff_strile *s) {
  TIFF *tif = r->file->tif;
  bool was_truncated = s->truncated;
  uint32_t options = 0;
  if (!charge(r, s, 1)) return 0;
  TIFFGetField(tif, TIFFTAG_GROUP3OPTIONS, &options);
  if (!TIFFSetField(tif, TIFFTAG_COMPRESSION, COMPRESSION_CCITTRLE)) return 0;
  TIFFSetField(tif, TIFFTAG_FAXMODE, FAXMODE_NORTC | FAXMODE_NOEOL);
  uint64_t rows = read_rows(r, s);
  if (rows > 0 && r->file->fax.first_invalid != 0) {
    r->without_eol = true;
    return rows;
  }
  TIFFSetField(tif, TIFFTAG_COMPRESSION, COMPRESSION_CCITTFAX3);
  TIFFSetField(tif, TIFFTAG_GROUP3OPTIONS, options);
  s->truncated = was_truncated, s->intact = false, s->has_part = false;
  return 0;
}

uint64_t tiff_read_fax(tiff_reader *r, tiff_strile *s) {
  uint64_t rows = read_rows(r, s);
  bool may_lack_eol = rows == 0 && !r->without_eol &&
                      r->properties->compression == COMPRESSION_CCITTFAX3 &&
                      is_one_dimensional(r->file->tif);
  return may_lack_eol ? read_without_eol(r, s) : rows;
}
