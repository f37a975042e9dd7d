// The RIFF container of WebP (RFC 9649): chunks, image headers, frames, metadata.

#ifndef IMGC_WEBP_CONTAINER_H
#define IMGC_WEBP_CONTAINER_H

#include "CImageCodecs.h"
#include "core/bytes.h"

// A coded image: a VP8 chunk, possibly after an ALPH chunk, or a VP8L chunk.
typedef struct imgc_webp_image {
  size_t offset;        // of the header of the first chunk; libwebp decodes from here
  size_t size;          // bytes from `offset` to the end of the image data, as far as the file has
  bool is_found;        // false: the file has no complete image header; the other fields are 0
  bool is_truncated;    // the file ends before the end of the image data
  bool exceeds_frame;   // the image chunk is longer than the rest of its complete frame
  bool is_lossless;     // VP8L
  bool has_alpha;       // ALPH chunk, or alpha bit of VP8L
  bool has_alpha_chunk; // ALPH
  bool alpha_is_coded;  // ALPH with lossless compression
  uint32_t width, height; // pixels
  bool is_halved;         // drawn at half the size (webp_halve.h); set by webp.c
} imgc_webp_image;

// Returns the size at which the image is drawn, in pixels.
static inline uint32_t imgc_webp_drawn(const imgc_webp_image *image, uint32_t side) {
  return image->is_halved ? (side + 1) / 2 : side;
}

// Flags of the VP8X chunk (RFC 9649, section 2.7.1).
enum {
  IMGC_WEBP_HAS_ANIMATION = 1 << 1,
  IMGC_WEBP_HAS_XMP = 1 << 2,
  IMGC_WEBP_HAS_EXIF = 1 << 3,
  IMGC_WEBP_HAS_ALPHA = 1 << 4,
  IMGC_WEBP_HAS_ICC = 1 << 5,
};

// A range of bytes of the file; `size` 0: none.
typedef struct imgc_webp_range {
  size_t offset;
  size_t size;
} imgc_webp_range;

typedef struct imgc_webp {
  uint32_t width, height; // canvas
  bool is_extended;       // VP8X
  uint8_t flags;          // of VP8X
  bool is_animated;       // animation flag, and at least one ANMF chunk
  bool has_loop_count;    // ANIM
  uint16_t loop_count;    // 0: infinite
  size_t first_frame;     // animation: offset of the first ANMF chunk
  imgc_webp_image image;  // still image; for an animation empty
  imgc_webp_range icc;    // payload of ICCP
  imgc_webp_range exif;   // payload of EXIF, without the prefix of JPEG
} imgc_webp;

// Reads the chunks up to the end of the file. Damage that does not prevent decoding is reported as
// a warning, missing bytes of metadata as a warning too; missing image data is not reported here.
// Fails when the file has no image: MALFORMED, or TRUNCATED when it ends before.
imgc_status imgc_webp_scan(const imgc_request *request, imgc_webp *webp, imgc_report *report);

// Reads the canvas and the flags of an animation from the VP8X chunk, which must be the first
// chunk. Returns false when the file is not an animation; the other fields of `webp` are 0.
bool imgc_webp_read_canvas(const imgc_request *request, imgc_webp *webp);

typedef struct imgc_webp_frame {
  size_t offset;      // of the ANMF chunk
  size_t next_offset; // of the chunk after it; at most the size of the file
  uint32_t x, y, width, height;
  uint32_t duration; // milliseconds
  bool clears;       // disposal: the area of the frame becomes transparent
  bool blends;       // alpha blending with the canvas
  imgc_webp_image image;
} imgc_webp_frame;

typedef enum imgc_webp_found {
  IMGC_WEBP_FRAME,
  IMGC_WEBP_NO_FRAME,        // the chunks end
  IMGC_WEBP_FRAME_TRUNCATED, // the file ends before the frame's image header
  IMGC_WEBP_FRAME_INVALID,
  IMGC_WEBP_STOPPED, // imgc_poll or imgc_charge failed
} imgc_webp_found;

// Finds the first ANMF chunk at or after `offset`, which is the offset of a chunk.
imgc_webp_found imgc_webp_find_frame(const imgc_request *request, const imgc_webp *webp,
                                     size_t offset, imgc_webp_frame *frame, imgc_report *report);

#endif
