// Measures PNG thumbnails with streaming decompression and with decompression in one call, and the
// decompressors alone. Scripts/bench/png-thumb compiles and runs this program. The images are tiles
// of the photograph of the first argument, with 2 bits of noise, or with 8 bits of noise in the low
// bytes of 16-bit samples. libpng encodes them.

#include <stdio.h> // jpeglib.h needs it before

#include "CImageCodecs.h"
#include "inflate/inflate.h"

#include <jpeglib.h>
#include <libdeflate.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>
#if __has_include(<isa-l/igzip_lib.h>)
#include <isa-l/igzip_lib.h>
#endif

enum { INPUT_SIZE = 8192, OUTPUT_SIZE = 128 << 10, MAX_ROUNDS = 99 };

typedef struct bytes {
  uint8_t *data;
  size_t size, capacity;
} bytes;

static void append(bytes *b, const void *data, size_t size) {
  if (b->size + size > b->capacity) {
    b->capacity = 2 * b->capacity + size;
    if (!(b->data = realloc(b->data, b->capacity))) abort();
  }
  memcpy(b->data + b->size, data, size);
  b->size += size;
}

static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return values[count / 2];
}

// ---------------------------------------------------------------- images

static uint8_t *read_photograph(const char *path, unsigned *width, unsigned *height) {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  FILE *file = fopen(path, "rb");
  if (!file) exit(2);
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&jpeg);
  jpeg_stdio_src(&jpeg, file);
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg);
  *width = jpeg.output_width;
  *height = jpeg.output_height;
  uint8_t *pixels = malloc((size_t)*width * *height * 3);
  while (jpeg.output_scanline < *height) {
    uint8_t *row = pixels + (size_t)jpeg.output_scanline * *width * 3;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_destroy_decompress(&jpeg);
  fclose(file);
  return pixels;
}

static void on_write(png_structp png, png_bytep data, size_t size) {
  append(png_get_io_ptr(png), data, size);
}
static void on_flush(png_structp png) { (void)png; }

static bytes make_png(const uint8_t *photograph, unsigned w, unsigned h, unsigned width,
                      unsigned height, int depth) {
  bytes file = {0};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &file, on_write, on_flush);
  png_set_IHDR(png, info, width, height, depth, PNG_COLOR_TYPE_RGB, 0, 0, 0);
  png_set_compression_level(png, 3); // faster to encode; the number of literals is that of level 6
  png_write_info(png, info);
  uint8_t *row = malloc((size_t)width * 6);
  uint32_t seed = 1;
  for (unsigned y = 0; y < height; y++) {
    for (size_t i = 0; i < (size_t)width * 3; i++) {
      seed = seed * 1664525 + 1013904223;
      int value = photograph[(size_t)(y % h) * w * 3 + i % ((size_t)w * 3)] + (int)(seed >> 30) - 1;
      uint8_t sample = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
      if (depth == 8) {
        row[i] = sample;
      } else {
        row[2 * i] = sample;
        row[2 * i + 1] = (uint8_t)(seed >> 20);
      }
    }
    png_write_row(png, row);
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  free(row);
  return file;
}

// ---------------------------------------------------------------- thumbnails

typedef struct thumbnail {
  imgc_request request;
  imgc_resample_request resample;
  imgc_target target;
  double work; // MiB besides the result
} thumbnail;

static thumbnail make_thumbnail(const bytes *file, uint32_t flags) {
  thumbnail t = {.request = {.data = file->data, .size = file->size, .format = IMGC_FORMAT_PNG}};
  imgc_header header;
  imgc_report report;
  t.request.flags = flags | IMGC_RESAMPLES;
  if (imgc_read_header(&t.request, &header, &report)) exit(2);
  t.resample = (imgc_resample_request){.source_width = header.width,
                                       .source_height = header.height,
                                       .crop_width = header.width,
                                       .crop_height = header.height,
                                       .width = 300,
                                       .height = 300 * header.height / header.width,
                                       .filter = IMGC_FILTER_LANCZOS3,
                                       .flags = IMGC_RESAMPLE_OPAQUE};
  t.target = (imgc_target){.width = 300, .height = t.resample.height, .orientation = 1};
  t.target.stride = 1200;
  t.target.size = 1200 * (size_t)t.resample.height;
  t.target.pixels = malloc(t.target.size);
  t.work = (double)imgc_resampled_bytes(&header, &t.resample) / (1 << 20);
  return t;
}

static double run_thumbnail(thumbnail *t) {
  imgc_report report;
  double start = cpu_ms();
  if (imgc_decode_resampled(&t->request, &t->resample, &t->target, &report)) exit(2);
  return cpu_ms() - start;
}

static bool compare(const char *name, const bytes *file, int rounds, uint32_t flags,
                    double max_ratio) {
  thumbnail one_call = make_thumbnail(file, IMGC_INFLATE_IN_ONE_CALL),
            streaming = make_thumbnail(file, flags);
  double a[MAX_ROUNDS], b[MAX_ROUNDS], ratios[MAX_ROUNDS];
  run_thumbnail(&one_call), run_thumbnail(&streaming);
  for (int i = 0; i < rounds; i++) {
    a[i] = run_thumbnail(&one_call);
    b[i] = run_thumbnail(&streaming);
    ratios[i] = b[i] / a[i];
  }
  bool pixels_equal =
      memcmp(one_call.target.pixels, streaming.target.pixels, streaming.target.size) == 0;
  double ratio = median(ratios, rounds);
  bool target_met = pixels_equal && ratio <= max_ratio &&
                    streaming.work * (1 << 20) <= (flags || max_ratio > 1.2 ? 8e6 : 1e9);
  printf("%-22s one call %6.1f ms %7.2f MiB   streaming %6.1f ms %6.2f MiB   ratio %.2f (at most "
         "%.2f), "
         "pixels %s  %s\n",
         name, median(a, rounds), one_call.work, median(b, rounds), streaming.work, ratio,
         max_ratio, pixels_equal ? "equal" : "DIFFER", target_met ? "MET" : "MISSED");
  free(one_call.target.pixels);
  free(streaming.target.pixels);
  return target_met;
}

// ---------------------------------------------------------------- decompressors

static bytes deflate_of(const bytes *file) {
  bytes stream = {0};
  for (size_t i = 8; i + 12 <= file->size;) {
    const uint8_t *p = file->data + i;
    size_t size = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
    if (!memcmp(p + 4, "IDAT", 4)) append(&stream, p + 8, size);
    i += size + 12;
  }
  return stream;
}

typedef struct cursor {
  const bytes *stream;
  size_t at;
} cursor;

static bool next_input(void *context, const uint8_t **in, const uint8_t **end) {
  cursor *c = context;
  size_t left = c->stream->size - c->at, n = left < INPUT_SIZE ? left : INPUT_SIZE;
  if (n == 0) return false;
  *in = c->stream->data + c->at;
  *end = *in + n;
  c->at += n;
  return true;
}

static double run_native(const bytes *stream, imgc_inflater *z) {
  cursor c = {stream, 2};
  double start = cpu_ms();
  imgc_inflate_begin(z, next_input, &c);
  while (imgc_inflate_run(z) == IMGC_INFLATE_MORE) {
  }
  return cpu_ms() - start;
}

static double run_libdeflate(const bytes *stream, uint8_t *raw, size_t size) {
  double start = cpu_ms();
  struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
  if (libdeflate_deflate_decompress(d, stream->data + 2, stream->size - 2, raw, size, NULL))
    exit(2);
  libdeflate_free_decompressor(d);
  return cpu_ms() - start;
}

static double run_zlib(const bytes *stream, uint8_t *out) {
  cursor c = {stream, 2};
  z_stream z = {0};
  double start = cpu_ms();
  if (inflateInit2(&z, -15)) exit(2);
  for (int status = Z_OK; status == Z_OK;) {
    const uint8_t *in, *end;
    if (z.avail_in == 0 && next_input(&c, &in, &end))
      z.next_in = (uint8_t *)in, z.avail_in = (unsigned)(end - in);
    z.next_out = out;
    z.avail_out = OUTPUT_SIZE;
    status = inflate(&z, Z_NO_FLUSH);
  }
  inflateEnd(&z);
  return cpu_ms() - start;
}

static double run_igzip(const bytes *stream, uint8_t *out) {
#if __has_include(<isa-l/igzip_lib.h>)
  static struct inflate_state z;
  cursor c = {stream, 2};
  double start = cpu_ms();
  isal_inflate_init(&z);
  while (z.block_state != ISAL_BLOCK_FINISH) {
    const uint8_t *in, *end;
    if (z.avail_in == 0 && next_input(&c, &in, &end))
      z.next_in = (uint8_t *)in, z.avail_in = (unsigned)(end - in);
    z.next_out = out;
    z.avail_out = OUTPUT_SIZE;
    if (isal_inflate(&z)) exit(2);
  }
  return cpu_ms() - start;
#else
  (void)stream, (void)out;
  return 0;
#endif
}

static void compare_inflaters(const char *name, const bytes *file, size_t raw_size, int rounds) {
  bytes stream = deflate_of(file);
  uint8_t *raw = malloc(raw_size), *out = malloc(OUTPUT_SIZE);
  imgc_inflater *z = malloc(sizeof *z);
  double t[4][MAX_ROUNDS];
  run_libdeflate(&stream, raw, raw_size);
  for (int i = 0; i < rounds; i++) {
    t[0][i] = run_libdeflate(&stream, raw, raw_size);
    t[1][i] = run_native(&stream, z);
    t[2][i] = run_zlib(&stream, out);
    t[3][i] = run_igzip(&stream, out);
  }
  printf("%-22s libdeflate %.1f ms in one call; in chunks of %d bytes: native %.1f, zlib %.1f, "
         "igzip %.1f "
         "(0: not installed)\n",
         name, median(t[0], rounds), INPUT_SIZE, median(t[1], rounds), median(t[2], rounds),
         median(t[3], rounds));
  free(z), free(out), free(raw), free(stream.data);
}

int main(int count, char **arguments) {
  if (count < 2) return 2;
  int rounds = count > 2 ? atoi(arguments[2]) : 9;
  if (rounds < 1 || rounds > MAX_ROUNDS) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  unsigned w, h;
  uint8_t *photograph = read_photograph(arguments[1], &w, &h);
  bool target_met = true;
  for (int depth = 8; depth <= 16; depth += 8) {
    bytes file = make_png(photograph, w, h, 5184, 3472, depth);
    const char *name = depth == 8 ? "18 MP, 8 bits" : "18 MP, 16 bits";
    target_met &= compare(name, &file, rounds, 0, 1.3);
    compare_inflaters(name, &file, 3472 * ((size_t)5184 * 3 * (size_t)depth / 8 + 1), rounds);
    free(file.data);
  }
  bytes file = make_png(photograph, w, h, 2048, 1536, 8);
  target_met &= compare("3 MP, 8 bits", &file, rounds, 0, 1.05);
  compare("3 MP, 8 bits, streamed", &file, rounds, IMGC_LEAST_MEMORY, 1.3);
  free(file.data);
  free(photograph);
  return target_met ? 0 : 1;
}
