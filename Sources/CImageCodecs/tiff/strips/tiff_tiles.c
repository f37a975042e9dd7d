// Strips and tiles: decompression to rows of samples, and recovery of damaged ones.

#include "tiff/strips/tiff_tiles.h"
#include "core/limits.h"
#include "core/report.h"
#include "core/scratch.h"

#include <string.h>

#include "rows/running_sum.h"
#include "tiff/strips/tiff_blobs.h"
#include "tiff/strips/tiff_recover.h"
#include "tiff/strips/tiff_window.h"

// Without limits of memory and tile size the product may overflow; the saturated size then makes
// the allocation fail.
static size_t scratch_bytes(const tiff_properties *properties) {
  uint64_t bytes = imgc_mul(properties->planes, properties->tile_bytes);
  if (properties->native_lzw) bytes = imgc_add(bytes, TIFF_LZW_SLACK);
  return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

imgc_status tiff_reader_open(tiff_reader *reader, const imgc_request *request, tiff_file *file,
                             const tiff_properties *properties, imgc_report *report) {
  *reader = (tiff_reader){.request = request, .file = file, .properties = properties};
  reader->retry_left = properties->retry_cost;
  if (properties->direct) return IMGC_OK;
  reader->scratch = imgc_scratch_alloc(request, scratch_bytes(properties));
  reader->output_is_dirty = true;
  if (!reader->scratch)
    return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "tiff: out of memory for a tile");
  if (properties->native_lzw) reader->lzw = tiff_lzw_create(); // if NULL, libtiff decodes
  return IMGC_OK;
}

void tiff_reader_close(tiff_reader *reader) {
  if (reader->scratch)
    imgc_scratch_free(reader->request, reader->scratch, scratch_bytes(reader->properties));
  if (reader->writable) tiff_free_writable(reader);
  tiff_lzw_destroy(reader->lzw);
}

// ---------------------------------------------------------------- one plane of one tile

static bool is_deflate(uint16_t compression) {
  return compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_DEFLATE;
}

static void use_zlib(tiff_reader *r) {
  TIFFSetField(r->file->tif, TIFFTAG_DEFLATE_SUBCODEC, DEFLATE_SUBCODEC_ZLIB);
}

static uint64_t decode_or_recover(tiff_reader *r, tiff_strile *s) {
  uint16_t codec = r->properties->compression;
  tiff_clear(r, s);
  bool done = tiff_decode(r, s, s->units);
  s->intact = done && r->file->warnings == 0;
  if (done) return s->units;
  if (codec == COMPRESSION_OJPEG) return 0; // cannot be decoded again
  // After a failure of libdeflate, zlib is used, because it returns partial output.
  if (is_deflate(codec)) use_zlib(r);
  return tiff_recover(r, s);
}

// Decodes LZW data with tiff_lzw_decode instead of libtiff. Returns true when all bytes of the
// output were written, and false for other codecs and for damaged or irregular data.
static bool decode_lzw(tiff_reader *r, tiff_strile *s) {
  const tiff_properties *f = r->properties;
  size_t size = (size_t)(s->units * f->unit_bytes);
  r->output_is_dirty =
      true; // after success too: the slack of this plane may overlap the next plane
  if (!r->lzw || !tiff_lzw_decode(r->lzw, s->data, (size_t)s->size, s->to, size)) return false;
  unsigned step = f->separate ? 1 : f->samples;
  for (size_t row = 0; f->has_predictor && row < size; row += (size_t)f->unit_bytes) {
    if (f->bits == 8)
      imgc_running_sum8(s->to + row, (size_t)f->unit_bytes, step);
    else
      imgc_running_sum16(s->to + row, (size_t)f->unit_bytes / 2, step);
  }
  return s->intact = true;
}

static uint64_t decode_all(tiff_reader *r, tiff_strile *s) {
  if (decode_lzw(r, s)) return s->units;
  if (tiff_is_fax(r->properties->compression)) return tiff_read_fax(r, s);
  if (!is_deflate(r->properties->compression)) return decode_or_recover(r, s);
  // libdeflate does not return the data in two cases, but libtiff reports success. When the data
  // ends early, libdeflate continues with zero bits. When a stored block contains more bytes than
  // requested, libdeflate returns no data; a last strip that was written at full height can contain
  // such a block. zlib is used where these cases are possible.
  bool is_short = s->units * r->properties->unit_bytes < r->properties->tile_bytes;
  if (s->truncated || is_short) use_zlib(r);
  uint64_t units = decode_or_recover(r, s);
  TIFFSetField(r->file->tif, TIFFTAG_DEFLATE_SUBCODEC, DEFLATE_SUBCODEC_LIBDEFLATE);
  return units;
}

// Checks the scans of a JPEG stream against the same limits as in the JPEG codec.
static imgc_status check_scans(tiff_reader *r, const tiff_strile *s, imgc_report *report) {
  const tiff_properties *f = r->properties;
  const imgc_limits *limits = &r->request->limits;
  uint64_t scans = tiff_count_scans(s->data, s->size);
  // The start of a stream takes about as long as 65,536 samples of an empty scan.
  uint64_t samples = (uint64_t)f->tile_width * f->tile_height * (f->separate ? 1 : f->samples);
  r->scan_samples = imgc_add(r->scan_samples, imgc_add(imgc_mul(scans, samples), 65536));
  if (imgc_check(scans, limits->max_scans, "max_scans", report)) return report->status;
  return imgc_check(r->scan_samples, limits->max_scan_samples, "max_scan_samples", report);
}

// Checks the memory that the decoder allocates. libtiff does not limit the LZMA decoder, which
// allocates the dictionary size in the header of the data, up to 4 GiB.
static imgc_status check_window(tiff_reader *r, const tiff_strile *s, imgc_report *report) {
  const tiff_properties *f = r->properties;
  uint64_t bytes = imgc_add(f->work_bytes, tiff_window_bytes(f, s->data, s->size));
  uint32_t held = imgc_rows_in_memory(r->request, f->height, f->band_rows);
  return imgc_check_memory(r->request, f->width, held, bytes, report);
}

static imgc_status read_strile(tiff_reader *r, tiff_strile *s, imgc_report *report) {
  const tiff_properties *f = r->properties;
  const tiff_input *in = &r->file->input;
  uint64_t offset = TIFFGetStrileOffset(r->file->tif, s->index);
  uint64_t count = TIFFGetStrileByteCount(r->file->tif, s->index);
  uint64_t left = offset < in->size ? in->size - offset : 0;
  if (f->direct && count < s->units * f->unit_bytes && offset > 0) {
    // The size of uncompressed data is computed, so a smaller size in the file is ignored.
    count = s->units * f->unit_bytes;
    if (count <= left) imgc_warn(report, IMGC_WARN_STRUCTURE);
  }
  s->truncated = count > left;
  s->size = s->truncated ? left : count;
  s->complete_rows = 0, s->has_part = false, s->intact = false;
  if (f->compression != COMPRESSION_OJPEG && (s->size == 0 || offset == 0)) return IMGC_OK;
  s->data = in->data + (s->size ? offset : 0);

  uint64_t units;
  if (f->direct) {
    units = s->size / f->unit_bytes;
    if (units > s->units) units = s->units;
    s->intact = units == s->units;
  } else {
    if (f->compression == COMPRESSION_JPEG && check_scans(r, s, report)) return report->status;
    if (check_window(r, s, report)) return report->status;
    if (!tiff_blob_fits(f, s->data, s->size, (uint32_t)s->units)) return IMGC_OK;
    units = decode_all(r, s);
    if (r->out_of_memory)
      return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL,
                       "tiff: out of memory for %llu bytes of a strip or tile",
                       (unsigned long long)s->size);
    s->data = s->to;
  }
  s->complete_rows = units * f->sub_y;
  return IMGC_OK;
}

imgc_status tiff_read_tile(tiff_reader *reader, uint32_t column, uint32_t row, tiff_tile *tile,
                           imgc_report *report) {
  const tiff_properties *f = reader->properties;
  uint32_t rows = tiff_rows_in_tile(f, row);
  *tile = (tiff_tile){.rows = rows, .intact = rows};
  for (uint16_t k = 0; k < f->planes; k++) {
    uint32_t plane = f->separate ? tiff_plane(f, k) : 0;
    tiff_strile s = {
        .index = (plane * f->tile_rows + row) * f->tile_columns + column,
        .to = reader->scratch ? reader->scratch + k * f->tile_bytes : NULL,
        .units = (rows + f->sub_y - 1u) / f->sub_y,
    };
    if (read_strile(reader, &s, report)) return report->status;
    tile->planes[k] = s.data;
    uint64_t shown = s.complete_rows + s.has_part;
    if (shown < tile->rows) {
      tile->rows = (uint32_t)shown;
      tile->truncated |= s.truncated;
    }
    tile->has_part |= s.has_part;
    // If damage is reported but no row is missing, the position of the damage is unknown, and no
    // row is intact.
    uint64_t intact = s.intact || s.complete_rows < rows ? s.complete_rows : 0;
    if (intact < tile->intact) tile->intact = (uint32_t)intact;
    if (!s.intact) tile->truncated |= s.truncated;
  }
  return IMGC_OK;
}
