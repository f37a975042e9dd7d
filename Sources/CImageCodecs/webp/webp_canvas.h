// The destination of a WebP image: all of it for a still image, a rectangle for a frame.

#ifndef IMGC_WEBP_CANVAS_H
#define IMGC_WEBP_CANVAS_H

#include "core/dest.h"
#include "webp/webp_draw.h"

// Rows of the band buffer for rows that are composed: those of a frame that is smaller than the
// canvas, and missing rows.
enum { IMGC_WEBP_BAND = 16 };

// Returns the part of imgc_webp_work_bytes that is known without the stream of the image: all
// except the tables of prefix codes.
uint64_t imgc_webp_fixed_bytes(const imgc_request *request, const imgc_webp_image *image);
// Returns an upper bound of the decoder's memory, in bytes, without the pixels. With IMGC_RESAMPLES
// the rows of the buffer are counted by imgc_webp_band_rows instead, except for a halved image.
uint64_t imgc_webp_work_bytes(const imgc_request *request, const imgc_webp_image *image,
                              imgc_report *report);
// Checks the memory of the decoder and of width x rows pixels. Fails also when imgc_poll fails.
imgc_status imgc_webp_check_memory(const imgc_request *request, uint32_t width, uint32_t rows,
                                   const imgc_webp_image *image, imgc_report *report);
// Returns how many rows are in memory at once when the image is resampled.
uint32_t imgc_webp_band_rows(const imgc_webp_image *image);

// Draws the image at (x, y) of a transparent destination, and writes every pixel of it. Missing
// rows are cleared and reported. Fails when no row can be decoded.
imgc_status imgc_webp_draw_still(const imgc_request *request, const imgc_webp_image *image,
                                 uint32_t x, uint32_t y, const imgc_dest *dest,
                                 imgc_report *report);

// Reports the end of an image. Fails when it has no complete row.
imgc_status imgc_webp_report_end(const imgc_webp_result *result, uint32_t y, imgc_report *report);

#endif
