// Selection of the decoder for image data.

#include "png/png_draw.h"
#include "core/dest.h"
#include "core/limits.h"
#include "png/png_fast.h"
#include "png/png_library.h"
#include "png/png_rows.h"
#include "png/png_stream.h"

// Size of the unfiltered image from which a resampled decode streams its rows, in bytes.
#ifndef IMGC_LEAST_STREAMED_BYTES
#define IMGC_LEAST_STREAMED_BYTES ((uint64_t)16 << 20)
#endif

typedef enum way { LIBRARY, WHOLE, STREAMED } way;

static bool fits(const imgc_request *request, const imgc_png *png, uint64_t work) {
  uint64_t limit = request->limits.max_memory;
  uint32_t rows = imgc_rows_held(request, png->height, imgc_png_band_rows(png));
  uint64_t pixels = imgc_mul(imgc_mul(png->width, rows), 4);
  if (request->flags & IMGC_RESAMPLES) pixels = imgc_add(pixels, request->result_bytes);
  return !limit || imgc_add(pixels, work) <= limit;
}

static bool fits_whole(const imgc_request *request, const imgc_png *png,
                       const imgc_png_extent *extent) {
  return imgc_png_fast_takes(png, extent) && fits(request, png, imgc_png_fast_bytes(png, extent));
}

static way choose(const imgc_request *request, const imgc_png *png, const imgc_png_extent *extent) {
  if (request->flags & IMGC_LIBRARIES_ONLY) return LIBRARY;
  bool least_memory = request->flags & IMGC_LEAST_MEMORY;
  bool is_large = (request->flags & IMGC_RESAMPLES) && !(request->flags & IMGC_AT_ONCE) &&
                  imgc_png_raw_bytes(png) >= IMGC_LEAST_STREAMED_BYTES;
  bool prefers_stream = is_large || least_memory;
  if (!prefers_stream && fits_whole(request, png, extent)) return WHOLE;
  if (!png->interlaced && fits(request, png, imgc_png_streamed_bytes(png))) return STREAMED;
  return is_large && !least_memory && fits_whole(request, png, extent) ? WHOLE : LIBRARY;
}

static uint64_t work_bytes(way way, const imgc_png *png, const imgc_png_extent *extent) {
  uint64_t own = 0, library = imgc_png_library_bytes(png);
  switch (way) {
  case LIBRARY: break;
  case WHOLE: own = imgc_png_fast_bytes(png, extent); break;
  case STREAMED: own = imgc_png_streamed_bytes(png); break;
  }
  // The scratch memory is released before libpng decodes instead.
  return own > library ? own : library;
}

uint64_t imgc_png_work_bytes(const imgc_request *request, const imgc_png *png,
                             const imgc_png_extent *extent) {
  return work_bytes(choose(request, png, extent), png, extent);
}

imgc_status imgc_png_draw(const imgc_png_image *image) {
  const imgc_request *request = image->request;
  const imgc_png *png = image->png;
  way way = choose(request, png, &image->extent);
  uint64_t work = work_bytes(way, png, &image->extent);
  uint32_t band = imgc_png_band_rows(png);
  uint32_t held = imgc_rows_held(request, png->height, band);
  if (imgc_check_memory(request, png->width, held, work, image->report) ||
      imgc_dest_open(image->dest, band))
    return image->report->status;
  bool done = false;
  // Damaged data goes to libpng directly: only libpng determines the rows before a truncation, and
  // libdeflate accepts a few streams that zlib rejects.
  if (!image->extent.cut && !image->extent.damaged) {
    if (way == WHOLE) imgc_png_draw_fast(image, &done);
    // libpng could not repeat rows that were already blended onto the canvas.
    if (way == STREAMED && !image->over) imgc_png_draw_streamed(image, &done);
  }
  if (done || image->report->status) return image->report->status;
  return imgc_png_draw_library(image);
}
