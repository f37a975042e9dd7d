// CImageCodecs: decode PNG, JPEG, GIF and TIFF bytes into RGBA8 pixels.
//
// Call order for a still picture:
//   1. imgc_probe        which format do these bytes claim to be?
//   2. imgc_read_header  size and kind; fails early when a limit is exceeded
//   3. (the caller allocates height * stride bytes)
//   4. imgc_decode       fills them
// For an animation (GIF, APNG), after step 2: imgc_next_frame and
// imgc_draw_frame in turn, on a canvas that the caller owns.
//
// There is no global state: every function may run on any thread, at once.
// The caller owns all memory passed in. No pointer is kept after a return, but
// for the opaque objects that have a create and a destroy function.
// Functions return a status; they never print, exit, or jump to the caller.

#ifndef CIMAGECODECS_H
#define CIMAGECODECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IMGC_MESSAGE_SIZE 160
#define IMGC_TOKEN_SIZE 24
#define IMGC_MAX_WARNINGS 32

// ---------------------------------------------------------------- kinds

// Numbers are part of the interface: append, never renumber.
typedef enum imgc_format {
  IMGC_FORMAT_UNKNOWN = 0,
  IMGC_FORMAT_PNG = 1,
  IMGC_FORMAT_JPEG = 2,
  IMGC_FORMAT_GIF = 3,
  IMGC_FORMAT_TIFF = 4,
  IMGC_FORMAT_BMP = 5, // recognised here, parsed in Swift
  // Recognised by signature and refused by name.
  IMGC_FORMAT_WEBP = 100,
  IMGC_FORMAT_AVIF = 101,
  IMGC_FORMAT_HEIC = 102,
  IMGC_FORMAT_JPEGXL = 103,
  IMGC_FORMAT_JPEG2000 = 104,
  IMGC_FORMAT_SVG = 105,
  IMGC_FORMAT_CGBI = 106, // a PNG as iOS applications store it
} imgc_format;

typedef enum imgc_status {
  IMGC_OK = 0,
  IMGC_ERROR_UNKNOWN_FORMAT = 1,   // no codec for imgc_request.format
  IMGC_ERROR_MALFORMED = 2,        // the bytes break the format's rules
  IMGC_ERROR_TRUNCATED = 3,        // the bytes end before anything could be shown
  IMGC_ERROR_UNSUPPORTED = 4,      // valid, but not decoded here; `token` says what
  IMGC_ERROR_LIMIT = 5,            // a field of imgc_limits was exceeded; `token` names it
  IMGC_ERROR_OUT_OF_MEMORY = 6,    // an allocation failed
  IMGC_ERROR_CANCELLED = 7,        // the cancel flag was seen
  IMGC_ERROR_INVALID_ARGUMENT = 8, // a bug in the caller
  IMGC_ERROR_INTERNAL = 9,         // a bug in this library
  IMGC_END_OF_FRAMES = 10,         // imgc_next_frame: there is no further frame
} imgc_status;

typedef enum imgc_color_model {
  IMGC_COLOR_GRAY = 0,
  IMGC_COLOR_RGB = 1,
  IMGC_COLOR_INDEXED = 2,
  IMGC_COLOR_YCBCR = 3,
  IMGC_COLOR_CMYK = 4, // YCCK too: libjpeg delivers CMYK
  IMGC_COLOR_LAB = 5,
  IMGC_COLOR_LOGLUV = 6,
} imgc_color_model;

// What was wrong with the bytes although pixels could be shown. Stable numbers;
// imgc_warning_name gives the stable name. A *defect* makes the picture's status
// "corrupt"; a *remark* does not.
typedef enum imgc_warning {
  IMGC_WARN_NONE = 0,
  // defects
  IMGC_WARN_CRC = 1,           // PNG chunk checksum
  IMGC_WARN_CHECKSUM = 2,      // zlib stream checksum
  IMGC_WARN_ENTROPY_DATA = 3,  // compressed data broke its rules in places
  IMGC_WARN_MARKER = 4,        // JPEG marker missing, extra or out of place
  IMGC_WARN_FRAME_REFUSED = 5, // a frame of an animation was damaged and left out
  IMGC_WARN_STRIP = 6,         // TIFF strip or tile could not be decoded
  IMGC_WARN_PALETTE_INDEX = 7, // palette index out of range
  IMGC_WARN_CHUNK = 8,         // PNG chunk invalid or out of place
  IMGC_WARN_SEQUENCE = 9,      // APNG sequence number wrong or frame missing
  IMGC_WARN_STRUCTURE = 10,    // length, count or offset wrong, repaired
  IMGC_WARN_RUN_LENGTH = 11,   // BMP run leaves the picture, or a bad escape
  IMGC_WARN_DATA_OFFSET = 12,  // BMP pixel offset or file size wrong
  IMGC_WARN_CODE = 13,         // LZW code invalid
  // remarks
  IMGC_WARN_PROFILE_IGNORED = 64,  // colour profile does not parse, fit or is too large
  IMGC_WARN_ORIENTATION = 65,      // orientation outside 1...8
  IMGC_WARN_EXIF = 66,             // EXIF block damaged, ignored in part
  IMGC_WARN_HDR_TRANSFER = 67,     // PQ or HLG transfer left as stored
  IMGC_WARN_TRAILING_DATA = 68,    // bytes after the end of the picture
  IMGC_WARN_MISSING_END = 69,      // no EOI, IEND or trailer after the last row
  IMGC_WARN_TAG = 70,              // TIFF tag odd, repaired or ignored
  IMGC_WARN_METADATA_IGNORED = 71, // metadata over its limit or damaged
} imgc_warning;

// From which damage on a decode fails instead of reporting it.
typedef enum imgc_strictness {
  IMGC_LENIENT = 0,             // never
  IMGC_STRICT_ON_TRUNCATED = 1, // the bytes ended early
  IMGC_STRICT_ON_CORRUPT = 2,   // or a defect
  IMGC_STRICT_ON_WARNING = 3,   // or a remark
} imgc_strictness;

// ---------------------------------------------------------------- in

// Zero in any field means "no limit". Checked on header numbers before any
// allocation. The names of the fields are the tokens of IMGC_ERROR_LIMIT.
typedef struct imgc_limits {
  uint32_t max_side;         // pixels, width and height
  uint64_t max_pixels;       // width * height of the canvas, a page, a frame
  uint64_t max_memory;       // bytes: pixels + scratch + library
  uint32_t max_scans;        // JPEG scans
  uint64_t max_scan_samples; // JPEG component samples visited, and 128 a warning, over all scans
  uint32_t max_pages;        // TIFF IFDs walked
  uint32_t max_samples_per_pixel; // TIFF
  uint32_t max_tile_side;         // TIFF, pixels
  uint64_t max_metadata_item;     // bytes of one ICC profile, EXIF block or chunk
  uint64_t max_metadata_total;    // bytes of all metadata
  uint32_t max_chunks;            // PNG ancillary chunks kept
} imgc_limits;

// A flag that any thread may raise while another decodes.
typedef struct imgc_cancel imgc_cancel;

// A colour transform to sRGB; see imgc_transform_create.
typedef struct imgc_transform imgc_transform;

enum {
  IMGC_COUNT_FRAMES = 1 << 0,        // read_header: walk the whole file to count frames
  IMGC_NO_RARE_TIFF_CODECS = 1 << 1, // refuse LERC and JBIG inside TIFF
  // The picture is resampled row by row (imgc_decode_resampled sets this): against max_memory its
  // pixels count by the rows that are held, and `result_bytes` besides.
  IMGC_RESAMPLES = 1 << 2,
  // imgc_decode_resampled of progressive JPEGs, whose scans are then not all read: without the last
  // refinement of the luma, or with DC and the first low AC scans alone. Damage in scans that are
  // left out is not seen: a request that is strict about it reads them all. See jpeg_scans.c.
  IMGC_NO_LAST_REFINEMENT = 1 << 3,
  IMGC_LOW_SCANS_ONLY = 1 << 4,
  // PNG drawn by libpng alone, LZW of TIFF undone by libtiff and reduced JPEG by libjpeg, whose
  // pixels and reports the own ways give too: for tests of that.
  IMGC_LIBRARIES_ONLY = 1 << 5,
  // imgc_decode_resampled of baseline JPEGs at 1/8: chroma of half the size on both sides keeps
  // that size, a sample of DC for four pixels, as it has again in a JPEG that is made of them.
  IMGC_FLAT_CHROMA = 1 << 6,
  // Of ways that give the same pixels the one with the least memory, be it slower: PNG that is not
  // interlaced. Give it to imgc_read_header too, whose `work_bytes` depend on it.
  IMGC_LEAST_MEMORY = 1 << 7,
  // The opposite for PNG: image data is decompressed at once whatever its size, for benchmarks.
  IMGC_AT_ONCE = 1 << 8,
};

// Where codecs get large scratch memory (1 MiB and more a block) from. What `malloc` keeps of such
// blocks for a next time is not bounded, what the caller keeps can be. Both NULL: malloc and free.
typedef struct imgc_memory {
  void *(*take)(size_t size);              // any content, aligned for any type; NULL: none left
  void (*give)(void *memory, size_t size); // what `take` gave, with the size that was asked for
} imgc_memory;

typedef struct imgc_request {
  const uint8_t *data;
  size_t size; // bytes
  imgc_format format;
  imgc_limits limits;
  imgc_strictness strictness;
  uint32_t flags;             // IMGC_COUNT_FRAMES ...
  uint32_t scale_denominator; // 1, 2, 4 or 8: decode at 1/n size; JPEG only. 0 acts as 1
  uint32_t page;              // TIFF: index of the IFD, from 0
  imgc_cancel *cancel;        // may be NULL
  const imgc_transform
      *cmyk_transform; // CMYK samples go through it instead of the multiply; may be NULL
  imgc_memory memory;
  uint64_t result_bytes; // IMGC_RESAMPLES: what resampler and result hold; else not looked at
  uint32_t
      most_counted_frames; // IMGC_COUNT_FRAMES: counting the frames of a GIF ends here; 0: never
} imgc_request;

// Where decoded pixels go: RGBA8, straight alpha, top row first.
typedef struct imgc_target {
  void *pixels;
  size_t size;         // bytes at `pixels`, at least stride * (height - 1) + width * 4
  size_t stride;       // bytes from row to row, at least width * 4; bytes between are never touched
  uint32_t width;      // pixels, after scaling and orientation
  uint32_t height;     // pixels, after scaling and orientation
  uint8_t orientation; // EXIF 1...8, applied while writing; 1 writes as stored. Not for GIF frames
} imgc_target;

// ---------------------------------------------------------------- out

typedef struct imgc_header {
  imgc_format format;
  uint32_t width;       // pixels, as stored (before orientation), after scaling
  uint32_t height;      // pixels, as stored, after scaling
  uint32_t frame_count; // animation frames or TIFF pages; 0: not known without a full read
  uint32_t loop_count;  // 0: for ever; valid when has_loop_count
  bool has_loop_count;
  bool is_animated;         // GIF with a second frame is only known when frames are counted
  bool is_progressive;      // progressive JPEG, interlaced PNG or GIF frame 0
  bool has_alpha;           // the format can make a pixel of this picture transparent
  uint8_t bits_per_channel; // 1...64, as stored
  uint8_t channels;         // samples a pixel, as stored
  uint8_t orientation;      // TIFF tag 274; 1 elsewhere (EXIF is read by the caller)
  imgc_color_model color_model;
  uint64_t work_bytes;  // upper estimate of decoder memory besides the pixels
  uint32_t band_rows;   // that imgc_decode_resampled holds at once; height: the whole picture
  uint64_t exif_offset; // first byte of the TIFF header of the EXIF block in `data`
  uint64_t exif_size;   // bytes; 0: none
  uint64_t icc_size;    // bytes of the embedded profile, uncompressed; 0: none
  // PNG colour chunks, reported whatever their precedence.
  bool has_cicp;
  uint8_t cicp[4]; // primaries, transfer, matrix, full range (ITU-T H.273)
  bool has_srgb;
  uint8_t srgb_intent;
  bool has_gamma;
  uint32_t gamma; // times 100,000, as stored in gAMA
  bool has_chromaticities;
  uint32_t chromaticities[8]; // white x y, red x y, green x y, blue x y; times 100,000
} imgc_header;

// Filled by every call; on success too (warnings).
typedef struct imgc_report {
  imgc_status status;
  bool truncated;                       // the bytes ended early; `rows` says how far
  bool corrupt;                         // a defect was met
  uint32_t rows;                        // complete rows from the top, as stored, from intact data
  uint32_t warning_total;               // warnings met, repeated ones included
  uint32_t warning_count;               // entries in `warnings`
  uint16_t warnings[IMGC_MAX_WARNINGS]; // imgc_warning, each once, in order of appearance
  char token[IMGC_TOKEN_SIZE];          // LIMIT: the field; UNSUPPORTED: the feature; else empty
  char message[IMGC_MESSAGE_SIZE];      // English, NUL-terminated, one line; empty on success
} imgc_report;

enum { IMGC_DISPOSE_KEEP = 0, IMGC_DISPOSE_CLEAR = 1, IMGC_DISPOSE_RESTORE = 2 };
enum { IMGC_BLEND_SOURCE = 0, IMGC_BLEND_OVER = 1 };

// One frame of an animation, before its pixels are decoded. A zeroed struct
// stands before the first frame.
typedef struct imgc_frame {
  uint32_t number;            // 1 for the first frame; 0 before it
  uint32_t x, y;              // pixels, place on the canvas; may lie outside (GIF)
  uint32_t width, height;     // pixels, as stored; 0 x 0 draws nothing (GIF)
  uint32_t delay_numerator;   // seconds = numerator / denominator, as stored
  uint32_t delay_denominator; // never 0
  uint8_t disposal;           // IMGC_DISPOSE_...: what happens after the frame was shown
  uint8_t blend;              // IMGC_BLEND_...
  // For the codec alone.
  uint64_t offset;           // where the frame's data starts
  uint64_t next_offset;      // where to look for the next frame
  uint32_t sequence;         // APNG: next expected sequence number
  int16_t transparent_index; // GIF: -1 for none
} imgc_frame;

// ---------------------------------------------------------------- calls

// Looks at no more than the first 1,024 bytes. Never fails: unknown bytes give UNKNOWN.
imgc_format imgc_probe(const uint8_t *data, size_t size);

// Reads just enough to fill `header`, then checks `request->limits`. Decodes no pixels.
imgc_status imgc_read_header(const imgc_request *request, imgc_header *header, imgc_report *report);

// Copies the embedded ICC profile, header.icc_size bytes, to `profile`.
imgc_status imgc_read_icc(const imgc_request *request, uint8_t *profile, size_t size,
                          imgc_report *report);

// Decodes the still picture: every pixel of the target is written; what the data
// does not cover is transparent black. On failure the target's content is unspecified.
imgc_status imgc_decode(const imgc_request *request, const imgc_target *target,
                        imgc_report *report);

// Moves `frame` on to the next frame. IMGC_END_OF_FRAMES after the last one;
// report->truncated or ->corrupt say when the animation ended early.
imgc_status imgc_next_frame(const imgc_request *request, imgc_frame *frame, imgc_report *report);

// Draws the frame onto the canvas at (x, y), clipped. Pixels outside the frame stay. The
// canvas must hold valid pixels. With x = y = 0, a cleared target of the frame's size and
// IMGC_BLEND_SOURCE, this gives the raw frame. On failure the frame's area is unspecified.
imgc_status imgc_draw_frame(const imgc_request *request, const imgc_frame *frame,
                            const imgc_target *canvas, imgc_report *report);

// Sets the rectangle, clipped to the target, to transparent black.
void imgc_clear_rect(const imgc_target *target, uint32_t x, uint32_t y, uint32_t width,
                     uint32_t height);

// Copies the source, turned by target->orientation, to the target. False when the sizes do not fit.
bool imgc_turn(const imgc_target *source, const imgc_target *target);

// The version of the library behind `format`, for example "libpng 1.6.39".
const char *imgc_codec_version(imgc_format format);

// A library that the codecs call.
typedef struct imgc_library {
  const char *name; // for example "libpng"; static
  char version[24]; // for example "1.6.39"
  bool is_loaded; // true: reported by the loaded library; false: of the headers that were compiled
} imgc_library;

// Fills `library` with the library of this index, from 0. Returns false past the last one.
bool imgc_library_at(size_t index, imgc_library *library);

// The stable name of a warning, for example "crc". Never NULL.
const char *imgc_warning_name(uint16_t warning);

// ---------------------------------------------------------------- cancelling

// NULL when memory is exhausted.
imgc_cancel *imgc_cancel_create(void);
void imgc_cancel_destroy(imgc_cancel *cancel);
void imgc_cancel_raise(imgc_cancel *cancel);
bool imgc_cancel_is_raised(const imgc_cancel *cancel);
// Raises itself at the poll after `polls` more have passed. For tests of every cancel point.
void imgc_cancel_after(imgc_cancel *cancel, uint64_t polls);
// Polls so far.
uint64_t imgc_cancel_polls(const imgc_cancel *cancel);
// For pollers outside this target (the BMP parser): OK, CANCELLED, or LIMIT once the deadline
// passed. Accepts NULL.
imgc_status imgc_cancel_poll(imgc_cancel *cancel);
// Raises itself once the monotonic clock passes `nanoseconds`; 0: no deadline.
void imgc_cancel_set_deadline(imgc_cancel *cancel, uint64_t nanoseconds);
// The clock that deadlines are measured by, in nanoseconds.
uint64_t imgc_monotonic_now(void);

// ---------------------------------------------------------------- processors

// Processors that the calling thread may run on (sched_getaffinity(2)); 0 when the system does not
// say.
uint32_t imgc_affinity_count(void);

// ---------------------------------------------------------------- colour (lcms2)

// What to convert from, by the precedence cICP > ICC > sRGB > gAMA + cHRM.
typedef struct imgc_color_source {
  const uint8_t *icc; // NULL: use header's chunks
  size_t icc_size;
  const imgc_header *header;
} imgc_color_source;

// Makes the transform to sRGB for pictures with this header. `*transform` is NULL with IMGC_OK
// when there is nothing to do: no profile, sRGB in effect, or a profile that was ignored
// (report says which). For CMYK the input is CMYK8 rows as the codec has them (JPEG: inverted).
imgc_status imgc_transform_create(const imgc_color_source *source, imgc_transform **transform,
                                  imgc_report *report);
void imgc_transform_destroy(imgc_transform *transform);
// True when the transform takes CMYK samples (hand it to imgc_request.cmyk_transform).
bool imgc_transform_is_cmyk(const imgc_transform *transform);
// Converts RGBA8 rows in place; alpha stays. Any number of threads may share a transform.
// Polls `request->cancel` every 16 rows.
imgc_status imgc_transform_apply(const imgc_transform *transform, const imgc_request *request,
                                 const imgc_target *target, imgc_report *report);
// The profile's description in English as UTF-8, cut to fit; empty when there is none.
void imgc_icc_description(const uint8_t *icc, size_t icc_size, char *text, size_t text_size);

// ---------------------------------------------------------------- resampling

typedef enum imgc_filter {
  IMGC_FILTER_NEAREST = 0,
  IMGC_FILTER_BOX = 1,      // the mean of what an output pixel covers
  IMGC_FILTER_TRIANGLE = 2, // linear
  IMGC_FILTER_MITCHELL = 3, // cubic, B = C = 1/3
  IMGC_FILTER_LANCZOS3 = 4,
} imgc_filter;

enum {
  // Every alpha is taken to be 255. Without it rows that are opaque are found, at little cost.
  IMGC_RESAMPLE_OPAQUE = 1 << 0,
  IMGC_RESAMPLE_LINEAR = 1 << 1,   // weigh light, not sRGB values
  IMGC_RESAMPLE_PORTABLE = 1 << 2, // plain C alone, with the same result: for tests
};

// What to make of which part of a picture. The crop need not lie on whole pixels.
typedef struct imgc_resample_request {
  uint32_t source_width, source_height; // pixels, at least 1
  double crop_x, crop_y;                // pixels from the top left corner, inside the source
  double crop_width, crop_height;       // pixels, above 0, inside the source
  uint32_t width, height;               // pixels of the result, at least 1
  imgc_filter filter;
  uint32_t flags; // IMGC_RESAMPLE_...
} imgc_resample_request;

// Takes the source row by row and keeps only those that the next output row needs. Opaque.
typedef struct imgc_resampler imgc_resampler;

// Bytes that a resampler of this request holds; 0 for a request that is out of range.
uint64_t imgc_resampler_bytes(const imgc_resample_request *request);
// INVALID_ARGUMENT for a request out of range, OUT_OF_MEMORY, or OK.
imgc_status imgc_resampler_create(const imgc_resample_request *request, imgc_resampler **resampler);
void imgc_resampler_destroy(imgc_resampler *resampler);
// An enlarged row becomes many: `cancel` is polled every 16 rows of the result too. Once it is
// raised no more rows are written; who pushes polls it to know. It must outlive the resampler.
void imgc_resampler_watch(imgc_resampler *resampler, imgc_cancel *cancel);
// The first source row that matters, and the row after the last one.
void imgc_resampler_rows(const imgc_resampler *resampler, uint32_t *first, uint32_t *end);
// Takes the next source row, row 0 first, source_width RGBA8 pixels; writes the output rows that
// become complete, `width` pixels each, to pixels + index * stride. Returns how many output rows
// are complete so far. Rows after the last one that matters are ignored.
uint32_t imgc_resampler_push(imgc_resampler *resampler, const uint8_t *row, uint8_t *pixels,
                             size_t stride);

// Decodes the still picture as imgc_decode does, with the same report, and resamples it on the way:
// of formats that come row by row only the rows of a band are ever in memory. `resample` says how
// the picture has to be, as stored and after JPEG scaling; every pixel of `target`, which is
// upright and of the resampled size, is written. Pictures said to be opaque that damage makes
// transparent are decoded a second time.
imgc_status imgc_decode_resampled(const imgc_request *request,
                                  const imgc_resample_request *resample, const imgc_target *target,
                                  imgc_report *report);

enum { IMGC_MAX_OUTPUTS = 16 };

// As imgc_decode_resampled, of the same picture and parts of it for up to IMGC_MAX_OUTPUTS targets:
// it is decoded once. Each target gets what it would get alone, on condition that all requests
// agree on the source's size and on whether it is opaque.
imgc_status imgc_decode_resampled_all(const imgc_request *request,
                                      const imgc_resample_request *resamples,
                                      const imgc_target *targets, uint32_t count,
                                      imgc_report *report);

// What imgc_decode_resampled holds besides the target, an upper estimate; UINT64_MAX when
// `resample` is out of range.
uint64_t imgc_resampled_bytes(const imgc_header *header, const imgc_resample_request *resample);

// ---------------------------------------------------------------- encoding

// Pixels to encode: RGBA8, straight alpha, top row first.
typedef struct imgc_picture {
  const void *pixels;
  size_t size;   // bytes at `pixels`, at least stride * (height - 1) + width * 4
  size_t stride; // bytes from row to row, at least width * 4
  uint32_t width;
  uint32_t height;
} imgc_picture;

// The file as it grows. Zeroed before the first call, but for max_bytes; the caller frees it with
// imgc_output_free whatever the calls returned.
typedef struct imgc_output {
  uint8_t *data;
  size_t count; // bytes
  size_t capacity;
  size_t max_bytes; // the call fails with IMGC_ERROR_LIMIT, token "max_bytes", above; 0: no limit
} imgc_output;

void imgc_output_free(imgc_output *output);

// Numbers are those of the options' fields in Swift.
typedef enum imgc_chroma {
  IMGC_CHROMA_420 = 0,
  IMGC_CHROMA_422 = 1,
  IMGC_CHROMA_444 = 2,
} imgc_chroma;

typedef struct imgc_jpeg_options {
  uint8_t quality; // 1...100
  uint8_t chroma;  // imgc_chroma
  bool is_progressive;
  bool optimizes_huffman;
  uint8_t background[3]; // R G B that transparent pixels lie on
} imgc_jpeg_options;

// Appends a whole file. Polls `cancel` (may be NULL) at least every 16 rows and once a row of
// blocks of each scan. A picture of which all pixels are gray becomes a file of one component.
imgc_status imgc_encode_jpeg(const imgc_picture *picture, const imgc_jpeg_options *options,
                             imgc_cancel *cancel, imgc_output *output, imgc_report *report);

typedef enum imgc_png_filter {
  IMGC_FILTER_NONE = 0, // 0...4: the specification's numbers, for every row
  IMGC_FILTER_SUB = 1,
  IMGC_FILTER_UP = 2,
  IMGC_FILTER_AVERAGE = 3,
  IMGC_FILTER_PAETH = 4,
  IMGC_FILTER_ADAPTIVE = 5, // for each row the one with the least sum of magnitudes
  IMGC_FILTER_AUTOMATIC =
      6, // none for palettes and less than 8 bits, otherwise adaptive; both where
         // half the pixels repeat the one on their left, and the smaller stays
} imgc_png_filter;

typedef struct imgc_png_options {
  uint8_t level;        // 0...9
  uint8_t filter;       // imgc_png_filter
  bool keeps_rgba;      // RGBA of 8 bits whatever the pixels are
  bool declares_srgb;   // writes an sRGB chunk
  uint32_t frame_count; // 0: a still PNG; otherwise an APNG of so many frames
  uint32_t play_count;  // APNG: 0 for ever
} imgc_png_options;

// A PNG under way. Call order: create; learn with every picture, which decides on the colour type;
// begin; add every picture again; end; destroy.
typedef struct imgc_png_encoder imgc_png_encoder;

// Where a frame of an APNG goes and how long it stays; it replaces what was there.
typedef struct imgc_png_placement {
  uint32_t x, y;
  uint16_t delay_numerator;
  uint16_t delay_denominator;
} imgc_png_placement;

// NULL when memory is exhausted. `cancel` may be NULL and is polled at least every 16 rows.
imgc_png_encoder *imgc_png_encoder_create(const imgc_png_options *options, imgc_cancel *cancel);
void imgc_png_encoder_destroy(imgc_png_encoder *encoder);
imgc_status imgc_png_encoder_learn(imgc_png_encoder *encoder, const imgc_picture *picture,
                                   imgc_report *report);
imgc_status imgc_png_encoder_begin(imgc_png_encoder *encoder, uint32_t width, uint32_t height,
                                   imgc_output *output, imgc_report *report);
imgc_status imgc_png_encoder_add(imgc_png_encoder *encoder, const imgc_picture *picture,
                                 const imgc_png_placement *placement, imgc_output *output,
                                 imgc_report *report);
imgc_status imgc_png_encoder_end(imgc_png_encoder *encoder, imgc_output *output,
                                 imgc_report *report);

// The smallest rectangle outside which two pictures of one size are equal; 0 x 0 when they are.
typedef struct imgc_rect {
  uint32_t x, y, width, height;
} imgc_rect;
imgc_rect imgc_changed_rect(const imgc_picture *before, const imgc_picture *after);

// Sums of linear light (0...1) over columns x rows cells, three numbers a cell, row after row; the
// pixels lie on a background of the given sRGB samples. Cell i of n covers the pixels from
// i * size / n on; `columns` and `rows` are 1 up to the picture's sides.
void imgc_light_grid(const imgc_picture *picture, uint8_t red, uint8_t green, uint8_t blue,
                     uint32_t columns, uint32_t rows, double *sums);

// ---------------------------------------------------------------- row kernels for Swift

// All take pointers and counts that the caller has checked. n counts pixels, unless said
// otherwise; dst has n * 4 bytes.
void imgc_row_bgr8(uint8_t *dst, const uint8_t *src, size_t n);  // opaque
void imgc_row_bgrx8(uint8_t *dst, const uint8_t *src, size_t n); // opaque, 4th byte ignored
void imgc_row_bgra8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_row_index8(uint8_t *dst, const uint8_t *src, size_t n, const uint32_t palette[256]);
// bits = 1, 2 or 4, most significant first; src has (n * bits + 7) / 8 bytes.
void imgc_row_index_packed(uint8_t *dst, const uint8_t *src, size_t n, unsigned bits,
                           const uint32_t palette[256]);
// One bit field of a 16 or 32-bit pixel: (pixel >> shift) & max scaled to 8 bits. max 0 gives
// `none`.
typedef struct imgc_field {
  uint8_t shift;
  uint8_t none;
  uint32_t max;
} imgc_field;
void imgc_row_fields16(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]);
void imgc_row_fields32(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]);
// t = c * a + 128; (t + (t >> 8)) >> 8. dst may be src.
void imgc_row_premultiply(uint8_t *dst, const uint8_t *src, size_t n);
// Sets RGB to 0 where alpha is 0. dst may be src.
void imgc_row_clear_under_alpha(uint8_t *dst, const uint8_t *src, size_t n);

#ifdef __cplusplus
}
#endif
#endif
