// Decoding of intact image data in three steps: libdeflate decompresses the zlib stream in one
// call, filters are removed in place, rows are converted to pixels. libpng decodes irregular data
// (png_library.c), so that all decoders return equal pixels and status.

#include "png/png_fast.h"
#include "core/cancel.h"
#include "core/dest.h"
#include "core/limits.h"
#include "core/report.h"
#include "core/scratch.h"
#include "png/png_rows.h"
#include "png/unfilter/png_unfilter.h"

#if !__has_include(<libdeflate.h>)
#error "libdeflate.h is missing: apt-get install libdeflate-dev (brew install libdeflate)"
#endif
#include <libdeflate.h>
#include <string.h>

// libdeflate cannot be interrupted. Decompression to this size takes about a sixth of a second.
static const uint64_t MAX_RAW_BYTES = 128u << 20;

// Size of libdeflate's tables, with a margin.
enum { DECOMPRESSOR_BYTES = 32 << 10 };

// Raw rows, a row of zeros, the compressed bytes when they are in several chunks, the band.
uint64_t imgc_png_fast_bytes(const imgc_png *png, const imgc_png_extent *extent) {
  uint64_t bytes = imgc_add(imgc_png_raw_bytes(png), imgc_png_row_bytes(png, png->width));
  if (extent->segments > 1) bytes = imgc_add(bytes, extent->bytes);
  return imgc_add(imgc_add(bytes, imgc_png_band_bytes(png)), DECOMPRESSOR_BYTES);
}

bool imgc_png_fast_supports(const imgc_png *png, const imgc_png_extent *extent) {
  // More compressed data than the rows can need is probably a stream of empty blocks. The other
  // decoders can be cancelled while they read such a stream.
  uint64_t raw = imgc_png_raw_bytes(png);
  return raw <= MAX_RAW_BYTES && extent->bytes <= raw + raw / 4 + 65536;
}

// Returns the compressed bytes as one contiguous block: in the file, or copied. The copy is in the
// memory of the destination if this memory is contiguous and large enough, and the image is not
// blended; pixels overwrite the copy later. Otherwise the copy is allocated and also stored in
// `*copy`. Returns NULL when memory is exhausted.
static const uint8_t *contiguous_stream(const imgc_png_image *image, uint8_t **copy) {
  const imgc_dest *dest = image->dest;
  imgc_png_source source = image->source;
  imgc_png_segment segment;
  uint8_t *to = NULL;
  size_t filled = 0;
  *copy = NULL;
  while (imgc_png_source_next(&source, &segment, false)) {
    if (segment.size == 0) continue;
    if (image->extent.segments == 1) return segment.data;
    if (!to) {
      uint64_t row = (uint64_t)dest->width * 4;
      bool dest_can_hold = !image->blend_over && !dest->band && imgc_dest_is_direct(dest) &&
                           dest->step_y == (ptrdiff_t)row &&
                           row * dest->height >= image->extent.bytes;
      to = dest_can_hold
               ? dest->origin
               : (*copy = imgc_scratch_alloc(image->request, (size_t)image->extent.bytes));
      if (!to) return NULL;
    }
    memcpy(to + filled, segment.data, segment.size);
    filled += segment.size;
  }
  return to;
}

// Returns true when the stream is valid and decompresses to exactly `size` bytes.
static bool inflate_rows(const imgc_png_image *image, uint8_t *raw, size_t size) {
  uint8_t *copy;
  const uint8_t *stream = contiguous_stream(image, &copy);
  size_t stream_size = (size_t)image->extent.bytes;
  struct libdeflate_decompressor *inflater = stream ? libdeflate_alloc_decompressor() : NULL;
  bool is_valid = false;
  if (inflater && stream_size > 2 && imgc_png_is_zlib(stream)) {
    size_t written = 0;
    enum libdeflate_result result =
        image->request->strictness >=
                IMGC_STRICT_ON_CORRUPT // libdeflate then also verifies Adler-32
            ? libdeflate_zlib_decompress_ex(inflater, stream, stream_size, raw, size, NULL,
                                            &written)
            : libdeflate_deflate_decompress_ex(inflater, stream + 2, stream_size - 2, raw, size,
                                               NULL, &written);
    is_valid = result == LIBDEFLATE_SUCCESS && written == size;
  }
  libdeflate_free_decompressor(inflater);
  imgc_scratch_free(image->request, copy, stream_size);
  return is_valid;
}

static bool filters_are_known(const imgc_png *png, const uint8_t *raw) {
  for (uint32_t i = 0; i < imgc_png_pass_count(png); i++) {
    imgc_png_pass pass = imgc_png_pass_at(png, i);
    size_t stride = (size_t)imgc_png_row_bytes(png, pass.width) + 1;
    for (uint32_t row = 0; row < pass.height; row++, raw += stride)
      if (*raw > IMGC_FILTER_PAETH) return false;
  }
  return true;
}

static void draw_rows(const imgc_png_image *image, imgc_png_rows *rows, uint8_t *raw,
                      const uint8_t *zeros) {
  const imgc_png *png = image->png;
  unsigned bpp = imgc_png_pixel_bytes(png);
  for (uint32_t i = 0; i < imgc_png_pass_count(png); i++) {
    imgc_png_pass pass = imgc_png_pass_at(png, i);
    size_t n = (size_t)imgc_png_row_bytes(png, pass.width);
    const uint8_t *above = zeros;
    uint32_t done = 0; // number of following rows that are already unfiltered
    for (uint32_t row = 0; row < pass.height; row++, raw += n + 1) {
      if (row % 16 == 0 && imgc_poll(image->request, image->report)) return;
      if (done == 0) done = imgc_png_unfilter_next(raw, pass.height - row, above, n, bpp);
      done--;
      imgc_png_rows_convert(rows, &pass, row, raw + 1);
      above = raw + 1;
    }
  }
}

imgc_status imgc_png_draw_fast(const imgc_png_image *image, bool *done) {
  const imgc_png *png = image->png;
  imgc_report *report = image->report;
  size_t raw_size = (size_t)imgc_png_raw_bytes(png);
  size_t row_size = (size_t)imgc_png_row_bytes(png, png->width);
  size_t size = raw_size + row_size + 2 * IMGC_PNG_UNFILTER_SLACK;
  uint8_t *raw = imgc_scratch_alloc(image->request, size);
  imgc_png_rows rows;
  *done = false;
  if (raw && inflate_rows(image, raw, raw_size) && filters_are_known(png, raw) &&
      imgc_png_rows_begin(&rows, png, image->dest, image->blend_over)) {
    uint8_t *zeros = raw + raw_size + IMGC_PNG_UNFILTER_SLACK;
    memset(raw + raw_size, 0, row_size + 2 * IMGC_PNG_UNFILTER_SLACK);
    draw_rows(image, &rows, raw, zeros);
    report->rows = imgc_png_rows_end(&rows, imgc_png_pass_count(png), 0);
    if (rows.has_invalid_index) imgc_warn(report, IMGC_WARN_PALETTE_INDEX);
    *done = true;
  }
  imgc_scratch_free(image->request, raw, size);
  return report->status;
}
