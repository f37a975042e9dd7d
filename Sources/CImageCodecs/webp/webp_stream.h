// The header of a lossless stream (RFC 9649, sections 3.4 to 3.7.2): transforms and prefix codes.

#ifndef IMGC_WEBP_STREAM_H
#define IMGC_WEBP_STREAM_H

#include "webp/webp_bits.h"
#include "webp/webp_container.h"

// The least number of pixels for a group of codes that is read before libwebp decodes the image.
// Tests define a smaller value.
#ifndef IMGC_WEBP_PIXELS_PER_GROUP
#define IMGC_WEBP_PIXELS_PER_GROUP 65536
#endif

enum {
  IMGC_WEBP_SYMBOLS_PER_GROUP = 64, // of the images before the main image, in the same time
  IMGC_WEBP_LITERALS = 256,
  IMGC_WEBP_LENGTHS = 24,
  IMGC_WEBP_MAX_GROUPS = 65536,
  IMGC_WEBP_MAX_CACHE_BITS = 11,
  IMGC_WEBP_MAX_ALPHABET = IMGC_WEBP_LITERALS + IMGC_WEBP_LENGTHS + (1 << IMGC_WEBP_MAX_CACHE_BITS),
  IMGC_WEBP_MAX_TILES = 4096,
  IMGC_WEBP_NEAR_CODES = 120,   // distance codes of pixels by column and row
  IMGC_WEBP_MAX_SIZE_BITS = 14, // of the width and the height
};

// A canonical code: the symbols in order of their code length and value.
typedef struct imgc_webp_code {
  uint16_t count[IMGC_WEBP_MAX_CODE_LENGTH + 1]; // codes of each length
  uint16_t symbols[IMGC_WEBP_MAX_ALPHABET];
  uint16_t used;  // symbols with a code
  bool is_single; // one symbol, which takes no bits
} imgc_webp_code;

// The symbols that have a code, in ascending order, and the lengths of their codes.
typedef struct imgc_webp_lengths {
  uint16_t symbols[IMGC_WEBP_MAX_ALPHABET];
  uint8_t lengths[IMGC_WEBP_MAX_ALPHABET];
  uint32_t used;
} imgc_webp_lengths;

// True when the only symbol of the code is `symbol`.
static inline bool imgc_webp_is_only(const imgc_webp_code *code, uint32_t symbol) {
  return code->is_single && code->symbols[0] == symbol;
}

// The codes of a group, in the order of the stream.
enum {
  IMGC_WEBP_GREEN, // and lengths, and indices of the colour cache
  IMGC_WEBP_RED,
  IMGC_WEBP_BLUE,
  IMGC_WEBP_ALPHA,
  IMGC_WEBP_DISTANCE,
  IMGC_WEBP_CODES
};

typedef struct imgc_webp_stream {
  const imgc_request *request;
  imgc_report *report;
  imgc_webp_bits bits;
  uint64_t symbols;                        // pixels, copies and cache codes read so far
  uint64_t max_symbols;                    // with more, the stream is not valid
  uint64_t prefix_codes;                   // read so far
  uint64_t charged_symbols, charged_codes; // included in the work of the file
  // Receives the values of the entropy image, in rows, if it has at most IMGC_WEBP_MAX_TILES and no
  // colour cache; NULL: not wanted.
  uint16_t *tiles;
  uint32_t width, height;
  // From the transforms. Each can occur once.
  bool has_predictor;
  bool has_color_transform;
  bool subtracts_green;
  bool has_opaque_colors; // every colour of the palette is known to have the alpha 255
  uint32_t colors;        // of the palette; 0: no color-indexing transform
  // From the main image.
  uint32_t cache_bits;       // 0: no colour cache
  uint32_t groups;           // the largest value of the entropy image, plus 1
  uint32_t used;             // values that occur in the entropy image
  bool has_tiles;            // `tiles` has the values, or 0 without entropy image
  unsigned tile_bits;        // a tile has 1 << tile_bits columns and rows of the main image
  imgc_webp_lengths lengths; // of the code that is read
  imgc_webp_code length_code;
  imgc_webp_code codes[IMGC_WEBP_CODES]; // of the group that was read last
} imgc_webp_stream;

// Section 3.5.4: returns how many bits of a coordinate select an index within a green value.
static inline uint32_t imgc_webp_packing_bits(uint32_t colors) {
  return colors > 16 ? 0 : colors > 4 ? 1 : colors > 2 ? 2 : 3;
}

// Section 3.6.2.2: sets the distances, in pixels, of the codes from 1 to IMGC_WEBP_NEAR_CODES in an
// image of the given width.
void imgc_webp_near_distances(uint32_t distances[IMGC_WEBP_NEAR_CODES], uint32_t width);

// Prepares reading the VP8L chunk, or the lossless alpha plane, of an image. Returns false when the
// image has neither.
bool imgc_webp_stream_open(imgc_webp_stream *stream, const imgc_request *request,
                           const imgc_webp_image *image, imgc_report *report);

// Reads the transforms and the entropy image. Returns false for damage, for more than `max_symbols`
// symbols, and when imgc_poll or imgc_charge fails.
bool imgc_webp_stream_read_header(imgc_webp_stream *stream);

// Reads the codes of the next group, which follow the header. Returns false for damage, and when
// imgc_charge fails.
bool imgc_webp_stream_read_group(imgc_webp_stream *stream);

#endif
