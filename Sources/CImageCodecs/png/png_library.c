// Decoding of image data with libpng, including truncated and damaged data. libpng reads a
// synthesized stream: signature, IHDR, a palette of one entry for indexed images, and IDAT chunks.

#include "png/png_library.h"
#include "core/bytes.h"
#include "core/cancel.h"
#include "core/limits.h"
#include "core/report.h"
#include "png/png_rows.h"

#if !__has_include(<png.h>)
#error "png.h is missing: apt-get install libpng-dev (brew install libpng)"
#endif
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum {
  IHDR_END = IMGC_PNG_SIGNATURE_SIZE + IMGC_PNG_CHUNK_OVERHEAD + IMGC_PNG_IHDR_SIZE,
  PREFIX_SIZE = IHDR_END + IMGC_PNG_CHUNK_OVERHEAD + 3, // with a palette of one entry
};

// The data that must be valid after a longjmp; it is a local variable of the caller of the guarded
// function.
typedef struct drawing {
  const imgc_png_image *image;
  imgc_png_rows rows;
  imgc_png_source source;
  imgc_png_segment segment;
  imgc_png_segment rest;       // the part of a chunk's data that follows `segment`; size 0 if none
  uint64_t unread;             // bytes of image data in `rest` and in the chunks of `source`
  uint8_t prefix[PREFIX_SIZE]; // bytes of the synthesized stream before the segment
  size_t prefix_size, prefix_used;
  bool in_segment;
  png_structp png;
  png_infop info;
  uint8_t *raw;        // one unfiltered row
  uint32_t pass_count; // completed passes
  uint32_t row_count;  // completed rows of the next pass
  int reads_after_rows;
  bool pending; // a call to libpng for a row has not returned
  bool ended;   // libpng requested more data than the image has
  bool no_memory;
  char message[80];
  jmp_buf jump;
} drawing;

static void on_error(png_structp png, png_const_charp message) {
  drawing *d = png_get_error_ptr(png);
  strncpy(d->message, message, sizeof d->message - 1);
  longjmp(d->jump, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
  drawing *d = png_get_error_ptr(png);
  // A message of zlib. It occurs only in strict requests: in others the checksum is not read.
  if (strstr(message, "incorrect data check")) imgc_warn(d->image->report, IMGC_WARN_CHECKSUM);
}

static png_voidp on_malloc(png_structp png, png_alloc_size_t size) {
  void *memory = malloc(size);
  if (!memory) ((drawing *)png_get_mem_ptr(png))->no_memory = true;
  return memory;
}

static void on_free(png_structp png, png_voidp memory) {
  (void)png;
  free(memory);
}

// ---------------------------------------------------------------- the synthesized stream

// A palette of one entry is sufficient, because png_rows.c converts the indices.
static void init_prefix(drawing *d) {
  const imgc_png *png = d->image->png;
  uint8_t *p = d->prefix;
  memcpy(p, IMGC_PNG_SIGNATURE "\0\0\0\x0DIHDR", 16);
  imgc_put_be32(p + 16, png->width);
  imgc_put_be32(p + 20, png->height);
  const uint8_t rest[9] = {png->bit_depth, png->color_type, 0, 0, png->interlaced};
  memcpy(p + 24, rest, 9); // the CRC is not set because it is not checked
  d->prefix_size = IHDR_END;
  if (png->color_type == IMGC_PNG_COLOR_INDEXED) {
    memcpy(p + IHDR_END, "\0\0\0\x03PLTE\0\0\0\0\0\0\0", 15);
    d->prefix_size = PREFIX_SIZE;
  }
}

// libpng has an option to ignore Adler-32, but Debian 13 builds libpng without this option. A wrong
// checksum then makes the last row fail. So, in requests that accept damage, the last four bytes
// are passed in a separate IDAT chunk: zlib returns the last row before it reads these bytes.
enum { ADLER32_SIZE = 4 };

static void split_before_checksum(drawing *d) {
  if (d->image->request->strictness >= IMGC_STRICT_ON_CORRUPT || d->unread >= ADLER32_SIZE) return;
  uint64_t after = d->segment.size + d->unread;
  if (after <= ADLER32_SIZE) return;
  size_t size = (size_t)(after - ADLER32_SIZE);
  d->rest = (imgc_png_segment){.data = d->segment.data + size, .size = d->segment.size - size};
  d->unread += d->rest.size;
  d->segment.size = size;
}

static void count_image_data(drawing *d) {
  imgc_png_source source = d->source;
  imgc_png_segment segment;
  while (imgc_png_source_next(&source, &segment, false)) d->unread += segment.size;
}

// Moves to the next segment that is not empty and writes `prefix`: the CRC of the previous IDAT
// chunk (zero) if there is one, then the header of the next chunk. Returns false after the last
// segment.
static bool next_segment(drawing *d) {
  if (d->rest.size > 0) {
    d->segment = d->rest;
    d->rest.size = 0;
    d->unread -= d->segment.size;
  } else {
    do
      if (!imgc_png_source_next(&d->source, &d->segment, false)) return false;
    while (d->segment.size == 0);
    d->unread -= d->segment.size;
    split_before_checksum(d);
  }
  memset(d->prefix, 0, 4);
  uint8_t *p = d->prefix + (d->in_segment ? 4 : 0);
  imgc_put_be32(p, (uint32_t)d->segment.size);
  memcpy(p + 4, "IDAT", 4);
  d->prefix_size = (size_t)(p + 8 - d->prefix);
  d->prefix_used = 0;
  d->in_segment = true;
  return true;
}

// Returns true when libpng has read every row.
static bool is_finished(const drawing *d) {
  return d->image->png->interlaced ? png_get_current_pass_number(d->png) == IMGC_PNG_ADAM7_PASSES
                                   : png_get_current_row_number(d->png) == d->image->png->height;
}

// After the last row libpng inflates the rest of the stream, which can have gigabytes in a
// malicious file. In a valid stream only Adler-32 follows the last row.
enum { MAX_READS_AFTER_ROWS = 8 }; // in strict requests, each of at most 8 KiB; in other requests 0

static void on_read(png_structp png, png_bytep out, size_t size) {
  drawing *d = png_get_io_ptr(png);
  bool strict = d->image->request->strictness >= IMGC_STRICT_ON_CORRUPT;
  if (d->pending && is_finished(d) && (!strict || d->reads_after_rows++ == MAX_READS_AFTER_ROWS))
    png_error(png, "image data continues after the last row");
  // Polls here, because a row can require any amount of input: empty deflate blocks have no output.
  if (imgc_poll(d->image->request, d->image->report)) png_error(png, "stopped");
  while (size > 0) {
    bool prefix = d->prefix_used < d->prefix_size;
    const uint8_t *from = prefix ? d->prefix + d->prefix_used : d->segment.data;
    size_t left = prefix ? d->prefix_size - d->prefix_used : d->segment.size;
    size_t n = left < size ? left : size;
    if (n == 0) {
      if (next_segment(d)) continue;
      d->ended = true;
      png_error(png, "image data ends before the end of the last row");
    }
    memcpy(out, from, n);
    out += n;
    size -= n;
    if (prefix)
      d->prefix_used += n;
    else
      d->segment.data += n, d->segment.size -= n;
  }
}

// ---------------------------------------------------------------- reading

// libpng may leave this function by longjmp.
static void read_rows(drawing *d) {
  const imgc_png_image *image = d->image;
  const imgc_png *png = image->png;
  png_set_read_fn(d->png, d, on_read);
  // The checksums were verified before. The synthesized stream contains no valid checksums.
  png_set_crc_action(d->png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
  png_set_benign_errors(d->png, 1);
  png_set_user_limits(d->png, png->width, png->height);
  png_set_option(d->png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
  png_read_info(d->png, d->info);
  png_read_update_info(d->png, d->info);
  // No interlace handling: libpng returns the short rows of each pass.
  if (png_get_rowbytes(d->png, d->info) != imgc_png_row_bytes(png, png->width))
    png_error(d->png, "libpng reports an unexpected row size");

  for (; d->pass_count < imgc_png_pass_count(png); d->pass_count++, d->row_count = 0) {
    imgc_png_pass pass = imgc_png_pass_at(png, d->pass_count);
    while (d->row_count < pass.height) {
      if (d->row_count % 16 == 0 && imgc_poll(image->request, image->report)) return;
      d->pending = true;
      png_read_row(d->png, d->raw, NULL);
      d->pending = false;
      imgc_png_rows_convert(&d->rows, &pass, d->row_count++, d->raw);
    }
  }
}

// The only function with setjmp. It has no local variables except its argument.
static void guarded(drawing *d) {
  if (setjmp(d->jump) == 0) read_rows(d);
}

// libpng reads the stream to its end before it returns the last row. An error after the data of the
// last row does not affect this row.
static void read_last_row(drawing *d) {
  const imgc_png *png = d->image->png;
  if (!d->pending || !is_finished(d)) return;
  imgc_png_pass pass = imgc_png_pass_at(png, d->pass_count);
  imgc_png_rows_convert(&d->rows, &pass, d->row_count, d->raw);
  d->pass_count = imgc_png_pass_count(png);
  d->row_count = 0;
  if (strstr(d->message, "incorrect data check")) imgc_warn(d->image->report, IMGC_WARN_CHECKSUM);
}

static imgc_status finish(drawing *d) {
  const imgc_png_image *image = d->image;
  imgc_report *report = image->report;
  uint32_t done = imgc_png_rows_end(&d->rows, d->pass_count, d->row_count);
  if (report->status) return report->status;
  // The data ended before the last row: the file, or the zlib stream in it, is truncated.
  // In requests that accept damage, a wrong Adler-32 here means that the zlib stream ended early.
  bool truncated = d->ended || strstr(d->message, "Not enough") ||
                   (image->request->strictness < IMGC_STRICT_ON_CORRUPT &&
                    strstr(d->message, "incorrect data check"));
  if (d->pass_count == 0 && d->row_count == 0) {
    if (d->no_memory)
      return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "png: out of memory");
    if (truncated)
      return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL, "png: data ends in the first row");
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "png: %s", d->message);
  }
  report->rows = done;
  if (d->rows.has_invalid_index) imgc_warn(report, IMGC_WARN_PALETTE_INDEX);
  if (d->pass_count == imgc_png_pass_count(image->png)) {
    if (image->extent.truncated) imgc_warn(report, IMGC_WARN_MISSING_END);
    return IMGC_OK;
  }
  if (truncated)
    imgc_truncated(report, done);
  else
    imgc_warn(report, IMGC_WARN_ENTROPY_DATA);
  return IMGC_OK;
}

uint64_t imgc_png_library_bytes(const imgc_png *png) {
  // Three rows in libpng, one row in `drawing`, the band buffer, zlib's window and libpng's
  // structures.
  return (128u << 10) +
         imgc_add(imgc_mul(imgc_png_row_bytes(png, png->width), 4), imgc_png_band_bytes(png));
}

imgc_status imgc_png_draw_library(const imgc_png_image *image) {
  const imgc_png *png = image->png;
  drawing d = {.image = image, .source = image->source};
  init_prefix(&d);
  count_image_data(&d);
  d.raw = malloc((size_t)imgc_png_row_bytes(png, png->width));
  if (d.raw && imgc_png_rows_begin(&d.rows, png, image->dest, image->blend_over))
    d.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &d, on_error, on_warning, &d, on_malloc,
                                     on_free);
  if (d.png) d.info = png_create_info_struct(d.png);
  imgc_status status;
  if (d.info) {
    guarded(&d);
    read_last_row(&d);
    status = finish(&d);
  } else {
    imgc_png_rows_discard(&d.rows);
    status = imgc_fail(image->report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "png: out of memory");
  }
  png_destroy_read_struct(&d.png, &d.info, NULL);
  free(d.raw);
  return status;
}

const char *imgc_png_library_version(void) { return "libpng " PNG_LIBPNG_VER_STRING; }
