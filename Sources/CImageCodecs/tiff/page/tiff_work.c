// Upper bound of a page's decoding time, estimated from its tags before decoding.

#include "tiff/page/tiff_work.h"
#include "core/limits.h"
#include "core/report.h"

// Returns the measured nanoseconds to decode and convert one byte of samples, for highly compressed
// data.
static uint64_t cost_of_byte(const tiff_properties *f) {
  switch (f->compression) {
  case COMPRESSION_LZMA:
  case COMPRESSION_WEBP:
  case COMPRESSION_LERC: return 4;
  case COMPRESSION_PIXARLOG: return 5;
  case COMPRESSION_SGILOG:
  case COMPRESSION_SGILOG24: return 12;
  case COMPRESSION_JBIG: return 80; // a byte holds 8 pixels
  default: return f->kind == TIFF_KIND_LAB ? 6 : 1;
  }
}

// Returns the measured nanoseconds to convert a sample to 8 bits; 0 when this time is negligible.
static uint64_t cost_of_sample(const tiff_properties *f) {
  if (f->format == SAMPLEFORMAT_IEEEFP) return f->bits == 32 ? 1 : 3;
  if (f->bits > 8 && (f->associated || f->kind == TIFF_KIND_CMYK)) return 3;
  if (f->bits == 8 || f->bits == 16) return f->samples <= 4 ? 0 : 1;
  return f->bits < 8 && f->samples == 1 ? 0 : 1;
}

// Returns the measured nanoseconds per byte of input from which a codec produces no output, for
// example a deflate block that contains only code lengths.
static uint64_t cost_of_input_byte(const tiff_properties *f) {
  switch (f->compression) {
  case COMPRESSION_ADOBE_DEFLATE:
  case COMPRESSION_DEFLATE:
  case COMPRESSION_PIXARLOG:
  case COMPRESSION_ZSTD: return 100;
  case COMPRESSION_LZMA: return 65;
  default: return 8;
  }
}

uint64_t tiff_cost(const tiff_properties *f, uint64_t bytes, uint64_t input_bytes) {
  // The start of a codec takes 1,000 ns, for each strip or tile.
  uint64_t input = imgc_add(1000, imgc_mul(input_bytes, cost_of_input_byte(f)));
  return imgc_add(imgc_mul(bytes, cost_of_byte(f)), input);
}

typedef struct input_cost {
  uint64_t cost;    // nanoseconds for the input of all strips or tiles
  uint64_t bytes;   // of all strips or tiles
  uint64_t largest; // of the largest strip or tile
} input_cost;

// Sums the compressed bytes that are passed to the codec. Bytes that several strips or tiles share
// are counted for each of them.
static input_cost add_input(const tiff_file *file, const tiff_properties *f) {
  input_cost sum = {0};
  if (f->direct || f->compression == COMPRESSION_OJPEG) return sum;
  uint64_t size = file->input.size;
  uint32_t tiles = f->tile_columns * f->tile_rows;
  for (uint16_t k = 0; k < f->planes; k++) {
    uint32_t first = f->separate ? tiff_plane(f, k) * tiles : 0;
    for (uint32_t i = 0; i < tiles; i++) {
      uint64_t offset = TIFFGetStrileOffset(file->tif, first + i);
      uint64_t count = TIFFGetStrileByteCount(file->tif, first + i);
      uint64_t left = offset < size ? size - offset : 0;
      if (count > left) count = left;
      if (count > sum.largest) sum.largest = count;
      sum.cost = imgc_add(sum.cost, tiff_cost(f, 0, count));
      sum.bytes = imgc_add(sum.bytes, count);
    }
  }
  return sum;
}

// Limits the estimated decoding time of a page. In a short file all strips may refer to the same
// highly compressed bytes, so the limits of the image's size alone would allow minutes. The
// estimate includes samples that do not contribute to pixels.
//
// The budget is 4 ns per byte of max_memory, about two seconds by default; without max_memory, 4 ns
// per byte of TIFF_UNLIMITED_MEMORY. The page is rejected
// - when the time for the output exceeds the budget; this is not checked without max_memory;
// - when the time for the input exceeds the rest of the budget. The time for 1.25 times the file's
//   size plus 4 MiB is always accepted, because it is proportional to the size of the file.
//
// The rest of the budget is available for decoding damaged strips again (retry_cost), but at most
// the time to decode the page twice and the largest strip 16 times. retry_cost is at least the time
// to decode the largest strip three times: this suffices to find the intact part and to decode it.
// If that time exceeds the budget, for example with megabytes of empty deflate blocks, retry_cost
// is at least the time to decode the largest strip twice.
imgc_status tiff_check_work(const imgc_request *request, const tiff_file *file, tiff_properties *f,
                            imgc_report *report) {
  uint64_t tiles = imgc_mul(imgc_mul(f->tile_columns, f->tile_rows), f->planes);
  uint64_t bytes = imgc_mul(f->tile_bytes, tiles);
  uint64_t samples = imgc_mul(imgc_mul(f->width, f->height), f->separate ? f->planes : f->samples);
  uint64_t output =
      imgc_add(imgc_mul(bytes, cost_of_byte(f)), imgc_mul(samples, cost_of_sample(f)));
  uint64_t limit = request->limits.max_memory;
  uint64_t budget = imgc_mul(limit ? limit : TIFF_UNLIMITED_MEMORY, 4);
  if (limit && output > budget)
    return imgc_fail(report, IMGC_ERROR_LIMIT, "max_memory",
                     "tiff: the estimated decoding time is %llu ns, the limit is %llu ns "
                     "(4 ns per byte of the memory limit)",
                     (unsigned long long)output, (unsigned long long)budget);

  if (imgc_charge(request, imgc_mul(tiles, IMGC_WORK_CHUNK), report)) return report->status;
  input_cost input = add_input(file, f);
  uint64_t left = output < budget ? budget - output : 0;
  uint64_t size = imgc_add(file->input.size, file->input.size / 4 + (4 << 20));
  uint64_t file_cost = imgc_mul(size, cost_of_input_byte(f));
  if (input.cost > (left > file_cost ? left : file_cost))
    return imgc_fail(
        report, IMGC_ERROR_LIMIT, "max_memory",
        "tiff: the estimated decoding time of the data of all strips or tiles is %llu ms, the "
        "limit is %llu ms",
        (unsigned long long)(input.cost / 1000000),
        (unsigned long long)((left > file_cost ? left : file_cost) / 1000000));
  left = input.cost < left ? left - input.cost : 0;
  uint64_t single_decode = tiff_cost(f, f->tile_bytes, input.largest);
  uint64_t wanted =
      imgc_add(imgc_mul(single_decode, 16), imgc_mul(imgc_add(output, input.cost), 2));
  // An input byte without output costs up to five times as much as one of an ordinary file. For the
  // work budget, the bytes of the file count as ordinary, because they are limited by its size.
  uint64_t once = input.bytes < file->input.size ? input.bytes : file->input.size;
  uint64_t pixels = imgc_mul(f->width, f->height);
  f->cost = imgc_add(imgc_add(output, imgc_mul(pixels, 2)),
                     input.cost - imgc_mul(once, cost_of_input_byte(f) * 4 / 5));
  f->retry_cost = wanted < left ? wanted : left;
  uint64_t min_retry_cost = imgc_mul(single_decode, imgc_mul(single_decode, 3) <= budget ? 3 : 2);
  if (f->retry_cost < min_retry_cost) f->retry_cost = min_retry_cost;
  return IMGC_OK;
}
