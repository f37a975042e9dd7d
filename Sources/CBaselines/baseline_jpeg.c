// libjpeg: jpeg_mem_src and one row a jpeg_read_scanlines call.

#include "CPlatformImageBaselines.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#if !__has_include(<jpeglib.h>)
#error "libjpeg not found: apt-get install libjpeg62-turbo-dev (on Ubuntu libjpeg-turbo8-dev)"
#endif
#include <jpeglib.h>

// What must survive a jump lives here, in the frame below the one with setjmp.
struct jpeg_twin {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  jmp_buf jump;
  uint8_t *pixels;
  bool is_done;
};

static void on_error(j_common_ptr jpeg) {
  longjmp(((struct jpeg_twin *)jpeg->client_data)->jump, 1);
}

static void on_message(j_common_ptr jpeg) { (void)jpeg; }

static void read_all(struct jpeg_twin *twin, const uint8_t *data, size_t size) {
  struct jpeg_decompress_struct *jpeg = &twin->jpeg;
  jpeg_mem_src(jpeg, data, size);
  jpeg_read_header(jpeg, TRUE);
  jpeg->out_color_space = JCS_EXT_RGBA;
  jpeg_start_decompress(jpeg);
  size_t stride = (size_t)jpeg->output_width * 4;
  twin->pixels = malloc(stride * jpeg->output_height);
  if (!twin->pixels) return;
  while (jpeg->output_scanline < jpeg->output_height) {
    JSAMPROW row = twin->pixels + jpeg->output_scanline * stride;
    jpeg_read_scanlines(jpeg, &row, 1);
  }
  jpeg_finish_decompress(jpeg);
  twin->is_done = jpeg->err->num_warnings == 0;
}

static void guarded(struct jpeg_twin *twin, const uint8_t *data, size_t size) {
  if (setjmp(twin->jump) == 0) {
    jpeg_create_decompress(&twin->jpeg);
    read_all(twin, data, size);
  }
}

bool twin_jpeg(const uint8_t *data, size_t size, twin_picture *picture) {
  struct jpeg_twin twin = {.is_done = false};
  twin.jpeg.err = jpeg_std_error(&twin.errors);
  twin.errors.error_exit = on_error;
  twin.errors.output_message = on_message;
  twin.jpeg.client_data = &twin;
  guarded(&twin, data, size);
  if (twin.is_done)
    *picture = (twin_picture){twin.pixels, twin.jpeg.output_width, twin.jpeg.output_height, 1};
  else
    free(twin.pixels);
  jpeg_destroy_decompress(&twin.jpeg);
  return twin.is_done;
}
