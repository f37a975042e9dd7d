// Encodes RGBA8 as GIF: the palettes and the drawn pixels of its frames.
//
// A frame of an animation draws only the smallest rectangle with changed pixels. Unchanged pixels
// in it get the transparent index or the index that the canvas shows, whichever compresses better.

#include "CImageCodecs/encode_gif.h"
#include "core/report.h"
#include "encode/encode_gif_blocks.h"
#include "encode/encode_gif_frames.h"
#include "encode/encode_gif_index.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SIDE = 65535 };

struct imgc_gif_encoder {
  imgc_gif_options options;
  uint32_t width, height; // 0 before the first frame was analyzed
  uint32_t analyzed, added;
  bool has_transparent; // an analyzed pixel is transparent
  imgc_gif_histogram *histogram;
  uint32_t *row; // `width` pixels

  // The palette of the first frame; of all frames if it is shared or exact.
  imgc_gif_palette global;
  int16_t global_transparent; // index; IMGC_GIF_NO_INDEX: none
  bool uses_global_only;
  imgc_gif_map *map;
  const imgc_gif_palette *mapped; // the palette that `map` contains

  imgc_gif_canvas canvas;
  uint8_t *shown;   // of an animation with one palette: the index that the canvas shows
  uint8_t *indices; // of one frame
  int16_t *errors;
  imgc_gif_blocks blocks;
};

// The palette and the position of one frame.
typedef struct frame {
  const imgc_image *image;
  imgc_gif_part part;
  const imgc_gif_palette *palette;
  imgc_gif_palette local;
  bool draws_all;      // unchanged pixels are drawn too
  int16_t transparent; // index; IMGC_GIF_NO_INDEX: none
  uint8_t disposal;    // IMGC_DISPOSE_...
  uint16_t delay;
} frame;

static imgc_status invalid_arguments(imgc_report *report) {
  return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                   "gif: an image, an encoder option or the number of frames is invalid");
}

static imgc_status no_memory(imgc_report *report) {
  return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "gif: out of memory");
}

static bool is_valid(const imgc_gif_options *options) {
  return options->max_colors >= 2 && options->max_colors <= IMGC_GIF_COLORS &&
         options->dither <= IMGC_GIF_DITHER_FLOYD_STEINBERG && options->frame_count >= 1;
}

imgc_gif_encoder *imgc_gif_encoder_create(const imgc_gif_options *options, imgc_cancel *cancel) {
  imgc_gif_encoder *encoder = calloc(1, sizeof *encoder);
  if (!encoder) return NULL;
  encoder->options = *options;
  encoder->blocks.cancel = cancel;
  encoder->histogram = imgc_gif_histogram_create();
  if (encoder->histogram) return encoder;
  free(encoder);
  return NULL;
}

void imgc_gif_encoder_destroy(imgc_gif_encoder *encoder) {
  if (!encoder) return;
  encoder->blocks.output = NULL; // giflib writes the trailer again
  imgc_gif_blocks_close(&encoder->blocks);
  imgc_gif_histogram_destroy(encoder->histogram);
  imgc_gif_map_destroy(encoder->map);
  free(encoder->row);
  free(encoder->canvas.pixels);
  free(encoder->shown);
  free(encoder->indices);
  free(encoder->errors);
  free(encoder);
}

// ---------------------------------------------------------------- colours

static bool has_size_of_canvas(const imgc_gif_encoder *encoder, const imgc_image *image) {
  return imgc_image_is_valid(image) && image->width == encoder->width &&
         image->height == encoder->height;
}

static imgc_status start(imgc_gif_encoder *encoder, const imgc_image *image, imgc_report *report) {
  if (image->width > MAX_SIDE || image->height > MAX_SIDE)
    return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, "dimensions",
                     "gif: %u x %u pixels exceed the limit of %d pixels per side", image->width,
                     image->height, MAX_SIDE);
  encoder->width = encoder->canvas.width = image->width;
  encoder->height = encoder->canvas.height = image->height;
  encoder->row = malloc((size_t)image->width * sizeof *encoder->row);
  return encoder->row ? IMGC_OK : no_memory(report);
}

// With one palette per frame, the colours of all frames are collected only until it is known that
// they do not fit into one exact palette.
static bool needs_colors(const imgc_gif_encoder *encoder) {
  return encoder->options.shares_palette ||
         imgc_gif_histogram_colors(encoder->histogram) <= IMGC_GIF_COLORS;
}

imgc_status imgc_gif_encoder_analyze(imgc_gif_encoder *encoder, const imgc_image *image,
                                     imgc_report *report) {
  memset(report, 0, sizeof *report);
  if (!is_valid(&encoder->options) || !imgc_image_is_valid(image) || encoder->added > 0 ||
      encoder->analyzed == encoder->options.frame_count)
    return invalid_arguments(report);
  if (encoder->analyzed == 0 && start(encoder, image, report)) return report->status;
  if (!has_size_of_canvas(encoder, image)) return invalid_arguments(report);
  encoder->analyzed++;
  bool collects = encoder->analyzed == 1 || needs_colors(encoder);
  for (uint32_t y = 0; y < image->height; y++) {
    if (y % IMGC_ENCODE_BAND == 0 && imgc_encode_poll(encoder->blocks.cancel, report))
      return report->status;
    imgc_gif_normalize(imgc_image_row(image, y), encoder->row, image->width);
    if (collects && !imgc_gif_histogram_add(encoder->histogram, encoder->row, image->width))
      return no_memory(report);
    for (uint32_t x = 0; x < image->width && !encoder->has_transparent; x++)
      encoder->has_transparent = encoder->row[x] == IMGC_GIF_NOT_DRAWN;
  }
  return IMGC_OK;
}

// The pixels of a row of the frame's area that are drawn; the others become IMGC_GIF_NOT_DRAWN.
static void drawn_pixels(const imgc_gif_encoder *encoder, const frame *f, uint32_t y) {
  const imgc_rect *area = &f->part.area;
  imgc_gif_normalize(imgc_image_row(f->image, y) + (size_t)area->x * 4, encoder->row, area->width);
  if (!encoder->canvas.pixels || f->draws_all) return;
  const uint32_t *shown = encoder->canvas.pixels + (size_t)y * encoder->width + area->x;
  for (uint32_t x = 0; x < area->width; x++)
    if (encoder->row[x] == shown[x]) encoder->row[x] = IMGC_GIF_NOT_DRAWN;
}

static imgc_status collect(imgc_gif_encoder *encoder, const frame *f, imgc_report *report) {
  const imgc_rect *area = &f->part.area;
  imgc_gif_histogram_clear(encoder->histogram);
  for (uint32_t y = area->y; y < area->y + area->height; y++) {
    if (y % IMGC_ENCODE_BAND == 0 && imgc_encode_poll(encoder->blocks.cancel, report))
      return report->status;
    drawn_pixels(encoder, f, y);
    if (!imgc_gif_histogram_add(encoder->histogram, encoder->row, area->width))
      return no_memory(report);
  }
  return IMGC_OK;
}

// Returns true if a palette of only this frame needs a transparent index: for pixels that are not
// drawn, or for the area that is cleared afterwards, which some viewers otherwise fill with the
// background colour. An exact palette of max_colors colours then loses one colour.
static bool reserves_index(const frame *f) {
  return (f->part.has_undrawn && !f->draws_all) || f->disposal == IMGC_DISPOSE_CLEAR;
}

// The global palette. A transparent index is necessary for transparent pixels; for unchanged pixels
// it is not used if an exact palette needs all indices.
static imgc_status make_global(imgc_gif_encoder *encoder, const frame *f, imgc_report *report) {
  uint32_t max_colors = encoder->options.max_colors;
  uint32_t found = imgc_gif_histogram_colors(encoder->histogram);
  bool is_exact = found + encoder->has_transparent <= max_colors;
  encoder->uses_global_only = is_exact || encoder->options.shares_palette;
  bool reserves = encoder->has_transparent || encoder->options.frame_count > 1;
  if (is_exact && found == max_colors) reserves = false;
  if (!encoder->uses_global_only && encoder->options.frame_count > 1) {
    if (collect(encoder, f, report)) return report->status;
    reserves = reserves_index(f);
  }
  if (!imgc_gif_palette_make(encoder->histogram, max_colors - reserves, &encoder->global))
    return no_memory(report);
  encoder->global_transparent = reserves ? (int16_t)encoder->global.set.count : IMGC_GIF_NO_INDEX;
  return IMGC_OK;
}

static imgc_status make_local(imgc_gif_encoder *encoder, frame *f, imgc_report *report) {
  uint32_t max_colors = encoder->options.max_colors;
  if (collect(encoder, f, report)) return report->status;
  // Exact colours without a transparent index, if all pixels of the area can be drawn.
  if (f->part.has_undrawn && !f->part.has_transparent &&
      imgc_gif_histogram_colors(encoder->histogram) == max_colors) {
    f->draws_all = true;
    if (collect(encoder, f, report)) return report->status;
    f->draws_all = imgc_gif_histogram_colors(encoder->histogram) == max_colors;
    if (!f->draws_all && collect(encoder, f, report)) return report->status;
  }
  bool reserves = reserves_index(f);
  if (!imgc_gif_palette_make(encoder->histogram, max_colors - reserves, &f->local))
    return no_memory(report);
  f->palette = &f->local;
  f->transparent = reserves ? (int16_t)f->local.set.count : IMGC_GIF_NO_INDEX;
  return IMGC_OK;
}

static imgc_status choose_palette(imgc_gif_encoder *encoder, frame *f, imgc_report *report) {
  bool is_first = encoder->added == 0;
  if (is_first && make_global(encoder, f, report)) return report->status;
  if (!is_first && !encoder->uses_global_only) return make_local(encoder, f, report);
  f->palette = &encoder->global;
  f->transparent = encoder->global_transparent;
  return IMGC_OK;
}

// ---------------------------------------------------------------- frames

static bool allocate(imgc_gif_encoder *encoder) {
  size_t count = (size_t)encoder->width * encoder->height;
  bool is_animation = encoder->options.frame_count > 1;
  encoder->indices = malloc(count);
  encoder->errors = malloc(imgc_gif_indexer_error_bytes(encoder->width));
  if (is_animation) encoder->canvas.pixels = calloc(count, sizeof *encoder->canvas.pixels);
  if (is_animation) encoder->shown = malloc(count);
  return encoder->indices && encoder->errors &&
         (!is_animation || (encoder->canvas.pixels && encoder->shown));
}

static imgc_status choose_part(imgc_gif_encoder *encoder, frame *f, const imgc_image *next,
                               imgc_report *report) {
  imgc_rect *area = &f->part.area;
  bool is_first = encoder->added == 0;
  if (is_first)
    *area = (imgc_rect){0, 0, encoder->width, encoder->height};
  else if (imgc_gif_changed_area(&encoder->canvas, f->image, encoder->blocks.cancel, area, report))
    return report->status;
  if (imgc_gif_choose_disposal(&encoder->canvas, f->image, next, !is_first, encoder->blocks.cancel,
                               area, &f->disposal, report))
    return report->status;
  return imgc_gif_examine(&encoder->canvas, f->image, encoder->blocks.cancel, &f->part, report);
}

static imgc_status make_indices(imgc_gif_encoder *encoder, const frame *f, imgc_report *report) {
  const imgc_rect *area = &f->part.area;
  bool is_exact = f->palette->is_exact;
  if (!is_exact && !encoder->map && !(encoder->map = imgc_gif_map_create()))
    return no_memory(report);
  if (!is_exact && (encoder->mapped != f->palette || f->palette == &f->local))
    imgc_gif_map_set(encoder->map, &f->palette->set);
  encoder->mapped = f->palette;
  imgc_gif_indexer indexer = {
      .exact = is_exact ? &f->palette->set : NULL,
      .map = encoder->map,
      .dither = encoder->options.dither,
      .undrawn = f->transparent == IMGC_GIF_NO_INDEX ? 0 : (uint8_t)f->transparent,
      .x = area->x,
      .y = area->y,
      .width = area->width,
      .errors = encoder->errors,
  };
  imgc_gif_indexer_start(&indexer);
  for (uint32_t y = 0; y < area->height; y++) {
    if (y % IMGC_ENCODE_BAND == 0 && imgc_encode_poll(encoder->blocks.cancel, report))
      return report->status;
    drawn_pixels(encoder, f, area->y + y);
    imgc_gif_indexer_row(&indexer, encoder->row, encoder->indices + (size_t)y * area->width);
  }
  return IMGC_OK;
}

// Replaces the index of unchanged pixels by the index that the canvas shows.
static void show_unchanged(imgc_gif_encoder *encoder, const frame *f) {
  const imgc_rect *area = &f->part.area;
  for (uint32_t y = 0; y < area->height; y++) {
    size_t start = (size_t)(area->y + y) * encoder->width + area->x;
    uint8_t *indices = encoder->indices + (size_t)y * area->width;
    drawn_pixels(encoder, f, area->y + y);
    for (uint32_t x = 0; x < area->width; x++)
      if (encoder->row[x] == IMGC_GIF_NOT_DRAWN && encoder->canvas.pixels[start + x] != 0)
        indices[x] = encoder->shown[start + x];
  }
}

// Records the indices that the frame has drawn.
static void record_shown(imgc_gif_encoder *encoder, const frame *f) {
  const imgc_rect *area = &f->part.area;
  for (uint32_t y = 0; y < area->height; y++) {
    size_t start = (size_t)(area->y + y) * encoder->width + area->x;
    const uint8_t *indices = encoder->indices + (size_t)y * area->width;
    drawn_pixels(encoder, f, area->y + y);
    for (uint32_t x = 0; x < area->width; x++)
      if (encoder->row[x] != IMGC_GIF_NOT_DRAWN) encoder->shown[start + x] = indices[x];
  }
}

static imgc_status put_header(imgc_gif_encoder *encoder, imgc_report *report) {
  const imgc_gif_options *options = &encoder->options;
  imgc_gif_header header = {
      .width = encoder->width,
      .height = encoder->height,
      .palette = &encoder->global,
      .transparent = encoder->global_transparent,
      .needs_gif89a = encoder->has_transparent || options->frame_count > 1,
      .repeats = options->repeats,
      .repeat_count = options->repeat_count,
  };
  return imgc_gif_put_header(&encoder->blocks, &header, report);
}

// Appends the frame with the current indices.
static imgc_status put_image(imgc_gif_encoder *encoder, const frame *f, imgc_report *report) {
  imgc_gif_block block = {
      .area = f->part.area,
      .indices = encoder->indices,
      .palette = f->palette == &f->local ? f->palette : NULL,
      .transparent = f->transparent,
      .is_still = encoder->options.frame_count == 1,
      .disposal = f->disposal,
      .delay = f->delay,
  };
  return imgc_gif_put_image(&encoder->blocks, &block, report);
}

// Appends the frame; if possible with both kinds of unchanged pixels, of which the smaller result
// is retained.
static imgc_status put_smaller_image(imgc_gif_encoder *encoder, frame *f, imgc_report *report) {
  imgc_output *output = encoder->blocks.output;
  bool can_show = encoder->uses_global_only && f->part.has_unchanged;
  bool can_skip = f->transparent != IMGC_GIF_NO_INDEX || !f->part.has_undrawn || f->draws_all;
  if (!can_skip) { // all indices are colours
    show_unchanged(encoder, f);
    return put_image(encoder, f, report);
  }
  if (!can_show) return put_image(encoder, f, report);

  size_t max_bytes = output->max_bytes, start = output->count;
  output->max_bytes = 0; // the larger of the two results may exceed max_bytes
  imgc_status status = put_image(encoder, f, report);
  size_t middle = output->count;
  show_unchanged(encoder, f);
  if (!status) status = put_image(encoder, f, report);
  output->max_bytes = max_bytes;
  if (status) return status;
  if (output->count - middle < middle - start) {
    memmove(output->data + start, output->data + middle, output->count - middle);
    output->count -= middle - start;
  } else {
    output->count = middle;
  }
  return imgc_output_check(output, "gif", report);
}

static imgc_status add_frame(imgc_gif_encoder *encoder, frame *f, const imgc_image *next,
                             imgc_report *report) {
  bool is_first = encoder->added == 0;
  if (is_first && !allocate(encoder)) return no_memory(report);
  if (choose_part(encoder, f, next, report) || choose_palette(encoder, f, report) ||
      (is_first && put_header(encoder, report)) || make_indices(encoder, f, report) ||
      put_smaller_image(encoder, f, report))
    return report->status;
  if (encoder->shown && encoder->uses_global_only && f->disposal != IMGC_DISPOSE_RESTORE)
    record_shown(encoder, f);
  if (encoder->canvas.pixels)
    imgc_gif_canvas_update(&encoder->canvas, f->image, f->part.area, f->disposal);
  return IMGC_OK;
}

imgc_status imgc_gif_encoder_add(imgc_gif_encoder *encoder, const imgc_image *image,
                                 const imgc_image *next, uint16_t delay, imgc_output *output,
                                 imgc_report *report) {
  memset(report, 0, sizeof *report);
  bool is_last = encoder->added + 1 == encoder->options.frame_count;
  if (encoder->analyzed != encoder->options.frame_count ||
      encoder->added >= encoder->options.frame_count || is_last != !next ||
      !has_size_of_canvas(encoder, image) || (next && !has_size_of_canvas(encoder, next)))
    return invalid_arguments(report);
  frame f = {.image = image, .delay = delay};
  encoder->blocks.output = output;
  imgc_status status = add_frame(encoder, &f, next, report);
  encoder->blocks.output = NULL;
  encoder->added++;
  return status;
}

imgc_status imgc_gif_encoder_end(imgc_gif_encoder *encoder, imgc_output *output,
                                 imgc_report *report) {
  memset(report, 0, sizeof *report);
  if (encoder->added != encoder->options.frame_count || !encoder->blocks.file)
    return invalid_arguments(report);
  encoder->blocks.output = output;
  bool is_closed = imgc_gif_blocks_close(&encoder->blocks);
  encoder->blocks.output = NULL;
  if (!is_closed) return no_memory(report);
  return imgc_output_check(output, "gif", report);
}
