// Encodes RGBA8 as JPEG with libjpeg-turbo. The file contains a JFIF header, tables and scans, and
// no other segments.

#include "CImageCodecs/encode_jpeg.h"
#include "core/report.h"
#include "encode/encode.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !__has_include(<jpeglib.h>)
#error "libjpeg-turbo is missing: apt-get install libjpeg-dev (brew install jpeg-turbo)"
#endif
#include <jerror.h>
#include <jpeglib.h>

// The data that must be valid after a longjmp; it is a local variable of imgc_encode_jpeg.
typedef struct jpeg_writer {
  struct jpeg_compress_struct cinfo;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr destination;
  struct jpeg_progress_mgr progress;
  jmp_buf jump;

  const imgc_image *image;
  const imgc_jpeg_options *options;
  imgc_cancel *cancel;
  imgc_output *output;
  imgc_report *report;
  imgc_pixel_statistics statistics; // of the composited pixels

  uint8_t *band; // IMGC_ENCODE_BAND converted rows; NULL: libjpeg reads the image directly
  size_t band_stride;
  uint32_t rows; // rows passed to libjpeg
  bool failed;   // libjpeg failed
  int code;
} jpeg_writer;

static jpeg_writer *writer_of(j_common_ptr cinfo) { return cinfo->client_data; }

static void exit_writer(jpeg_writer *w) { longjmp(w->jump, 1); }

static void on_error(j_common_ptr cinfo) {
  jpeg_writer *w = writer_of(cinfo);
  w->failed = true;
  w->code = cinfo->err->msg_code;
  exit_writer(w);
}

static void on_message(j_common_ptr cinfo, int level) { (void)cinfo, (void)level; }

static void on_output(j_common_ptr cinfo) { (void)cinfo; }

// libjpeg calls this function once per call of jpeg_write_scanlines, and once per row of blocks in
// every later pass.
static void on_progress(j_common_ptr cinfo) {
  jpeg_writer *w = writer_of(cinfo);
  if (imgc_encode_poll(w->cancel, w->report)) exit_writer(w);
}

// ---------------------------------------------------------------- output

static void provide_buffer(jpeg_writer *w) {
  if (!imgc_output_reserve(w->output, 4096)) {
    imgc_fail(w->report, IMGC_ERROR_OUT_OF_MEMORY, NULL,
              "jpeg: out of memory for the encoded file");
    exit_writer(w);
  }
  w->destination.next_output_byte = w->output->data + w->output->count;
  w->destination.free_in_buffer = w->output->capacity - w->output->count;
}

static void on_destination_start(j_compress_ptr cinfo) {
  provide_buffer(writer_of((j_common_ptr)cinfo));
}

static boolean on_destination_full(j_compress_ptr cinfo) {
  jpeg_writer *w = writer_of((j_common_ptr)cinfo);
  w->output->count = w->output->capacity;
  if (imgc_output_check(w->output, "jpeg", w->report)) exit_writer(w);
  provide_buffer(w);
  return TRUE;
}

static void on_destination_end(j_compress_ptr cinfo) {
  jpeg_writer *w = writer_of((j_common_ptr)cinfo);
  w->output->count = w->output->capacity - w->destination.free_in_buffer;
}

// ---------------------------------------------------------------- pixels

static void flatten(uint8_t *dst, const uint8_t *src, size_t n, const uint8_t background[3]) {
  for (size_t i = 0; i < n; i++, src += 4, dst += 4) {
    unsigned alpha = src[3];
    dst[0] = imgc_composite_sample(src[0], background[0], alpha);
    dst[1] = imgc_composite_sample(src[1], background[1], alpha);
    dst[2] = imgc_composite_sample(src[2], background[2], alpha);
    dst[3] = 255;
  }
}

// Analyzes the pixels to select the number of components.
static imgc_status analyze(jpeg_writer *w) {
  const imgc_image *image = w->image;
  const uint8_t *background = w->options->background;
  w->statistics = (imgc_pixel_statistics){true, !w->options->avoids_gray, 0};
  for (uint32_t y = 0; y < image->height; y++) {
    if (y % IMGC_ENCODE_BAND == 0 && imgc_encode_poll(w->cancel, w->report))
      return w->report->status;
    imgc_pixel_statistics_add(&w->statistics, imgc_image_row(image, y), image->width);
    if (!w->statistics.is_opaque && !w->statistics.is_gray) return IMGC_OK;
  }
  // Gray pixels composited over a coloured background are not gray. The colour of a pixel with
  // alpha 0 is considered too.
  if (!w->statistics.is_opaque &&
      (background[0] != background[1] || background[1] != background[2]))
    w->statistics.is_gray = false;
  return IMGC_OK;
}

static bool needs_band(const jpeg_writer *w) {
  return w->statistics.is_gray || !w->statistics.is_opaque;
}

// Converts the rows from `y` on to libjpeg's input format.
static void fill_band(jpeg_writer *w, uint32_t y, uint32_t count) {
  size_t width = w->image->width;
  for (uint32_t i = 0; i < count; i++) {
    const uint8_t *src = imgc_image_row(w->image, y + i);
    uint8_t *dst = w->band + i * w->band_stride;
    if (!w->statistics.is_opaque) {
      flatten(dst, src, width, w->options->background);
      src = dst;
    }
    if (w->statistics.is_gray)
      for (size_t x = 0; x < width; x++) dst[x] = src[x * 4];
  }
}

// ---------------------------------------------------------------- writing

static void init(jpeg_writer *w) {
  j_compress_ptr cinfo = &w->cinfo;
  const imgc_jpeg_options *options = w->options;
  cinfo->image_width = w->image->width;
  cinfo->image_height = w->image->height;
  cinfo->input_components = w->statistics.is_gray ? 1 : 4;
  cinfo->in_color_space = w->statistics.is_gray ? JCS_GRAYSCALE : JCS_EXT_RGBX;
  jpeg_set_defaults(cinfo);
  jpeg_set_quality(cinfo, options->quality, TRUE);
  if (!w->statistics.is_gray) {
    cinfo->comp_info[0].h_samp_factor = options->chroma == IMGC_CHROMA_444 ? 1 : 2;
    cinfo->comp_info[0].v_samp_factor = options->chroma == IMGC_CHROMA_420 ? 2 : 1;
  }
  cinfo->optimize_coding = options->optimizes_huffman;
  if (options->is_progressive) jpeg_simple_progression(cinfo);
}

// libjpeg may leave this function by longjmp.
static void write_rows(jpeg_writer *w) {
  jpeg_create_compress(&w->cinfo);
  w->destination.init_destination = on_destination_start;
  w->destination.empty_output_buffer = on_destination_full;
  w->destination.term_destination = on_destination_end;
  w->cinfo.dest = &w->destination;
  w->progress.progress_monitor = on_progress;
  w->cinfo.progress = &w->progress;
  init(w);
  jpeg_start_compress(&w->cinfo, TRUE);
  while (w->rows < w->image->height) {
    JSAMPROW rows[IMGC_ENCODE_BAND];
    uint32_t left = w->image->height - w->rows;
    uint32_t count = left < IMGC_ENCODE_BAND ? left : IMGC_ENCODE_BAND;
    if (w->band) fill_band(w, w->rows, count);
    for (uint32_t i = 0; i < count; i++)
      rows[i] = w->band ? w->band + i * w->band_stride
                        : (JSAMPROW)(uintptr_t)imgc_image_row(w->image, w->rows + i);
    w->rows += jpeg_write_scanlines(&w->cinfo, rows, count);
  }
  jpeg_finish_compress(&w->cinfo);
}

// The only function here with setjmp. It has no local variables except its argument.
static void guarded(jpeg_writer *w) {
  if (setjmp(w->jump) == 0) write_rows(w);
}

static imgc_status fail(jpeg_writer *w) {
  char text[JMSG_LENGTH_MAX];
  w->errors.format_message((j_common_ptr)&w->cinfo, text);
  bool no_memory = w->code == JERR_OUT_OF_MEMORY;
  return imgc_fail(w->report, no_memory ? IMGC_ERROR_OUT_OF_MEMORY : IMGC_ERROR_INTERNAL, NULL,
                   "jpeg: %s", text);
}

static bool is_valid(const imgc_jpeg_options *options) {
  return options->quality >= 1 && options->quality <= 100 && options->chroma <= IMGC_CHROMA_444;
}

imgc_status imgc_encode_jpeg(const imgc_image *image, const imgc_jpeg_options *options,
                             imgc_cancel *cancel, imgc_output *output, imgc_report *report) {
  memset(report, 0, sizeof *report);
  if (!imgc_image_is_valid(image) || !is_valid(options))
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "jpeg: the image or an encoder option is invalid");
  if (image->width > JPEG_MAX_DIMENSION || image->height > JPEG_MAX_DIMENSION)
    return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, "dimensions",
                     "jpeg: %u x %u pixels exceed the limit of %ld pixels per side", image->width,
                     image->height, (long)JPEG_MAX_DIMENSION);
  jpeg_writer w = {
      .image = image, .options = options, .cancel = cancel, .output = output, .report = report};
  if (analyze(&w)) return report->status;
  if (needs_band(&w)) {
    w.band_stride = (size_t)image->width * 4;
    w.band = malloc(w.band_stride * IMGC_ENCODE_BAND);
    if (!w.band) return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "jpeg: out of memory");
  }
  w.cinfo.err = jpeg_std_error(&w.errors);
  w.errors.error_exit = on_error;
  w.errors.emit_message = on_message;
  w.errors.output_message = on_output;
  w.cinfo.client_data = &w;
  guarded(&w);
  if (w.failed) fail(&w);
  jpeg_destroy_compress(&w.cinfo);
  free(w.band);
  if (report->status) return report->status;
  return imgc_output_check(output, "jpeg", report);
}
