// PNG chunks, and compressed rows in them. Data that fits into a bounded buffer is compressed by
// libdeflate, which is faster and compresses better than zlib, but requires all input at once.
// Larger data is compressed by zlib.

#include "encode/encode_png_data.h"
#include "core/bytes.h"
#include "core/limits.h"
#include "core/report.h"

#include <stdlib.h>
#include <string.h>
#if !__has_include(<libdeflate.h>)
#error "libdeflate is missing: apt-get install libdeflate-dev (brew install libdeflate)"
#endif
#include <libdeflate.h>
#if !__has_include(<zlib.h>)
#error "zlib is missing: apt-get install zlib1g-dev"
#endif
#include <zlib.h>

// Limits of the data for libdeflate, which cannot be interrupted: at its highest levels 4 MiB may
// take seconds.
enum {
  MAX_ONE_CALL_BYTES = 4 << 20,
  MAX_ONE_CALL_BYTES_AT_HIGH_LEVELS = 256 << 10,
  HIGH_LEVEL = 8,
  CHUNK = 64 << 10
};

// ---------------------------------------------------------------- chunks

bool imgc_png_chunk_begin(imgc_output *output, const char type[4], size_t *start) {
  uint8_t header_bytes[8] = {0};
  memcpy(header_bytes + 4, type, 4);
  *start = output->count;
  return imgc_output_append(output, header_bytes, 8);
}

bool imgc_png_chunk_end(imgc_output *output, size_t start) {
  uint8_t *chunk = output->data + start;
  size_t size = output->count - start - 8;
  imgc_put_be32(chunk, (uint32_t)size);
  uint8_t crc[4];
  imgc_put_be32(crc, libdeflate_crc32(0, chunk + 4, size + 4));
  return imgc_output_append(output, crc, 4);
}

bool imgc_png_chunk(imgc_output *output, const char type[4], const uint8_t *data, size_t size) {
  size_t start;
  return imgc_png_chunk_begin(output, type, &start) && imgc_output_append(output, data, size) &&
         imgc_png_chunk_end(output, start);
}

static imgc_status no_memory(const imgc_png_data *data) {
  return imgc_fail(data->report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "png: out of memory");
}

static bool begin_data_chunk(const imgc_png_data *data, size_t *start) {
  if (!imgc_png_chunk_begin(data->output, data->sequence ? "fdAT" : "IDAT", start)) return false;
  if (!data->sequence) return true;
  uint8_t number[4];
  imgc_put_be32(number, (*data->sequence)++);
  return imgc_output_append(data->output, number, 4);
}

static bool is_time_to_poll(uint32_t y) { return y % IMGC_ENCODE_BAND == 0; }

// ---------------------------------------------------------------- in one call

// Concatenates the filtered rows.
static imgc_status concatenate_rows(const imgc_png_data *data, uint8_t *rows) {
  const imgc_image *image = data->image;
  size_t line = data->row_encoder->row_size + 1;
  for (uint32_t y = 0; y < image->height; y++, rows += line) {
    if (is_time_to_poll(y) && imgc_encode_poll(data->cancel, data->report))
      return data->report->status;
    const uint8_t *src = imgc_image_row(image, y);
    memcpy(rows, imgc_png_row_encoder_next(data->row_encoder, src, image->width), line);
  }
  return imgc_encode_poll(data->cancel, data->report);
}

static bool compress_rows(const imgc_png_data *data, const uint8_t *rows, size_t size) {
  // From level 10 on libdeflate uses near-optimal parsing, at several times the cost.
  static const int levels[10] = {0, 1, 2, 4, 5, 6, 7, 8, 9, 12};
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(levels[data->level]);
  if (!compressor) return false;
  imgc_output *output = data->output;
  size_t bound = libdeflate_zlib_compress_bound(compressor, size), start;
  bool ok = begin_data_chunk(data, &start) && imgc_output_reserve(output, bound);
  if (ok)
    output->count +=
        libdeflate_zlib_compress(compressor, rows, size, output->data + output->count, bound);
  libdeflate_free_compressor(compressor);
  return ok && imgc_png_chunk_end(output, start);
}

static imgc_status write_in_one_call(const imgc_png_data *data, size_t size) {
  uint8_t *rows = malloc(size);
  if (!rows) return no_memory(data);
  imgc_status status = concatenate_rows(data, rows);
  if (status == IMGC_OK && !compress_rows(data, rows, size)) status = no_memory(data);
  free(rows);
  return status ? status : imgc_output_check(data->output, "png", data->report);
}

// ---------------------------------------------------------------- row by row

// Compresses the input of `stream` into chunks of 64 KiB.
static imgc_status push(const imgc_png_data *data, z_stream *stream, int flush, size_t *start) {
  imgc_output *output = data->output;
  for (;;) {
    int status = deflate(stream, flush);
    bool is_full = stream->avail_out == 0, is_end = status == Z_STREAM_END;
    if (status != Z_OK && status != Z_BUF_ERROR && !is_end)
      return imgc_fail(data->report, IMGC_ERROR_INTERNAL, NULL, "png: deflate returned %d", status);
    if (!is_full && !is_end) return IMGC_OK;
    output->count = (size_t)(stream->next_out - output->data);
    if (!imgc_png_chunk_end(output, *start)) return no_memory(data);
    if (is_end) return IMGC_OK;
    if (imgc_output_check(output, "png", data->report)) return data->report->status;
    if (!begin_data_chunk(data, start) || !imgc_output_reserve(output, CHUNK))
      return no_memory(data);
    stream->next_out = output->data + output->count;
    stream->avail_out = CHUNK;
  }
}

static imgc_status push_row(const imgc_png_data *data, z_stream *stream, const uint8_t *row,
                            size_t size, size_t *start) {
  // The size of a row can exceed zlib's avail_in, which has 32 bits.
  enum { MAX_INPUT_BYTES = 1 << 20 };
  imgc_status status = IMGC_OK;
  for (size_t done = 0; done < size && status == IMGC_OK;) {
    size_t input_count = size - done < MAX_INPUT_BYTES ? size - done : MAX_INPUT_BYTES;
    stream->next_in = (Bytef *)(uintptr_t)(row + done);
    stream->avail_in = (uInt)input_count;
    status = push(data, stream, Z_NO_FLUSH, start);
    done += input_count;
    if (status == IMGC_OK && done < size) status = imgc_encode_poll(data->cancel, data->report);
  }
  return status;
}

static imgc_status write_streaming(const imgc_png_data *data) {
  const imgc_image *image = data->image;
  z_stream stream = {0};
  int strategy = data->row_encoder->filter == IMGC_FILTER_NONE ? Z_DEFAULT_STRATEGY : Z_FILTERED;
  if (deflateInit2(&stream, data->level, Z_DEFLATED, 15, 9, strategy) != Z_OK)
    return no_memory(data);
  size_t start;
  imgc_status status = IMGC_OK;
  if (begin_data_chunk(data, &start) && imgc_output_reserve(data->output, CHUNK)) {
    stream.next_out = data->output->data + data->output->count;
    stream.avail_out = CHUNK;
  } else
    status = no_memory(data);
  for (uint32_t y = 0; y < image->height && status == IMGC_OK; y++) {
    if (is_time_to_poll(y) && (status = imgc_encode_poll(data->cancel, data->report))) break;
    const uint8_t *src = imgc_image_row(image, y);
    const uint8_t *row = imgc_png_row_encoder_next(data->row_encoder, src, image->width);
    status = push_row(data, &stream, row, data->row_encoder->row_size + 1, &start);
  }
  if (status == IMGC_OK) status = push(data, &stream, Z_FINISH, &start);
  deflateEnd(&stream);
  return status ? status : imgc_output_check(data->output, "png", data->report);
}

imgc_status imgc_png_data_write(const imgc_png_data *data) {
  uint64_t size = imgc_mul(data->row_encoder->row_size + 1, data->image->height);
  size_t max = data->level >= HIGH_LEVEL ? MAX_ONE_CALL_BYTES_AT_HIGH_LEVELS : MAX_ONE_CALL_BYTES;
  return size <= max ? write_in_one_call(data, (size_t)size) : write_streaming(data);
}
