// Streaming decoder for intact image data: it stores only a window of the decompressed data, a few
// rows, and pixels. For irregular data libpng decodes the image again from the start; the rows that
// were already pushed are correct.

#include "png/png_stream.h"
#include "core/bytes.h"
#include "core/cancel.h"
#include "core/limits.h"
#include "core/report.h"
#include "core/scratch.h"
#include "inflate/inflate.h"
#include "png/png_fast.h"
#include "png/png_rows.h"
#include "png/unfilter/png_unfilter.h"

#include <libdeflate.h>
#include <string.h>

// The tables of a deflate block with dynamic codes, which can have no data.
enum { WORK_BLOCK = 2 * IMGC_WORK_PREFIX_CODE };

typedef struct stream {
  const imgc_png_image *image;
  imgc_png_source source;
  uint64_t segments;
  imgc_png_rows *rows; // NULL: only check that the data is valid
  size_t row_size;     // bytes of a row with its filter byte
  unsigned bpp;
  uint32_t batch; // number of rows that are reconstructed together
  uint32_t row;   // first row of the batch
  size_t filled;  // bytes of the batch that are available
  uint8_t *above; // the row before the batch, its slack, and then the rows of the batch
  imgc_inflater inflater;
} stream;

// Returns the number of rows that are reconstructed together: eight for pixels of one or two bytes,
// two for larger pixels.
static uint32_t batch_rows(const imgc_png *png) {
  return imgc_png_pixel_bytes(png) <= 2 ? IMGC_PNG_UNFILTER_ROWS : 2;
}

static uint64_t scratch_bytes(const imgc_png *png) {
  uint64_t row = imgc_png_row_bytes(png, png->width) + 1;
  return sizeof(stream) + 2 * IMGC_PNG_UNFILTER_SLACK +
         imgc_mul(row, (uint64_t)batch_rows(png) + 1);
}

uint64_t imgc_png_streaming_bytes(const imgc_png *png) {
  return imgc_add(scratch_bytes(png), imgc_png_band_bytes(png));
}

static bool next_segment(void *context, const uint8_t **in, const uint8_t **in_end) {
  stream *s = context;
  imgc_png_segment segment;
  // Polls for cancellation here too, because the file may contain millions of empty chunks.
  if (++s->segments % 4096 == 0 && imgc_poll(s->image->request, s->image->report)) return false;
  if (!imgc_png_source_next(&s->source, &segment, false)) return false;
  *in = segment.data;
  *in_end = segment.data + segment.size;
  return true;
}

// Converts the rows of the batch; with `rows` NULL only checks their filter types. Returns false
// for an undefined filter type, and when the decode is cancelled.
static bool draw_batch(stream *s) {
  const imgc_png_image *image = s->image;
  imgc_png_pass pass = imgc_png_pass_at(image->png, 0);
  uint8_t *raw = s->above + s->row_size + IMGC_PNG_UNFILTER_SLACK;
  uint32_t count = (uint32_t)(s->filled / s->row_size), done = 0;
  size_t n = s->row_size - 1;
  if (s->row % 16 == 0 && imgc_poll(image->request, image->report)) return false;
  for (uint32_t i = 0; i < count; i++)
    if (raw[i * s->row_size] > IMGC_FILTER_PAETH) return false;
  const uint8_t *above = s->above;
  for (uint32_t i = 0; s->rows && i < count; i++, raw += s->row_size) {
    if (done == 0) done = imgc_png_unfilter_next(raw, count - i, above, n, s->bpp);
    done--;
    imgc_png_rows_convert(s->rows, &pass, s->row + i, raw + 1);
    above = raw + 1;
  }
  if (above != s->above) memcpy(s->above, above, n);
  s->row += count;
  s->filled = 0;
  return true;
}

static size_t batch_size(const stream *s) {
  uint32_t left = s->image->png->height - s->row;
  return s->row_size * (left < s->batch ? left : s->batch);
}

// Appends decompressed bytes. Returns false when draw_batch fails, and when the stream contains
// more bytes than the image's rows.
//
// A batch is converted only when the first byte after the batch is available. If the data is
// damaged between the batch and that byte, zlib reports the error together with the last byte of
// the batch, so libpng does not return the last row, and this row must not be converted here
// either.
static bool append_bytes(stream *s, const uint8_t *bytes, size_t count) {
  uint8_t *raw = s->above + s->row_size + IMGC_PNG_UNFILTER_SLACK;
  while (count > 0) {
    if (s->filled == batch_size(s) && !draw_batch(s)) return false;
    size_t space = batch_size(s) - s->filled, n = space < count ? space : count;
    if (n == 0) return false;
    memcpy(raw + s->filled, bytes, n);
    s->filled += n;
    bytes += n;
    count -= n;
  }
  return true;
}

// Decompresses the stream and converts its rows; with `rows` NULL only checks the stream. Returns
// IMGC_INFLATE_END when the stream is valid and contains exactly the bytes of the image's rows.
static imgc_inflate_result run(stream *s, imgc_png_rows *rows, bool accepts_zlib_rejects) {
  const imgc_png_image *image = s->image;
  imgc_inflater *z = &s->inflater;
  bool counts_adler = image->request->strictness >= IMGC_STRICT_ON_CORRUPT;
  s->source = image->source;
  s->rows = rows;
  s->row = 0;
  s->filled = 0;
  memset(s->above, 0, s->row_size + IMGC_PNG_UNFILTER_SLACK);
  imgc_inflate_begin(z, next_segment, s);
  z->accepts_zlib_rejects = accepts_zlib_rejects;
  uint8_t bytes[4];
  if (!imgc_inflate_bytes(z, bytes, 2) || !imgc_png_is_zlib(bytes)) return IMGC_INFLATE_INVALID;
  uint32_t adler = 1;
  uint64_t blocks = 0;
  for (;;) {
    if (imgc_poll(image->request, image->report)) return IMGC_INFLATE_INVALID;
    imgc_inflate_result result = imgc_inflate_run(z);
    if (imgc_charge(image->request, (z->dynamic_blocks - blocks) * WORK_BLOCK, image->report))
      return IMGC_INFLATE_INVALID;
    blocks = z->dynamic_blocks;
    if (result == IMGC_INFLATE_INVALID || result == IMGC_INFLATE_ZLIB_REJECTS) return result;
    const uint8_t *output = z->window + z->out_start;
    if (counts_adler) adler = libdeflate_adler32(adler, output, z->out - z->out_start);
    if (!append_bytes(s, output, z->out - z->out_start)) return IMGC_INFLATE_INVALID;
    if (result == IMGC_INFLATE_END) break;
  }
  bool is_complete =
      s->filled == batch_size(s) && draw_batch(s) && s->row == image->png->height &&
      (!counts_adler || (imgc_inflate_bytes(z, bytes, 4) && imgc_be32(bytes) == adler));
  return is_complete ? IMGC_INFLATE_END : IMGC_INFLATE_INVALID;
}

imgc_status imgc_png_charge_blocks(const imgc_png_image *image) {
  stream *s = imgc_scratch_alloc(image->request, sizeof *s);
  if (!s) return image->report->status;
  imgc_inflater *z = &s->inflater;
  uint8_t bytes[2];
  s->image = image;
  s->segments = 0;
  s->source = image->source;
  imgc_inflate_begin(z, next_segment, s);
  z->accepts_zlib_rejects = true;
  if (imgc_inflate_bytes(z, bytes, 2)) {
    imgc_inflate_result result;
    do {
      uint64_t blocks = z->dynamic_blocks;
      result = imgc_inflate_run(z);
      if (imgc_poll(image->request, image->report) ||
          imgc_charge(image->request, (z->dynamic_blocks - blocks) * WORK_BLOCK, image->report))
        break;
    } while (result == IMGC_INFLATE_MORE);
  }
  imgc_scratch_free(image->request, s, sizeof *s);
  return image->report->status;
}

imgc_status imgc_png_draw_streaming(const imgc_png_image *image, bool *done) {
  const imgc_png *png = image->png;
  imgc_report *report = image->report;
  size_t size = (size_t)scratch_bytes(png);
  stream *s = imgc_scratch_alloc(image->request, size);
  imgc_png_rows rows;
  *done = false;
  if (!s) return report->status;
  s->image = image;
  s->segments = 0;
  s->row_size = (size_t)imgc_png_row_bytes(png, png->width) + 1;
  s->bpp = imgc_png_pixel_bytes(png);
  s->batch = batch_rows(png);
  s->above = (uint8_t *)(s + 1);
  memset(s->above, 0, size - sizeof *s);
  if (imgc_png_rows_begin(&rows, png, image->dest, false)) {
    imgc_inflate_result result = run(s, &rows, false);
    // zlib rejects this stream and libdeflate accepts it. As in png_fast.c, the image is drawn here
    // if the stream is valid to its end; otherwise libpng draws the image. So the stream is first
    // checked without drawing: rows that libpng does not decode must not be pushed.
    if (result == IMGC_INFLATE_ZLIB_REJECTS && imgc_png_fast_supports(png, &image->extent) &&
        run(s, NULL, true) == IMGC_INFLATE_END)
      result = run(s, &rows, true);
    if (result == IMGC_INFLATE_END) {
      report->rows = imgc_png_rows_end(&rows, 1, 0);
      if (rows.has_invalid_index) imgc_warn(report, IMGC_WARN_PALETTE_INDEX);
      *done = true;
    } else {
      imgc_png_rows_discard(&rows);
    }
  }
  imgc_scratch_free(image->request, s, size);
  return report->status;
}
