// libjpeg: jpeg_mem_src and one row per jpeg_read_scanlines call.

#include "CPlatformImageBaselines.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#if !__has_include(<jpeglib.h>)
#error "libjpeg-turbo is missing: apt-get install libjpeg-dev (brew install jpeg-turbo)"
#endif
#include <jpeglib.h>

// State that must be valid after a longjmp: a local variable of baseline_jpeg, not of guarded,
// which calls setjmp.
struct jpeg_baseline {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  jmp_buf jump;
  uint8_t *pixels;
  bool is_done;
};

static void on_error(j_common_ptr jpeg) {
  longjmp(((struct jpeg_baseline *)jpeg->client_data)->jump, 1);
}

static void on_message(j_common_ptr jpeg) { (void)jpeg; }

static void read_all(struct jpeg_baseline *baseline, const uint8_t *data, size_t size) {
  struct jpeg_decompress_struct *jpeg = &baseline->jpeg;
  jpeg_mem_src(jpeg, data, size);
  jpeg_read_header(jpeg, TRUE);
  jpeg->out_color_space = JCS_EXT_RGBA;
  jpeg_start_decompress(jpeg);
  size_t stride = (size_t)jpeg->output_width * 4;
  baseline->pixels = malloc(stride * jpeg->output_height);
  if (!baseline->pixels) return;
  while (jpeg->output_scanline < jpeg->output_height) {
    JSAMPROW row = baseline->pixels + jpeg->output_scanline * stride;
    jpeg_read_scanlines(jpeg, &row, 1);
  }
  jpeg_finish_decompress(jpeg);
  baseline->is_done = jpeg->err->num_warnings == 0;
}

static void guarded(struct jpeg_baseline *baseline, const uint8_t *data, size_t size) {
  if (setjmp(baseline->jump) == 0) {
    jpeg_create_decompress(&baseline->jpeg);
    read_all(baseline, data, size);
  }
}

bool baseline_jpeg(const uint8_t *data, size_t size, baseline_image *image) {
  struct jpeg_baseline baseline = {.is_done = false};
  baseline.jpeg.err = jpeg_std_error(&baseline.errors);
  baseline.errors.error_exit = on_error;
  baseline.errors.output_message = on_message;
  baseline.jpeg.client_data = &baseline;
  guarded(&baseline, data, size);
  if (baseline.is_done)
    *image = (baseline_image){baseline.pixels, baseline.jpeg.output_width,
                              baseline.jpeg.output_height, 1};
  else
    free(baseline.pixels);
  jpeg_destroy_decompress(&baseline.jpeg);
  return baseline.is_done;
}
