// Selection of the decoder for image data.

#include "png/png_draw.h"
#include "core/dest.h"
#include "core/limits.h"
#include "png/png_fast.h"
#include "png/png_library.h"
#include "png/png_rows.h"
#include "png/png_stream.h"

// A decode with resampling prefers streaming if the rows with their filter bytes have at least this
// many bytes in total, unless the request has IMGC_INFLATE_IN_ONE_CALL. Smaller images are streamed
// to save memory, or when png_fast.c does not support them.
#ifndef IMGC_MIN_STREAMED_BYTES
#define IMGC_MIN_STREAMED_BYTES ((uint64_t)16 << 20)
#endif

// More compressed bytes are streamed, except those of interlaced images: the size of the data does
// not show the work of blocks without data, up to 300 ns for each byte, which png_stream.c counts.
static const uint64_t MAX_ONE_CALL_BYTES = 1u << 20;

typedef enum png_decoder { LIBRARY, ONE_CALL, STREAMING } png_decoder;

static bool fits(const imgc_request *request, const imgc_png *png, uint64_t work) {
  uint64_t limit = request->limits.max_memory;
  uint32_t rows = imgc_rows_in_memory(request, png->height, imgc_png_band_rows(png));
  uint64_t pixels = imgc_mul(imgc_mul(png->width, rows), 4);
  if (request->flags & IMGC_RESAMPLES) pixels = imgc_add(pixels, request->result_bytes);
  return !limit || imgc_add(pixels, work) <= limit;
}

static bool one_call_fits(const imgc_request *request, const imgc_png *png,
                          const imgc_png_extent *extent) {
  return imgc_png_fast_supports(png, extent) &&
         fits(request, png, imgc_png_fast_bytes(png, extent));
}

static png_decoder choose(const imgc_request *request, const imgc_png *png,
                          const imgc_png_extent *extent) {
  if (request->flags & IMGC_LIBRARIES_ONLY) return LIBRARY;
  bool least_memory = request->flags & IMGC_LEAST_MEMORY;
  bool is_large =
      ((request->flags & IMGC_RESAMPLES) && imgc_png_raw_bytes(png) >= IMGC_MIN_STREAMED_BYTES) ||
      (extent->bytes > MAX_ONE_CALL_BYTES && !png->interlaced);
  bool prefers_stream = least_memory || (is_large && !(request->flags & IMGC_INFLATE_IN_ONE_CALL));
  if (!prefers_stream && one_call_fits(request, png, extent)) return ONE_CALL;
  if (!png->interlaced && fits(request, png, imgc_png_streaming_bytes(png))) return STREAMING;
  return !least_memory && one_call_fits(request, png, extent) ? ONE_CALL : LIBRARY;
}

static uint64_t work_bytes(png_decoder decoder, const imgc_png *png,
                           const imgc_png_extent *extent) {
  uint64_t native = 0, library = imgc_png_library_bytes(png);
  switch (decoder) {
  case LIBRARY: break;
  case ONE_CALL: native = imgc_png_fast_bytes(png, extent); break;
  case STREAMING: native = imgc_png_streaming_bytes(png); break;
  }
  // The maximum and not the sum: the native decoder's memory is released before libpng decodes
  // instead.
  return native > library ? native : library;
}

uint64_t imgc_png_work_bytes(const imgc_request *request, const imgc_png *png,
                             const imgc_png_extent *extent) {
  return work_bytes(choose(request, png, extent), png, extent);
}

// Units of work: of a decompressed byte, of a pixel, of a compressed byte, the same in a stream
// whose blocks are not counted, and of a compressed byte that can only be part of a block without
// data (see imgc_png_fast_supports).
enum {
  WORK_RAW_BYTE = 2,
  WORK_PIXEL = 3,
  WORK_BYTE = 4,
  WORK_UNCOUNTED_BYTE = 30,
  WORK_EMPTY_BYTE = 70
};

static imgc_status charge(const imgc_png_image *image) {
  const imgc_png *png = image->png;
  uint64_t raw = imgc_png_raw_bytes(png), bytes = image->extent.bytes;
  uint64_t used = imgc_add(raw, raw / 4 + 65536);
  uint64_t empty = bytes > used ? bytes - used : 0;
  uint64_t pixels = (uint64_t)png->width * png->height;
  uint64_t units = imgc_add(imgc_mul(raw, WORK_RAW_BYTE), imgc_mul(pixels, WORK_PIXEL));
  uint64_t byte = bytes > MAX_ONE_CALL_BYTES ? WORK_BYTE : WORK_UNCOUNTED_BYTE;
  units = imgc_add(units, imgc_add(bytes * byte, empty * WORK_EMPTY_BYTE));
  return imgc_charge(image->request, imgc_add(units, IMGC_WORK_FRAME), image->report);
}

imgc_status imgc_png_draw(const imgc_png_image *image) {
  const imgc_request *request = image->request;
  const imgc_png *png = image->png;
  png_decoder decoder = choose(request, png, &image->extent);
  uint64_t work = work_bytes(decoder, png, &image->extent);
  uint32_t band = imgc_png_band_rows(png);
  uint32_t held = imgc_rows_in_memory(request, png->height, band);
  if (imgc_check_memory(request, png->width, held, work, image->report) || charge(image) ||
      imgc_dest_open(image->dest, band))
    return image->report->status;
  // libpng decodes truncated or damaged data: only libpng returns the rows before the damage, and
  // libdeflate accepts a few streams that zlib rejects. Frames that are blended onto the canvas are
  // not streamed: if streaming failed, libpng would decode the frame again and blend rows twice.
  bool is_intact = !image->extent.truncated && !image->extent.damaged;
  bool streams = decoder == STREAMING && is_intact && !image->blend_over;
  // png_stream.c charges the work of blocks while it decodes.
  if (!streams && image->extent.bytes > MAX_ONE_CALL_BYTES && imgc_png_charge_blocks(image))
    return image->report->status;
  bool done = false;
  if (decoder == ONE_CALL && is_intact) imgc_png_draw_fast(image, &done);
  if (streams) imgc_png_draw_streaming(image, &done);
  if (done || image->report->status) return image->report->status;
  return imgc_png_draw_library(image);
}
