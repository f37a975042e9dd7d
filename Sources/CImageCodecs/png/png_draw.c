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

static way choose(const imgc_request *request, const imgc_png *png, const imgc_png_extent *extent) {
  if (request->flags & IMGC_LIBRARIES_ONLY) return LIBRARY;
  bool streams = !png->interlaced && fits(request, png, imgc_png_streamed_bytes(png));
  bool is_large = (request->flags & IMGC_RESAMPLES) && !(request->flags & IMGC_AT_ONCE) &&
                  imgc_png_raw_bytes(png) >= IMGC_LEAST_STREAMED_BYTES;
  if (streams && (is_large || (request->flags & IMGC_LEAST_MEMORY))) return STREAMED;
  if (!(request->flags & IMGC_LEAST_MEMORY) && imgc_png_fast_takes(png, extent) &&
      fits(request, png, imgc_png_fast_bytes(png, extent)))
    return WHOLE;
  return streams ? STREAMED : LIBRARY;
}

uint64_t imgc_png_work_bytes(const imgc_request *request, const imgc_png *png,
                             const imgc_png_extent *extent) {
  uint64_t own = 0, library = imgc_png_library_bytes(png);
  switch (choose(request, png, extent)) {
  case LIBRARY: break;
  case WHOLE: own = imgc_png_fast_bytes(png, extent); break;
  case STREAMED: own = imgc_png_streamed_bytes(png); break;
  }
  // The scratch memory is released before libpng decodes instead.
  return own > library ? own : library;
}

imgc_status imgc_png_draw(const imgc_png_picture *picture) {
  const imgc_request *request = picture->request;
  const imgc_png *png = picture->png;
  uint64_t work = imgc_png_work_bytes(request, png, &picture->extent);
  uint32_t band = imgc_png_band_rows(png);
  uint32_t held = imgc_rows_held(request, png->height, band);
  if (imgc_check_memory(request, png->width, held, work, picture->report) ||
      imgc_place_open(picture->place, band))
    return picture->report->status;
  bool done = false;
  // Damaged data goes to libpng directly: only libpng determines the rows before a truncation, and
  // libdeflate accepts a few streams that zlib rejects.
  if (!picture->extent.cut && !picture->extent.damaged) {
    way way = choose(request, png, &picture->extent);
    if (way == WHOLE) imgc_png_draw_fast(picture, &done);
    // libpng could not repeat rows that were already blended onto the canvas.
    if (way == STREAMED && !picture->over) imgc_png_draw_streamed(picture, &done);
  }
  if (done || picture->report->status) return picture->report->status;
  return imgc_png_draw_library(picture);
}
