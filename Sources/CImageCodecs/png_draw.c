// Chooses between the two ways of reading image data.

#include "png_draw.h"

uint64_t imgc_png_work_bytes(const imgc_request *request, const imgc_png *png,
                             const imgc_png_extent *extent) {
  uint64_t library = imgc_png_library_bytes(png);
  if (!imgc_png_fast_fits(request, png, extent)) return library;
  // Its scratch is gone when libpng has to take over.
  uint64_t fast = imgc_png_fast_bytes(png, extent);
  return fast > library ? fast : library;
}

imgc_status imgc_png_draw(const imgc_png_picture *picture) {
  const imgc_png *png = picture->png;
  uint64_t work = imgc_png_work_bytes(picture->request, png, &picture->extent);
  uint32_t band = imgc_png_band_rows(png);
  uint32_t held = imgc_rows_held(picture->request, png->height, band);
  if (imgc_check_memory(picture->request, png->width, held, work, picture->report) ||
      imgc_place_open(picture->place, band))
    return picture->report->status;
  bool done = false;
  // Damaged data is not worth the attempt: only libpng tells the rows before a cut, and libdeflate
  // takes a few streams that zlib refuses.
  if (!picture->extent.cut && !picture->extent.damaged &&
      imgc_png_fast_fits(picture->request, png, &picture->extent))
    imgc_png_draw_fast(picture, &done);
  if (done || picture->report->status) return picture->report->status;
  return imgc_png_draw_library(picture);
}
