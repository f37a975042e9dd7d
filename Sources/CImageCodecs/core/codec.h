// What the codecs share: the table, failing, warning, polling, limits, and
// where pixels go. Nothing here is visible outside the target.

#ifndef IMGC_CODEC_H
#define IMGC_CODEC_H

#include "CImageCodecs.h"

// ---------------------------------------------------------------- the table

// A resampled picture that is being made.
typedef struct imgc_small {
  imgc_resampler *resampler;
  const imgc_target *result;
  uint32_t done; // rows of the result
} imgc_small;

// A band of rows that moves down the picture, and the resamplers that its rows go on into.
typedef struct imgc_sink {
  const imgc_request *request;
  imgc_report *report;
  imgc_small outputs[IMGC_MAX_OUTPUTS];
  uint32_t output_count;
  uint8_t *band; // `rows` rows of the picture; NULL before imgc_place_open
  size_t size;   // bytes at `band`
  uint32_t rows;
  uint32_t first; // row of the picture at the start of the band; those before went on
  bool cleared;   // some pixels are transparent that nothing was read for
} imgc_sink;

// Where the stored pixel (x, y) goes: origin + x * step_x + y * step_y. That is how
// orientation is applied while writing, with no second picture in memory.
typedef struct imgc_place {
  imgc_sink *sink; // not NULL: rows are in its band, direct, and `origin` is not used
  uint8_t *origin;
  ptrdiff_t step_x; // bytes; 4 when rows lie in order
  ptrdiff_t step_y; // bytes
  uint32_t width;   // stored pixels, after JPEG scaling
  uint32_t height;
} imgc_place;

// One row a format. The dispatcher has checked the arguments; on return it settles the
// status by `strictness`. A codec returns what imgc_fail or imgc_poll gave it, or IMGC_OK.
typedef struct imgc_codec {
  imgc_format format;
  imgc_status (*read_header)(const imgc_request *, imgc_header *, imgc_report *);
  imgc_status (*read_icc)(const imgc_request *, uint8_t *profile, size_t size, imgc_report *);
  // Opens the place (imgc_place_open), then must write or clear every pixel of it: the memory may
  // hold anything before.
  imgc_status (*decode)(const imgc_request *, const imgc_place *, imgc_report *);
  // NULL for formats without animation.
  imgc_status (*next_frame)(const imgc_request *, imgc_frame *, imgc_report *);
  imgc_status (*draw_frame)(const imgc_request *, const imgc_frame *, const imgc_target *,
                            imgc_report *);
  const char *(*version)(void);
} imgc_codec;

extern const imgc_codec imgc_codec_png, imgc_codec_jpeg, imgc_codec_gif, imgc_codec_tiff;

// ---------------------------------------------------------------- failing and warning

// Writes status, token (may be NULL) and message into the report unless it holds a failure
// already; returns the report's status.
__attribute__((format(printf, 4, 5))) imgc_status
imgc_fail(imgc_report *report, imgc_status status, const char *token, const char *format, ...);

// Notes a defect or remark. The picture goes on; with a strict request the next
// imgc_poll fails, and at the latest the end of the call does.
void imgc_warn(imgc_report *report, imgc_warning warning);

// Notes that the bytes ended early, `rows` complete stored rows having been read.
void imgc_truncated(imgc_report *report, uint32_t rows);

// Call at least every 16 rows and once a scan, strip, tile and frame.
// Gives IMGC_OK, or the failure that ends the decode (cancelled, deadline, strict).
imgc_status imgc_poll(const imgc_request *request, imgc_report *report);

// Fails by the request's strictness, if the report holds damage that it does not allow.
imgc_status imgc_settle(const imgc_request *request, imgc_report *report);

// ---------------------------------------------------------------- limits

// Sides and pixel count; 0 is malformed. For the canvas, each page and each frame.
imgc_status imgc_check_size(const imgc_request *request, uint64_t width, uint64_t height,
                            imgc_report *report);
// width * height * 4 + work_bytes against max_memory, for codecs that need all rows at once.
imgc_status imgc_check_memory(const imgc_request *request, uint64_t width, uint64_t height,
                              uint64_t work_bytes, imgc_report *report);
// Rows of the picture that are in memory at once, by the request: all, or `band` of them.
static inline uint32_t imgc_rows_held(const imgc_request *request, uint32_t height, uint32_t band) {
  return (request->flags & IMGC_RESAMPLES) && band < height ? band : height;
}
// IMGC_ERROR_LIMIT with the token when limit is not 0 and value is over it.
imgc_status imgc_check(uint64_t value, uint64_t limit, const char *token, imgc_report *report);

// a * b and a + b, or UINT64_MAX when they do not fit.
static inline uint64_t imgc_mul(uint64_t a, uint64_t b) {
  uint64_t r;
  return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}
static inline uint64_t imgc_add(uint64_t a, uint64_t b) {
  uint64_t r;
  return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

// ---------------------------------------------------------------- scratch memory

// At least `size` bytes of any content, from the request's memory when they are many; NULL when
// there are none left. Give them back with the same size.
void *imgc_work_take(const imgc_request *request, size_t size);
void imgc_work_give(const imgc_request *request, void *memory, size_t size);

// ---------------------------------------------------------------- placing pixels

// False when the target does not fit the stored size or is too small: a caller's bug.
bool imgc_place_make(imgc_place *place, const imgc_target *target, uint32_t width, uint32_t height);
// Rows can be written in place: imgc_place_row gives width * 4 contiguous bytes.
static inline bool imgc_place_is_direct(const imgc_place *p) { return p->step_x == 4; }
// With a sink the row has to be in the band; for any other the band's first row is given, so that
// a codec's mistake can spoil a row, and never other memory.
static inline uint8_t *imgc_sink_row(const imgc_sink *sink, uint32_t y, ptrdiff_t stride) {
  const uint32_t row = y - sink->first; // wraps round for a row above the band
  return sink->band + (row < sink->rows ? (size_t)row * (size_t)stride : 0);
}
static inline uint8_t *imgc_place_row(const imgc_place *p, uint32_t y) {
  if (p->sink) return imgc_sink_row(p->sink, y, p->step_y);
  return p->origin + (ptrdiff_t)y * p->step_y;
}
// Without a sink both do nothing. Opens a band of `rows` rows, or of all if that are more than
// there are; fails when memory is exhausted.
imgc_status imgc_place_open(const imgc_place *p, uint32_t rows);
// All rows before `end` are written, every pixel: they go on, and the band starts there.
void imgc_place_done(const imgc_place *p, uint32_t end);
// Copies a block of RGBA8 into stored position (x, y), clipped at the right and bottom; with a sink
// to the band too.
// Give blocks of 16 rows or more when the place is not direct: turning is done in tiles.
void imgc_place_block(const imgc_place *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                      const uint8_t *src, size_t src_stride);
// Transparent black, clipped. Into a sink either the rows are in the band, or they are whole and
// those above them are written: these go on. Rows above the band stay as they went on.
void imgc_place_clear(const imgc_place *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height);

// Makes the resampler of one more output of a sink whose request and report are set;
// INVALID_ARGUMENT when they do not fit each other, OUT_OF_MEMORY.
imgc_status imgc_sink_open(imgc_sink *sink, const imgc_resample_request *resample,
                           const imgc_target *result);
// True when every output has all of its rows.
bool imgc_sink_is_full(const imgc_sink *sink);
void imgc_sink_close(imgc_sink *sink);
// Moves the band down to `row` when it lies below; false when the decode is to end.
bool imgc_sink_reach(const imgc_place *p, uint32_t row);

// ---------------------------------------------------------------- reading bytes

// A bounded cursor. Every function checks what is left first.
typedef struct imgc_reader {
  const uint8_t *data;
  size_t size;
  size_t offset; // never above size
} imgc_reader;

static inline size_t imgc_left(const imgc_reader *r) { return r->size - r->offset; }
// False and no move when fewer than n bytes are left.
static inline bool imgc_skip(imgc_reader *r, uint64_t n) {
  if (n > imgc_left(r)) return false;
  r->offset += (size_t)n;
  return true;
}
static inline uint16_t imgc_be16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }
static inline uint16_t imgc_le16(const uint8_t *p) { return (uint16_t)(p[1] << 8 | p[0]); }
static inline uint32_t imgc_be32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline uint32_t imgc_le32(const uint8_t *p) {
  return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

#endif
