// CImageCodecs: decodes PNG, JPEG, GIF, TIFF and WebP files into RGBA8 pixels, resamples them, and
// encodes JPEG, PNG and WebP.
//
// Call order for a still image:
//   1. imgc_probe: detects the format by its signature.
//   2. imgc_read_header: returns size and kind; fails early when a limit is exceeded.
//   3. The caller allocates height * stride bytes.
//   4. imgc_decode: writes the pixels.
// For an animation (GIF, APNG, WebP), after step 2: call imgc_next_frame and imgc_draw_frame
// alternately, on a canvas that the caller has allocated.
//
// There is no global state except the signal handler of imgc_file_map: every function may be
// called on any thread, concurrently. The caller
// allocates and releases the memory of all arguments. No function stores a pointer to this memory,
// except in the opaque objects that have a create and a destroy function. Functions return a
// status; they never print, exit, or longjmp into the caller.

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

// Enum values are part of the interface: add new values at the end, and never change existing ones.
typedef enum imgc_format {
  IMGC_FORMAT_UNKNOWN = 0,
  IMGC_FORMAT_PNG = 1,
  IMGC_FORMAT_JPEG = 2,
  IMGC_FORMAT_GIF = 3,
  IMGC_FORMAT_TIFF = 4,
  IMGC_FORMAT_BMP = 5,    // detected here, decoded in Swift
  IMGC_FORMAT_WEBP = 100, // decoded if compiled with IMGC_WEBP
  // Detected by signature and not decoded, so that the caller's error message can contain the name
  // of the format.
  IMGC_FORMAT_AVIF = 101,
  IMGC_FORMAT_HEIC = 102,
  IMGC_FORMAT_JPEGXL = 103,
  IMGC_FORMAT_JPEG2000 = 104,
  IMGC_FORMAT_SVG = 105,
  IMGC_FORMAT_CGBI = 106, // PNG variant in iOS application bundles (Xcode's pngcrush)
} imgc_format;

typedef enum imgc_status {
  IMGC_OK = 0,
  IMGC_ERROR_UNKNOWN_FORMAT = 1,   // no codec for imgc_request.format
  IMGC_ERROR_MALFORMED = 2,        // the bytes violate the format's specification
  IMGC_ERROR_TRUNCATED = 3,        // the bytes end before the first row; if strict, before the end
  IMGC_ERROR_UNSUPPORTED = 4,      // valid, but not decoded here; `token` names the feature
  IMGC_ERROR_LIMIT = 5,            // a field of imgc_limits was exceeded; `token` names it
  IMGC_ERROR_OUT_OF_MEMORY = 6,    // an allocation failed
  IMGC_ERROR_CANCELLED = 7,        // the cancel flag is raised
  IMGC_ERROR_INVALID_ARGUMENT = 8, // a bug in the caller
  IMGC_ERROR_INTERNAL = 9,         // a bug in this library
  IMGC_END_OF_FRAMES = 10,         // imgc_next_frame: there is no further frame
} imgc_status;

typedef enum imgc_color_model {
  IMGC_COLOR_GRAY = 0,
  IMGC_COLOR_RGB = 1,
  IMGC_COLOR_INDEXED = 2,
  IMGC_COLOR_YCBCR = 3,
  IMGC_COLOR_CMYK = 4, // YCCK too: libjpeg converts it to CMYK
  IMGC_COLOR_LAB = 5,
  IMGC_COLOR_LOGLUV = 6,
} imgc_color_model;

// Damage or an anomaly in a file that can still be decoded, at least partly. The values and the
// names that imgc_warning_name returns are stable. A *defect* makes the image's status "corrupt"; a
// *remark* does not.
typedef enum imgc_warning {
  IMGC_WARN_NONE = 0,
  // defects
  IMGC_WARN_CRC = 1,           // PNG chunk checksum
  IMGC_WARN_CHECKSUM = 2,      // zlib stream checksum
  IMGC_WARN_ENTROPY_DATA = 3,  // invalid compressed data
  IMGC_WARN_MARKER = 4,        // JPEG marker missing, extra or out of place
  IMGC_WARN_FRAME_REFUSED = 5, // damaged frame of an animation, skipped
  IMGC_WARN_STRIP = 6,         // TIFF strip or tile could not be decoded
  IMGC_WARN_PALETTE_INDEX = 7, // palette index out of range
  IMGC_WARN_CHUNK = 8,         // PNG chunk invalid or out of place
  IMGC_WARN_SEQUENCE = 9,      // APNG sequence number wrong or frame missing
  IMGC_WARN_STRUCTURE = 10,    // length, count or offset wrong, repaired
  IMGC_WARN_RUN_LENGTH = 11,   // BMP run extends outside the image, or invalid escape
  IMGC_WARN_DATA_OFFSET = 12,  // BMP pixel offset or file size wrong
  IMGC_WARN_CODE = 13,         // LZW code invalid
  // remarks
  IMGC_WARN_PROFILE_IGNORED = 64,  // colour profile unparsable, too large or of another model
  IMGC_WARN_ORIENTATION = 65,      // orientation outside 1...8
  IMGC_WARN_EXIF = 66,             // EXIF block damaged, partly ignored
  IMGC_WARN_HDR_TRANSFER = 67,     // PQ or HLG transfer function, not converted
  IMGC_WARN_TRAILING_DATA = 68,    // bytes after the end of the image
  IMGC_WARN_MISSING_END = 69,      // no EOI, IEND or trailer after the last row
  IMGC_WARN_TAG = 70,              // TIFF tag invalid, repaired or ignored
  IMGC_WARN_METADATA_IGNORED = 71, // metadata damaged, or larger than its limit
} imgc_warning;

// The least severe kind of damage with which a decode fails. Less severe damage is only reported.
typedef enum imgc_strictness {
  IMGC_LENIENT = 0,             // a decode never fails because of damage
  IMGC_STRICT_ON_TRUNCATED = 1, // the bytes ended early
  IMGC_STRICT_ON_CORRUPT = 2,   // truncation or a defect
  IMGC_STRICT_ON_WARNING = 3,   // truncation, a defect or a remark
} imgc_strictness;

// ---------------------------------------------------------------- input

// Resource limits; 0 in any field means "no limit". They are compared with values of the file's
// header before memory of that size is allocated. The field names are the tokens of
// IMGC_ERROR_LIMIT.
typedef struct imgc_limits {
  uint32_t max_side;         // pixels, width and height
  uint64_t max_pixels;       // width * height, of each canvas, page and frame
  uint64_t max_memory;       // bytes: pixels, scratch memory and memory of the library
  uint32_t max_scans;        // JPEG scans
  uint64_t max_scan_samples; // JPEG component samples of all scans together, plus 128 per warning
  uint32_t max_pages;        // TIFF pages (IFDs) that are counted
  uint32_t max_samples_per_pixel; // TIFF
  uint32_t max_tile_side;         // TIFF, pixels
  uint64_t max_metadata_item;     // bytes of one ICC profile, EXIF block or chunk
  uint64_t max_metadata_total;    // bytes of all metadata
  uint32_t max_chunks;            // PNG ancillary chunks, WebP chunks with metadata that are read
  uint64_t max_work;              // units of imgc_work
} imgc_limits;

// The work of all calls for one file so far: headers, counting of frames, decoding, resampling. A
// unit is about one nanosecond of one core at 3 GHz; the codecs add estimates of the worst case,
// before the work where the number of pixels determines it, and inside loops over the bytes of the
// file. The sum does not depend on the clock. Initialize to zero; one call at a time may use it.
typedef struct imgc_work {
  uint64_t units;
  // Upper bound of work that is not part of `units`, because the sum of both is within the limit
  // and an exact count would take time.
  uint64_t not_counted;
} imgc_work;

// A cancel flag, which any thread may raise during a decode.
typedef struct imgc_cancel imgc_cancel;

// A colour transform to sRGB; see imgc_transform_create.
typedef struct imgc_transform imgc_transform;

enum {
  IMGC_COUNT_FRAMES = 1 << 0,        // read_header: parse the whole file to count frames
  IMGC_NO_RARE_TIFF_CODECS = 1 << 1, // reject LERC and JBIG compression in TIFF
  // The image is resampled row by row (imgc_decode_resampled sets this flag): max_memory limits the
  // bytes of the rows that are in memory at once plus `result_bytes`, instead of the bytes of all
  // pixels.
  IMGC_RESAMPLES = 1 << 2,
  // For imgc_decode_resampled of progressive JPEGs. IMGC_NO_LAST_REFINEMENT skips the last
  // refinement scan of the luma; IMGC_LOW_SCANS_ONLY skips all refinement scans of AC coefficients,
  // and the AC scans of the luma that start at a high frequency. Damage in skipped scans is not
  // detected; a request with IMGC_STRICT_ON_CORRUPT or IMGC_STRICT_ON_WARNING therefore reads all
  // scans. See jpeg_scans.c.
  IMGC_NO_LAST_REFINEMENT = 1 << 3,
  IMGC_LOW_SCANS_ONLY = 1 << 4,
  // Uses libpng for PNG, libtiff for LZW in TIFF and libjpeg for baseline JPEG at 1/4 and 1/8
  // scale, instead of the native decoders. Tests use the flag to check that the native decoders and
  // the libraries return the same pixels and reports.
  IMGC_LIBRARIES_ONLY = 1 << 5,
  // For imgc_decode_resampled of baseline JPEGs at 1/8 scale with 2 x 2 subsampled chroma: uses
  // only the DC coefficient of each chroma block, for 2 x 2 pixels of the reduced image. The chroma
  // of the reduced image then has half the width and height of its luma, as in the file.
  IMGC_FLAT_CHROMA = 1 << 6,
  // Selects, among the decoders that return equal pixels, the one that needs the least memory, even
  // if it is slower. Only for PNG; for interlaced images it selects libpng. Set it for
  // imgc_read_header too: `work_bytes` depends on it.
  IMGC_LEAST_MEMORY = 1 << 7,
  // The opposite of IMGC_LEAST_MEMORY for PNG, for benchmarks: decompresses image data in one call
  // (at most 128 MiB of raw rows), also where a resampled decode would stream the data.
  IMGC_INFLATE_IN_ONE_CALL = 1 << 8,
  // For imgc_decode_resampled of baseline JPEGs at 1/4 and 1/8 scale: uses only the lowest 2 x 2
  // coefficients of a block that is reduced to 2 x 2 samples. Of the other coefficients, libjpeg
  // adds those that a mean of 4 x 4 pixels contains, and with them aliasing.
  IMGC_LOW_FREQUENCIES = 1 << 9,
};

// Allocator for large scratch blocks (1 MiB or more). After `free`, malloc can retain an unlimited
// amount of memory; an allocator of the caller can limit this amount. If both functions are NULL,
// malloc and free are used.
typedef struct imgc_memory {
  // Returns memory with undefined content, aligned for any type; NULL when memory is exhausted.
  void *(*allocate)(size_t size);
  // Releases `memory`, a result of `allocate`; `size` is the argument of that call.
  void (*release)(void *memory, size_t size);
} imgc_memory;

typedef struct imgc_request {
  const uint8_t *data;
  size_t size; // bytes
  imgc_format format;
  imgc_limits limits;
  imgc_strictness strictness;
  uint32_t flags; // IMGC_COUNT_FRAMES and the other flags above
  // Decode at 1/n of width and height, rounded up; 0 means 1. JPEG: 1, 2, 4 or 8. A lossy still
  // WebP without alpha, with IMGC_RESAMPLES: 1 or 2; a pixel then has the mean luma and the chroma
  // sample of 2 x 2 pixels. Otherwise, and for other formats, the scale is ignored.
  uint32_t scale_denominator;
  uint32_t page;                        // TIFF: page number, from 0; see imgc_read_pages
  imgc_cancel *cancel;                  // may be NULL
  imgc_work *work;                      // NULL: max_work does not apply
  const imgc_transform *cmyk_transform; // converts CMYK; NULL: conversion by multiplication
  imgc_memory memory;
  uint64_t result_bytes;       // IMGC_RESAMPLES: bytes of resampler and result; otherwise unused
  uint32_t max_counted_frames; // IMGC_COUNT_FRAMES: maximum of GIF and WebP frames to count; 0: no
                               // maximum
} imgc_request;

// The destination of decoded pixels: RGBA8, straight alpha, top row first.
typedef struct imgc_target {
  void *pixels;
  size_t size;         // bytes at `pixels`, at least stride * (height - 1) + width * 4
  size_t stride;       // bytes from row to row, at least width * 4; the padding is not written
  uint32_t width;      // pixels, after scaling and orientation
  uint32_t height;     // pixels, after scaling and orientation
  uint8_t orientation; // EXIF 1...8, applied while writing; 1: as stored. Not for GIF frames
} imgc_target;

// ---------------------------------------------------------------- output

typedef struct imgc_header {
  imgc_format format;
  uint32_t width;       // pixels, as stored (before orientation), after scaling
  uint32_t height;      // pixels, as stored, after scaling
  uint32_t frame_count; // animation frames or TIFF pages; 0: unknown, the file was not read fully
  uint32_t loop_count;  // plays, 0: infinite; valid when has_loop_count
  bool has_loop_count;
  bool is_animated;         // for GIF only valid with IMGC_COUNT_FRAMES
  bool is_progressive;      // progressive JPEG, interlaced PNG or GIF frame 0
  bool has_alpha;           // the image's pixel format can represent transparency
  uint8_t bits_per_channel; // 1...64, as stored
  uint8_t channels;         // samples per pixel, as stored
  uint8_t orientation;      // TIFF tag 274; 1 for other formats (the caller reads EXIF)
  imgc_color_model color_model;
  uint64_t work_bytes;  // bytes; upper bound of the decoder's memory, without the pixels
  uint32_t band_rows;   // rows in memory at once in imgc_decode_resampled; `height`: all rows
  uint64_t exif_offset; // first byte of the TIFF header of the EXIF block in `data`
  uint64_t exif_size;   // bytes; 0: none
  // TIFF: the offsets of the page's IFD, and of the IFD of the chain whose SubIFD it is. Both are
  // equal when it is in the chain.
  uint64_t directory, parent_directory;
  uint64_t icc_size; // bytes of the embedded profile, uncompressed; 0: none
  // PNG colour chunks. All of them are reported; imgc_transform_create applies their precedence.
  bool has_cicp;
  uint8_t cicp[4]; // primaries, transfer, matrix, full range (ITU-T H.273)
  bool has_srgb;
  uint8_t srgb_intent;
  bool has_gamma;
  uint32_t gamma; // times 100,000, as stored in gAMA
  bool has_chromaticities;
  uint32_t chromaticities[8]; // white x y, red x y, green x y, blue x y; times 100,000
} imgc_header;

// The result of a call. Every call fills it; after a successful call it contains the warnings.
typedef struct imgc_report {
  imgc_status status;
  bool truncated;                       // the bytes ended early; see `rows`
  bool corrupt;                         // a defect was detected
  uint32_t rows;                        // complete rows from the top, as stored, from intact data
  uint32_t warning_total;               // number of warnings, including repeated ones
  uint32_t warning_count;               // entries in `warnings`
  uint16_t warnings[IMGC_MAX_WARNINGS]; // imgc_warning, each once, in order of occurrence
  char token[IMGC_TOKEN_SIZE];     // LIMIT: field name; UNSUPPORTED: feature name; otherwise empty
  char message[IMGC_MESSAGE_SIZE]; // English, NUL-terminated, one line; empty on success
} imgc_report;

// A page of a TIFF, as its IFD describes it.
typedef struct imgc_page {
  uint32_t width, height; // pixels, as stored; 0: missing
  bool is_reduced;        // a reduced-resolution version of another image of the file
  bool is_sub;            // the SubIFD of another IFD
} imgc_page;

enum { IMGC_DISPOSE_KEEP = 0, IMGC_DISPOSE_CLEAR = 1, IMGC_DISPOSE_RESTORE = 2 };
enum { IMGC_BLEND_SOURCE = 0, IMGC_BLEND_OVER = 1 };

// One frame of an animation, before its pixels are decoded. Initialize the struct to zero before
// the first call of imgc_next_frame.
typedef struct imgc_frame {
  uint32_t number;            // 1 for the first frame; 0 before the first call
  uint32_t x, y;              // position on the canvas in pixels; may be outside (GIF)
  uint32_t width, height;     // pixels, as stored; 0 x 0 draws nothing (GIF)
  uint32_t delay_numerator;   // seconds = numerator / denominator, as stored
  uint32_t delay_denominator; // never 0
  uint8_t disposal;           // IMGC_DISPOSE_...: applied after the frame was shown
  uint8_t blend;              // IMGC_BLEND_...
  // Used by the codec only.
  uint64_t offset;           // start of the frame's data
  uint64_t next_offset;      // start of the search for the next frame
  uint32_t sequence;         // APNG: next expected sequence number
  int16_t transparent_index; // GIF: -1 for none
} imgc_frame;

// ---------------------------------------------------------------- calls

// Returns the format by the signature in the first 1,024 bytes; UNKNOWN for an unknown signature.
imgc_format imgc_probe(const uint8_t *data, size_t size);

// Reads the parts of the file that `header` describes, and checks `request->limits`. Decodes no
// pixels.
imgc_status imgc_read_header(const imgc_request *request, imgc_header *header, imgc_report *report);

// Describes the pages of a TIFF in the order of their numbers: first the full-resolution images in
// file order, where SubIFDs follow their IFD, then the reduced-resolution ones and the samples of
// camera sensors. Writes at most `capacity` pages; `*count` is the number written, 0 for other
// formats and with more pages than max_pages.
imgc_status imgc_read_pages(const imgc_request *request, imgc_page *pages, uint32_t capacity,
                            uint32_t *count, imgc_report *report);

// Copies the embedded ICC profile to `profile`; `size` is header.icc_size.
imgc_status imgc_read_icc(const imgc_request *request, uint8_t *profile, size_t size,
                          imgc_report *report);

// Decodes the still image and writes every pixel of the target; pixels without data become
// transparent black. After a failure the content of the target is unspecified.
imgc_status imgc_decode(const imgc_request *request, const imgc_target *target,
                        imgc_report *report);

// Advances `frame` to the next frame. Returns IMGC_END_OF_FRAMES after the last one;
// report->truncated or report->corrupt is true when the animation ended early.
imgc_status imgc_next_frame(const imgc_request *request, imgc_frame *frame, imgc_report *report);

// Draws the frame onto the canvas at (x, y), clipped. Pixels outside the frame do not change. The
// canvas must contain valid pixels. With x = y = 0, a cleared target of the frame's size and
// IMGC_BLEND_SOURCE the result is the raw frame. After a failure the pixels in the frame's area are
// unspecified.
imgc_status imgc_draw_frame(const imgc_request *request, const imgc_frame *frame,
                            const imgc_target *canvas, imgc_report *report);

// Sets the rectangle, clipped to the target, to transparent black.
void imgc_clear_rect(const imgc_target *target, uint32_t x, uint32_t y, uint32_t width,
                     uint32_t height);

// Copies the source to the target, transformed by target->orientation. Returns false when the size
// of the target is not the size of the transformed source.
bool imgc_orient(const imgc_target *source, const imgc_target *target);

// Returns the version of the library that decodes `format`, for example "libpng 1.6.39".
const char *imgc_codec_version(imgc_format format);

// A library that the codecs link.
typedef struct imgc_library {
  const char *name; // for example "libpng"; static
  char version[24]; // for example "1.6.39"
  bool is_loaded;   // true: version of the loaded library; false: version of the headers
} imgc_library;

// Describes the library with this index, from 0, in `*library`. Returns false past the last index.
bool imgc_library_at(size_t index, imgc_library *library);

// The stable name of a warning, for example "crc". Never NULL.
const char *imgc_warning_name(uint16_t warning);

// ---------------------------------------------------------------- cancelling

// Creates a cancel flag; NULL when memory is exhausted.
imgc_cancel *imgc_cancel_create(void);
void imgc_cancel_destroy(imgc_cancel *cancel);
void imgc_cancel_raise(imgc_cancel *cancel);
bool imgc_cancel_is_raised(const imgc_cancel *cancel);
// Raises the flag at the first poll after `polls` polls in total, so that tests can cancel at each
// poll.
void imgc_cancel_after(imgc_cancel *cancel, uint64_t polls);
// Returns the number of polls since the flag was created.
uint64_t imgc_cancel_polls(const imgc_cancel *cancel);
// Polls the flag for callers outside this target (the BMP parser). Returns OK, CANCELLED, or LIMIT
// after the deadline. Accepts NULL.
imgc_status imgc_cancel_poll(imgc_cancel *cancel);
// Sets the deadline, a time of the clock of imgc_monotonic_now; 0: none. Polls after the deadline
// fail with LIMIT.
void imgc_cancel_set_deadline(imgc_cancel *cancel, uint64_t nanoseconds);
// Returns the deadline; 0: none.
uint64_t imgc_cancel_deadline(const imgc_cancel *cancel);
// Returns the time of the monotonic clock that deadlines use, in nanoseconds.
uint64_t imgc_monotonic_now(void);

// ---------------------------------------------------------------- files

typedef enum imgc_file_result {
  IMGC_FILE_OK = 0,
  IMGC_FILE_ERROR = 1,         // a system call failed; see error_number
  IMGC_FILE_NOT_REGULAR = 2,   // a directory, FIFO, socket or device
  IMGC_FILE_TOO_LARGE = 3,     // larger than max_size; see found_size
  IMGC_FILE_CHANGED = 4,       // became shorter while it was read
  IMGC_FILE_OUT_OF_MEMORY = 5, // no memory for the bytes
  IMGC_FILE_CANCELLED = 6,     // the cancel flag was raised, or its deadline has passed
} imgc_file_result;

// An open file and its bytes, read or mapped.
typedef struct imgc_file {
  const uint8_t *data; // NULL unless the file is mapped or loaded
  size_t size;         // size of the file in bytes when it was opened
  bool is_mapped;
  int error_number;    // errno of the failed system call
  uint64_t found_size; // size of the file in bytes when it was opened
  int descriptor;      // the other fields are private
  int region;
  int64_t changed_seconds; // time of the last status change when the file was opened
  int64_t changed_nanoseconds;
} imgc_file;

// Opens a regular file for reading; symbolic links are followed, and a FIFO or device is rejected
// without waiting. The bytes are neither mapped nor read yet. Call imgc_file_close only after
// IMGC_FILE_OK.
imgc_file_result imgc_file_open(const char *path, uint64_t max_size, imgc_file *file);
// The same for the file behind a descriptor of the caller, which is duplicated.
imgc_file_result imgc_file_open_descriptor(int descriptor, uint64_t max_size, imgc_file *file);
// Maps the file; false when it is empty or cannot be mapped, so that it must be loaded.
//
// The first mapping installs a SIGBUS handler for the process, the only global state of this
// interface: without it, a mapped file that becomes shorter would end the process. A read of a
// missing byte returns 0. The handler passes other SIGBUS signals to the action that it replaced.
// If the application installs another handler later, files are no longer mapped.
bool imgc_file_map(imgc_file *file);
// Reads the complete file into `bytes`, `size` bytes of the caller; polls `cancel` (may be NULL)
// once per MiB.
imgc_file_result imgc_file_read(imgc_file *file, uint8_t *bytes, imgc_cancel *cancel);
// Reads the complete file, as imgc_file_read does, into allocated memory. After an error, the file
// must still be closed.
imgc_file_result imgc_file_load(imgc_file *file, imgc_cancel *cancel);
// Releases the bytes. Returns CHANGED when the mapped file became shorter than `size`, and ERROR
// when a page could not be read although the file is unchanged, or when its state is unknown;
// results computed from the bytes are then not valid.
imgc_file_result imgc_file_close(imgc_file *file);

// ---------------------------------------------------------------- processors

// Returns the number of processors that the calling thread may run on (sched_getaffinity(2)); 0
// when it is not known.
uint32_t imgc_affinity_count(void);

// ---------------------------------------------------------------- colour (lcms2)

// Colour information of a file. Precedence: cICP > ICC > sRGB > gAMA + cHRM.
typedef struct imgc_color_source {
  const uint8_t *icc; // NULL: use the chunks in the header
  size_t icc_size;
  const imgc_header *header;
} imgc_color_source;

// Creates the transform to sRGB for images with this header. `*transform` is NULL with IMGC_OK when
// no conversion is needed: no profile, a profile equivalent to sRGB, or an ignored profile (the
// report then contains a warning). The input of a CMYK transform is CMYK8 rows as the codec decodes
// them (JPEG: inverted).
imgc_status imgc_transform_create(const imgc_color_source *source, imgc_transform **transform,
                                  imgc_report *report);
void imgc_transform_destroy(imgc_transform *transform);
// Returns true when the transform converts CMYK samples. Set such a transform in
// imgc_request.cmyk_transform.
bool imgc_transform_is_cmyk(const imgc_transform *transform);
// Converts RGBA8 rows in place; alpha is unchanged. Threads may share a transform. Polls
// `request->cancel` every 16 rows.
imgc_status imgc_transform_apply(const imgc_transform *transform, const imgc_request *request,
                                 const imgc_target *target, imgc_report *report);
// Writes the profile's English description as UTF-8, truncated to fit; empty when there is none.
void imgc_icc_description(const uint8_t *icc, size_t icc_size, char *text, size_t text_size);

// ---------------------------------------------------------------- zlib streams (libdeflate)

// Decompresses a complete zlib stream (RFC 1950) into `to`. Returns the decompressed size; 0 when
// the stream is damaged, empty or longer than `capacity`, and when memory is exhausted.
size_t imgc_zlib_decompress(const uint8_t *stream, size_t size, uint8_t *to, size_t capacity);
// Returns the maximum size of the compressed stream of `size` bytes; 0 when memory is exhausted.
size_t imgc_zlib_bound(size_t size);
// Compresses `bytes` into `to`. Returns the size of the stream; 0 when `capacity` is less than
// imgc_zlib_bound(size), and when memory is exhausted.
size_t imgc_zlib_compress(const uint8_t *bytes, size_t size, uint8_t *to, size_t capacity);
// Returns the CRC-32 of PNG and zlib.
uint32_t imgc_crc32(const uint8_t *bytes, size_t size);

// ---------------------------------------------------------------- resampling

typedef enum imgc_filter {
  IMGC_FILTER_NEAREST = 0,
  IMGC_FILTER_BOX = 1,      // mean of the covered source area
  IMGC_FILTER_BILINEAR = 2, // linear
  IMGC_FILTER_MITCHELL = 3, // cubic, B = C = 1/3
  IMGC_FILTER_LANCZOS3 = 4,
} imgc_filter;

enum {
  // The caller guarantees that all alpha values are 255. Without this flag the resampler detects
  // opaque rows, which takes little time.
  IMGC_RESAMPLE_OPAQUE = 1 << 0,
  IMGC_RESAMPLE_LINEAR = 1 << 1,   // filter in linear light instead of sRGB
  IMGC_RESAMPLE_PORTABLE = 1 << 2, // scalar C only, with identical results; for tests
};

// Size, crop and filter of a resampling. The crop may have fractional coordinates.
typedef struct imgc_resample_request {
  uint32_t source_width, source_height; // pixels, at least 1
  double crop_x, crop_y;                // pixels from the top left corner, inside the source
  double crop_width, crop_height;       // pixels, above 0, inside the source
  uint32_t width, height;               // pixels of the result, at least 1
  imgc_filter filter;
  uint32_t flags; // IMGC_RESAMPLE_...
} imgc_resample_request;

// Receives the source image row by row, and stores only the rows that are needed for the next
// output row.
typedef struct imgc_resampler imgc_resampler;

// Returns the bytes that a resampler of this request allocates; 0 for a request out of range.
uint64_t imgc_resampler_bytes(const imgc_resample_request *request);
// Creates a resampler. Returns INVALID_ARGUMENT for a request out of range, OUT_OF_MEMORY, or OK.
imgc_status imgc_resampler_create(const imgc_resample_request *request, imgc_resampler **resampler);
void imgc_resampler_destroy(imgc_resampler *resampler);
// Sets a cancel flag that the resampler polls every 16 rows of the result, because one source row
// can complete many rows when the image is enlarged. After the flag is raised, the resampler writes
// no more rows; the caller must poll the flag to detect this. `cancel` must outlive the resampler.
void imgc_resampler_watch(imgc_resampler *resampler, imgc_cancel *cancel);
// Returns the first source row that contributes to the result, and the row after the last one.
void imgc_resampler_rows(const imgc_resampler *resampler, uint32_t *first, uint32_t *end);
// Pushes the next source row (row 0 first, source_width RGBA8 pixels) and writes the output rows
// that are complete now, `width` pixels each, to pixels + index * stride. Returns the number of
// complete output rows so far. Rows after the last contributing one are ignored.
uint32_t imgc_resampler_push(imgc_resampler *resampler, const uint8_t *row, uint8_t *pixels,
                             size_t stride);

// Decodes the still image with the same report as imgc_decode, and resamples it during the decode.
// For formats that are decoded row by row, only a band of rows is in memory. The source size in
// `resample` is the stored size, after JPEG scaling. Every pixel of `target`, which is upright and
// of the resampled size, is written. When `resample` has the flag IMGC_RESAMPLE_OPAQUE and pixels
// are transparent because of damage, the image is decoded again without the flag.
imgc_status imgc_decode_resampled(const imgc_request *request,
                                  const imgc_resample_request *resample, const imgc_target *target,
                                  imgc_report *report);

enum { IMGC_MAX_OUTPUTS = 16 };

// Like imgc_decode_resampled, with one decode for up to IMGC_MAX_OUTPUTS targets. Each target has
// the same pixels as with imgc_decode_resampled. All requests must have the same source size and
// the same IMGC_RESAMPLE_OPAQUE flag.
imgc_status imgc_decode_resampled_all(const imgc_request *request,
                                      const imgc_resample_request *resamples,
                                      const imgc_target *targets, uint32_t count,
                                      imgc_report *report);

// Returns an upper bound of the memory of imgc_decode_resampled without the target, in bytes;
// UINT64_MAX when `resample` is out of range.
uint64_t imgc_resampled_bytes(const imgc_header *header, const imgc_resample_request *resample);

// ---------------------------------------------------------------- encoding

// Pixels to encode: RGBA8, straight alpha, top row first.
typedef struct imgc_image {
  const void *pixels;
  size_t size;   // bytes at `pixels`, at least stride * (height - 1) + width * 4
  size_t stride; // bytes from row to row, at least width * 4
  uint32_t width;
  uint32_t height;
} imgc_image;

// The encoded file, to which the calls append. Initialize all fields except max_bytes to zero
// before the first call. Release the memory with imgc_output_free, after failures too.
typedef struct imgc_output {
  uint8_t *data;
  size_t count; // bytes
  size_t capacity;
  size_t max_bytes; // maximum of `count`; a larger file fails with IMGC_ERROR_LIMIT; 0: no limit
} imgc_output;

void imgc_output_free(imgc_output *output);

// Chroma subsampling: the cases of the Swift enum ChromaSubsampling.
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
  uint8_t background[3]; // red, green, blue: colour behind transparent pixels
  bool avoids_gray;      // three components also when all pixels are gray, for an RGB profile
} imgc_jpeg_options;

// Appends a complete file. Polls `cancel` (may be NULL) at least every 16 rows and once per row of
// blocks of each scan. Without `avoids_gray`, an image with only gray pixels is encoded with one
// component, unless pixels are translucent and the background is not gray.
imgc_status imgc_encode_jpeg(const imgc_image *image, const imgc_jpeg_options *options,
                             imgc_cancel *cancel, imgc_output *output, imgc_report *report);

typedef struct imgc_webp_options {
  bool is_lossless;
  uint8_t quality;       // lossy: 1...100
  uint8_t method;        // lossy: 0 (fastest) to 6 (smallest file)
  uint8_t level;         // lossless: 0 (fastest) to 9 (smallest file)
  uint8_t near_lossless; // lossless: 0 (most changes of samples) to 100 (none)
  uint8_t alpha_quality; // lossy: 0...100; 100 preserves alpha
  bool sharp_yuv;        // lossy: iterative conversion to YUV, which keeps edges between colours
  bool is_exact;         // preserves the colour of pixels with alpha 0
} imgc_webp_options;

// Appends a complete file. Polls `cancel` (may be NULL) before the encoding, whenever libwebp
// reports progress (per percent; lossless: a few times per image), and every 16 rows that are
// converted for a lossless image. A side exceeds the format's limit of 16,383 pixels:
// IMGC_ERROR_UNSUPPORTED with the token "dimensions". Compiled without IMGC_WEBP, this function and
// imgc_webp_animation_create fail with IMGC_ERROR_UNSUPPORTED and the token "webp".
imgc_status imgc_encode_webp(const imgc_image *image, const imgc_webp_options *options,
                             imgc_cancel *cancel, imgc_output *output, imgc_report *report);

typedef struct imgc_webp_animation_options {
  imgc_webp_options frames;
  uint32_t width, height; // pixels of the canvas and of every frame
  uint16_t play_count;    // 0: infinite
  // Maximum distance between two key frames, in frames; 0: only the first frame is a key frame.
  uint32_t key_frame_interval;
  bool is_mixed; // lossy or lossless for each frame, whichever is smaller
} imgc_webp_animation_options;

// An incremental encoder of animations. Call order: create; add for every frame; end; destroy. The
// library stores the smallest rectangle of each frame, and one frame for equal consecutive frames;
// if all frames are equal, the file is a still image.
typedef struct imgc_webp_animation imgc_webp_animation;

// Stores NULL when it fails. `cancel` may be NULL.
imgc_status imgc_webp_animation_create(const imgc_webp_animation_options *options,
                                       imgc_cancel *cancel, imgc_webp_animation **animation,
                                       imgc_report *report);
void imgc_webp_animation_destroy(imgc_webp_animation *animation);
// `time` is the start of the frame in milliseconds; it may wrap around. It is at least the time of
// the previous frame and less than 2^24 after it.
imgc_status imgc_webp_animation_add(imgc_webp_animation *animation, const imgc_image *image,
                                    uint32_t time, imgc_report *report);
// `time` is the end of the last frame.
imgc_status imgc_webp_animation_end(imgc_webp_animation *animation, uint32_t time,
                                    imgc_output *output, imgc_report *report);

typedef enum imgc_png_filter {
  IMGC_FILTER_NONE = 0, // 0...4: the PNG specification's filter types, for every row
  IMGC_FILTER_SUB = 1,
  IMGC_FILTER_UP = 2,
  IMGC_FILTER_AVERAGE = 3,
  IMGC_FILTER_PAETH = 4,
  IMGC_FILTER_ADAPTIVE = 5, // per row: the filter with the minimum sum of absolute differences
  // With a palette or fewer than 8 bits per sample: IMGC_FILTER_NONE. Otherwise:
  // IMGC_FILTER_ADAPTIVE; but if at least half of the pixels equal their left neighbour, the image
  // is compressed with both filters, and the smaller result is used.
  IMGC_FILTER_AUTOMATIC = 6,
} imgc_png_filter;

typedef struct imgc_png_options {
  uint8_t level;        // 0...9
  uint8_t filter;       // imgc_png_filter
  bool always_rgba;     // always RGBA with 8 bits
  bool declares_srgb;   // writes an sRGB chunk
  uint32_t frame_count; // 0: a still PNG; otherwise the frames of an APNG
  uint32_t play_count;  // APNG: number of plays; 0: infinite
  bool avoids_gray;     // no gray colour type: a gray PNG must not contain an RGB profile
} imgc_png_options;

// An incremental PNG encoder. Call order: create; analyze for every image, to select the colour
// type; begin; add for every image; end; destroy.
typedef struct imgc_png_encoder imgc_png_encoder;

// Position and duration of an APNG frame. The frame replaces the pixels of the canvas in its area.
typedef struct imgc_png_placement {
  uint32_t x, y;
  uint16_t delay_numerator;
  uint16_t delay_denominator;
} imgc_png_placement;

// Creates an encoder; NULL when memory is exhausted. `cancel` may be NULL; it is polled at least
// every 16 rows.
imgc_png_encoder *imgc_png_encoder_create(const imgc_png_options *options, imgc_cancel *cancel);
void imgc_png_encoder_destroy(imgc_png_encoder *encoder);
imgc_status imgc_png_encoder_analyze(imgc_png_encoder *encoder, const imgc_image *image,
                                     imgc_report *report);
imgc_status imgc_png_encoder_begin(imgc_png_encoder *encoder, uint32_t width, uint32_t height,
                                   imgc_output *output, imgc_report *report);
imgc_status imgc_png_encoder_add(imgc_png_encoder *encoder, const imgc_image *image,
                                 const imgc_png_placement *placement, imgc_output *output,
                                 imgc_report *report);
imgc_status imgc_png_encoder_end(imgc_png_encoder *encoder, imgc_output *output,
                                 imgc_report *report);

typedef enum imgc_gif_dither {
  IMGC_GIF_DITHER_NONE = 0,
  IMGC_GIF_DITHER_ORDERED = 1,
  IMGC_GIF_DITHER_FLOYD_STEINBERG = 2,
} imgc_gif_dither;

typedef struct imgc_gif_options {
  uint16_t max_colors;   // of a palette, 2...256, including the transparent colour
  uint8_t dither;        // imgc_gif_dither; images with few enough colours are never dithered
  bool shares_palette;   // one palette for all frames; otherwise one for the pixels of each frame
  uint32_t frame_count;  // 1: a still GIF
  uint16_t repeat_count; // the number in the Netscape loop extension: plays - 1; 0: infinite
  bool repeats;          // writes that extension
} imgc_gif_options;

// An incremental GIF encoder. Call order: create; analyze for every frame; add for every frame;
// end; destroy. Pixels with an alpha below 128 are transparent, all others opaque.
//
// Memory without the output: 1 byte per pixel of the canvas; of an animation 6 bytes; 10 bytes per
// column; at most 4.3 MB for the histogram and the inverse palette, and 70 kB of giflib.
typedef struct imgc_gif_encoder imgc_gif_encoder;

// Creates an encoder; NULL when memory is exhausted. `cancel` may be NULL; it is polled at least
// every 16 rows.
imgc_gif_encoder *imgc_gif_encoder_create(const imgc_gif_options *options, imgc_cancel *cancel);
void imgc_gif_encoder_destroy(imgc_gif_encoder *encoder);
// Collects the colours of a frame; the first frame sets the size of the canvas, which all frames
// have. Fails with UNSUPPORTED for more than 65,535 pixels per side.
imgc_status imgc_gif_encoder_analyze(imgc_gif_encoder *encoder, const imgc_image *image,
                                     imgc_report *report);
// Appends a frame. `next` is the image of the following frame, which determines the disposal; NULL
// for the last one. `delay` is in hundredths of a second.
imgc_status imgc_gif_encoder_add(imgc_gif_encoder *encoder, const imgc_image *image,
                                 const imgc_image *next, uint16_t delay, imgc_output *output,
                                 imgc_report *report);
imgc_status imgc_gif_encoder_end(imgc_gif_encoder *encoder, imgc_output *output,
                                 imgc_report *report);

// The bounding box of the pixels that differ between two images of equal size; 0 x 0 when the
// images are equal.
typedef struct imgc_rect {
  uint32_t x, y, width, height;
} imgc_rect;
imgc_rect imgc_changed_rect(const imgc_image *before, const imgc_image *after);

// Divides the image into columns x rows cells and writes, for each cell in row order, the sums of
// the linear red, green and blue values (0...1) of its pixels. Pixels are composited over a
// background of the given sRGB samples. In each direction cell i of n starts at pixel i * size / n.
// `columns` is 1 up to the image's width, `rows` 1 up to its height.
void imgc_light_grid(const imgc_image *image, uint8_t red, uint8_t green, uint8_t blue,
                     uint32_t columns, uint32_t rows, double *sums);

// ---------------------------------------------------------------- row kernels for Swift

// The caller must pass valid pointers and counts; they are not checked. n is a number of pixels
// unless noted otherwise; dst has n * 4 bytes.
void imgc_row_bgr8(uint8_t *dst, const uint8_t *src, size_t n);  // opaque
void imgc_row_bgrx8(uint8_t *dst, const uint8_t *src, size_t n); // opaque, 4th byte ignored
void imgc_row_bgra8(uint8_t *dst, const uint8_t *src, size_t n); // dst may equal src
void imgc_row_index8(uint8_t *dst, const uint8_t *src, size_t n, const uint32_t palette[256]);
// bits = 1, 2 or 4, most significant first; src has (n * bits + 7) / 8 bytes.
void imgc_row_index_packed(uint8_t *dst, const uint8_t *src, size_t n, unsigned bits,
                           const uint32_t palette[256]);
// One bit field of a 16-bit or 32-bit pixel: (pixel >> shift) & max, scaled to 8 bits. If max is 0,
// the value of the field is `none`.
typedef struct imgc_field {
  uint8_t shift;
  uint8_t none;
  uint32_t max;
} imgc_field;
void imgc_row_fields16(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]);
void imgc_row_fields32(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]);
// Premultiplies alpha: t = c * a + 128; c = (t + (t >> 8)) >> 8. dst may equal src.
void imgc_row_premultiply(uint8_t *dst, const uint8_t *src, size_t n);
// Sets RGB to 0 where alpha is 0. dst may equal src.
void imgc_row_clear_transparent(uint8_t *dst, const uint8_t *src, size_t n);

// Pixels in the layouts of other programs: the cases of the Swift enum PixelLayout, which defines
// them. Alpha is straight unless premultiplied.
typedef enum imgc_layout {
  IMGC_LAYOUT_RGBA = 0,
  IMGC_LAYOUT_RGBA_PREMULTIPLIED = 1,
  IMGC_LAYOUT_BGRA = 2,
  IMGC_LAYOUT_BGRA_PREMULTIPLIED = 3,
  IMGC_LAYOUT_RGB = 4,
  IMGC_LAYOUT_BGR = 5,
  IMGC_LAYOUT_GRAY = 6,
  IMGC_LAYOUT_GRAY_ALPHA = 7,
} imgc_layout;

// Converts rows of RGBA8 to `layout`; the padding of the destination is not written. With a layout
// of 4 bytes per pixel, dst may equal src if the strides are equal.
void imgc_layout_export(uint8_t *dst, size_t dst_stride, const uint8_t *src, size_t src_stride,
                        size_t width, size_t height, imgc_layout layout);
// Converts rows of `layout` to RGBA8 rows without padding.
void imgc_layout_import(uint8_t *dst, const uint8_t *src, size_t src_stride, size_t width,
                        size_t height, imgc_layout layout);

// The operators of Porter and Duff (Compositing Digital Images, 1984): the cases of the Swift enum
// CompositeOperator.
typedef enum imgc_operator {
  IMGC_OPERATOR_CLEAR = 0,
  IMGC_OPERATOR_SOURCE = 1,
  IMGC_OPERATOR_DESTINATION = 2,
  IMGC_OPERATOR_SOURCE_OVER = 3,
  IMGC_OPERATOR_DESTINATION_OVER = 4,
  IMGC_OPERATOR_SOURCE_IN = 5,
  IMGC_OPERATOR_DESTINATION_IN = 6,
  IMGC_OPERATOR_SOURCE_OUT = 7,
  IMGC_OPERATOR_DESTINATION_OUT = 8,
  IMGC_OPERATOR_SOURCE_ATOP = 9,
  IMGC_OPERATOR_DESTINATION_ATOP = 10,
  IMGC_OPERATOR_XOR = 11,
} imgc_operator;
// Composites src with dst, both with straight alpha; `opacity`, 0...1, scales the alpha of src. A
// result with alpha 0 is transparent black; but an operator that shows dst where src is transparent
// leaves such a pixel of dst unchanged. src does not overlap dst.
void imgc_row_composite(uint8_t *dst, const uint8_t *src, size_t n, imgc_operator operation,
                        float opacity);

#ifdef __cplusplus
}
#endif
#endif
