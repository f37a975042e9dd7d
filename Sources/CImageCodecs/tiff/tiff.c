// TIFF with libtiff: dispatch table entry, header, and decoding of the tiles.

#include <stdlib.h>
#include <string.h>

#include "core/cancel.h"
#include "core/codec.h"
#include "core/limits.h"
#include "core/report.h"
#include "tiff/page/tiff_pages.h"
#include "tiff/pixels/tiff_convert.h"
#include "tiff/pixels/tiff_tables.h"
#include "tiff/strips/tiff_tiles.h"
#include "tiff/tiff_read_properties.h"

static imgc_status fill_header(const imgc_request *request, tiff_file *file, imgc_header *header,
                               imgc_report *report) {
  tiff_properties properties;
  if (tiff_open(request, file, report)) return report->status;
  if (tiff_read_properties(request, file, &properties, report)) return report->status;
  header->width = properties.width;
  header->height = properties.height;
  header->has_alpha = properties.alpha >= 0;
  header->bits_per_channel = properties.stored_bits;
  header->channels = (uint8_t)(properties.samples > 255 ? 255 : properties.samples);
  header->orientation = (uint8_t)properties.orientation;
  header->color_model = properties.model;
  header->work_bytes = properties.work_bytes;
  header->band_rows = properties.band_rows;
  header->icc_size = file->page.icc_size;
  uint64_t item = request->limits.max_metadata_item, total = request->limits.max_metadata_total;
  bool is_too_large = (item && header->icc_size > item) || (total && header->icc_size > total);
  if (file->page.icc_damaged || is_too_large) {
    header->icc_size = 0;
    imgc_warn(report, IMGC_WARN_PROFILE_IGNORED);
  }
  header->directory = file->page.offset;
  header->parent_directory = file->page.parent;
  if (!(request->flags & IMGC_COUNT_FRAMES)) return IMGC_OK;
  tiff_pages pages;
  if (!tiff_pages_read(request, &file->input, &pages, report)) {
    // With more pages than the limit the number is reported as 0 (unknown), so that page 0 can
    // still be decoded.
    header->frame_count = pages.over_limit ? 0 : pages.count;
    if (pages.broken) imgc_warn(report, IMGC_WARN_TAG);
  }
  tiff_pages_free(&pages);
  return report->status;
}

static imgc_status read_header(const imgc_request *request, imgc_header *header,
                               imgc_report *report) {
  tiff_file file = {0};
  imgc_status status = fill_header(request, &file, header, report);
  tiff_close(&file);
  return status;
}

static imgc_status read_icc(const imgc_request *request, uint8_t *profile, size_t size,
                            imgc_report *report) {
  tiff_input input;
  tiff_page page;
  if (tiff_input_open(request, &input, report)) return report->status;
  if (tiff_find_page(request, &input, &page, report)) return report->status;
  if (page.icc_size == 0 || page.icc_size != size)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "tiff: the size argument is %zu, but the ICC profile has %llu bytes", size,
                     (unsigned long long)page.icc_size);
  memcpy(profile, input.data + page.icc_offset, size);
  return IMGC_OK;
}

imgc_status imgc_read_pages(const imgc_request *request, imgc_page *list, uint32_t capacity,
                            uint32_t *count, imgc_report *report) {
  tiff_input input;
  tiff_pages pages;
  memset(report, 0, sizeof *report);
  *count = 0;
  if (request->format != IMGC_FORMAT_TIFF) return IMGC_OK;
  if (tiff_input_open(request, &input, report)) return report->status;
  if (!tiff_pages_read(request, &input, &pages, report) && !pages.over_limit) {
    *count = pages.count < capacity ? pages.count : capacity;
    for (uint32_t i = 0; i < *count; i++) {
      const tiff_directory *directory = &pages.items[i];
      list[i] = (imgc_page){.width = directory->width,
                            .height = directory->height,
                            .is_reduced = directory->is_reduced,
                            .is_sub = directory->parent != directory->offset};
    }
  }
  tiff_pages_free(&pages);
  return report->status;
}

// ---------------------------------------------------------------- decoding

// Rows for a transposed destination are collected, because the transposition of several rows
// together is more efficient.
enum { BATCH_ROWS = 32 };

typedef struct row_batch {
  const imgc_dest *dest;
  uint8_t *pixels; // NULL when rows are written directly
  size_t stride;
  uint32_t x, y, width, rows;
} row_batch;

static void row_batch_flush(row_batch *b) {
  if (b->rows) imgc_dest_write_block(b->dest, b->x, b->y, b->width, b->rows, b->pixels, b->stride);
  b->rows = 0;
}

// Returns the address for the next n pixels at (x, y).
static uint8_t *row_batch_next(row_batch *b, uint32_t x, uint32_t y, uint32_t n) {
  if (!b->pixels) return imgc_dest_row(b->dest, y) + (size_t)x * 4;
  if (b->rows == BATCH_ROWS || b->x != x || b->width != n || b->y + b->rows != y) {
    row_batch_flush(b);
    b->x = x, b->y = y, b->width = n;
  }
  return b->pixels + b->stride * b->rows++;
}

typedef struct progress {
  uint64_t complete_rows; // sum of the complete rows of all tiles
  uint32_t intact_rows;   // intact rows of the image, from the top
  bool truncated;         // the data of some tile is truncated
  bool damaged;
} progress;

// Fills missing rows with transparent black, or with white for grayscale CCITT (fax) pages.
static imgc_status fill_missing_rows(const imgc_request *request, row_batch *b,
                                     const tiff_properties *f, uint32_t x, uint32_t y,
                                     uint32_t wide, uint32_t first, uint32_t end,
                                     imgc_report *report) {
  if (first >= end) return IMGC_OK;
  if (!tiff_is_fax(f->compression) || f->kind != TIFF_KIND_GRAY) {
    imgc_dest_clear(b->dest, x, y + first, wide, end - first);
    return IMGC_OK;
  }
  for (uint32_t j = first; j < end; j++) {
    if (j % TIFF_ROWS_PER_POLL == 0 && j > 0) {
      if (imgc_poll(request, report)) return report->status;
      if (f->tile_columns == 1) imgc_dest_commit_rows(b->dest, y + j);
    }
    memset(row_batch_next(b, x, y + j, wide), 0xFF, (size_t)wide * 4);
  }
  return IMGC_OK;
}

static imgc_status decode_tile(const imgc_request *request, tiff_reader *reader,
                               tiff_converter *converter, row_batch *b, uint32_t column,
                               uint32_t row, progress *p, imgc_report *report) {
  const tiff_properties *f = reader->properties;
  tiff_tile tile;
  if (imgc_poll(request, report)) return report->status;
  if (tiff_read_tile(reader, column, row, &tile, report)) return report->status;

  uint32_t x = column * f->tile_width, y = row * f->tile_height;
  uint32_t wide = f->width - x < f->tile_width ? f->width - x : f->tile_width;
  uint32_t high = f->height - y < f->tile_height ? f->height - y : f->tile_height;
  uint32_t converted_rows = tile.rows < high ? tile.rows : high;
  for (uint32_t j = 0; j < converted_rows; j++) {
    // A strip may contain all rows of the image, so its rows are committed during the conversion.
    // Tiles in one tile row are all written before their rows are committed.
    if (j % TIFF_ROWS_PER_POLL == 0 && j > 0) {
      if (imgc_poll(request, report)) return report->status;
      if (f->tile_columns == 1) imgc_dest_commit_rows(b->dest, y + j);
    }
    tiff_convert_row(converter, row_batch_next(b, x, y + j, wide), tile.planes, j, wide);
  }
  if (fill_missing_rows(request, b, f, x, y, wide, converted_rows, high, report))
    return report->status;
  p->complete_rows += tile.has_part && converted_rows ? converted_rows - 1 : converted_rows;
  if (tile.intact >= high) return IMGC_OK;
  if (y + tile.intact < p->intact_rows) p->intact_rows = y + tile.intact;
  p->truncated |= tile.truncated;
  if (!tile.truncated) {
    p->damaged = true;
    imgc_warn(report, converted_rows < high ? IMGC_WARN_STRIP : IMGC_WARN_ENTROPY_DATA);
  }
  return IMGC_OK;
}

static imgc_status decode_tiles(const imgc_request *request, tiff_reader *reader,
                                tiff_converter *converter, row_batch *b, imgc_report *report) {
  const tiff_properties *f = reader->properties;
  progress p = {.intact_rows = f->height};
  for (uint32_t row = 0; row < f->tile_rows; row++) {
    for (uint32_t column = 0; column < f->tile_columns; column++)
      if (decode_tile(request, reader, converter, b, column, row, &p, report))
        return report->status;
    uint32_t above = row * f->tile_height;
    imgc_dest_commit_rows(
        b->dest, above + (f->height - above < f->tile_height ? f->height - above : f->tile_height));
  }
  if (b->pixels) row_batch_flush(b);

  if (p.complete_rows == 0) {
    if (p.truncated)
      return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL,
                       "tiff: data ends before the end of the first row");
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "tiff: %s",
                     reader->file->errors ? reader->file->message : "no row could be decoded");
  }
  if (p.truncated)
    imgc_truncated(report, p.intact_rows);
  else
    report->rows = p.intact_rows;
  return IMGC_OK;
}

static imgc_status decode_page(const imgc_request *request, tiff_file *file, const imgc_dest *dest,
                               imgc_report *report) {
  tiff_properties properties;
  if (tiff_open(request, file, report)) return report->status;
  if (tiff_read_properties(request, file, &properties, report)) return report->status;
  if (dest->width != properties.width || dest->height != properties.height)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "tiff: the destination does not have the page size of %u x %u pixels",
                     properties.width, properties.height);

  if (imgc_charge(request, properties.cost, report) || imgc_dest_open(dest, properties.band_rows))
    return report->status;
  row_batch b = {.dest = dest};
  if (!imgc_dest_is_direct(dest)) {
    uint32_t wide =
        properties.tile_width < properties.width ? properties.tile_width : properties.width;
    b.stride = (size_t)wide * 4;
    b.pixels = malloc(b.stride * BATCH_ROWS);
    if (!b.pixels) return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "tiff: out of memory");
  }
  tiff_reader reader = {0};
  tiff_converter *converter = tiff_converter_create(request, file, &properties, report);
  if (converter && !tiff_reader_open(&reader, request, file, &properties, report))
    decode_tiles(request, &reader, converter, &b, report);
  tiff_reader_close(&reader);
  tiff_converter_destroy(converter);
  free(b.pixels);
  return report->status;
}

static imgc_status decode(const imgc_request *request, const imgc_dest *dest, imgc_report *report) {
  tiff_file file = {0};
  imgc_status status = decode_page(request, &file, dest, report);
  tiff_close(&file);
  return status;
}

static const char *version(void) {
  return "libtiff " IMGC_TEXT(TIFFLIB_MAJOR_VERSION) "." IMGC_TEXT(
      TIFFLIB_MINOR_VERSION) "." IMGC_TEXT(TIFFLIB_MICRO_VERSION);
}

const imgc_codec imgc_codec_tiff = {IMGC_FORMAT_TIFF, read_header, read_icc, decode, NULL, NULL,
                                    version};
