// platformimage: decodes PNG, JPEG, GIF, WebP, TIFF and BMP files from untrusted bytes, makes
// thumbnails, and encodes PNG, JPEG, WebP and GIF files.
//
//   pi_image image = {.struct_size = sizeof image};
//   pi_status status = pi_decode(bytes, byte_count, NULL, &image, NULL);  // size query
//   if (status == PI_BUFFER_TOO_SMALL) {
//     image.pixels = malloc(image.byte_count);
//     image.capacity = image.byte_count;
//     status = pi_decode(bytes, byte_count, NULL, &image, NULL);
//   }
//
// Memory: the caller allocates and releases the memory of all arguments. No function returns memory
// of the library, and none stores a pointer after it returns. Results are written to a buffer of
// the caller with a capacity in bytes, from 0 to SIZE_MAX / 2. If the result does not fit, the
// function returns PI_BUFFER_TOO_SMALL, leaves the buffer unchanged unless it says otherwise, and
// sets byte_count to the required capacity. The same call with this capacity then succeeds. A
// capacity of 0, with a buffer of NULL, is a size query. A result must not overlap the input.
//
// Threads: every function may be called on any thread, concurrently, and blocks until its work is
// done. There are no settings of the process and no thread-local results. Released buffers are
// reused by later calls; pi_release_memory returns them to the system.
//
// Errors: every function returns a pi_status. Every invalid argument has a status, also NULL,
// misaligned structs, unknown values of enumerations and undefined flags. All functions accept NULL
// as `error`; otherwise they write a description there, also on success. On failure, the result
// members of structs are 0, except byte_count where a status defines it. PI_BUFFER_TOO_SMALL also
// sets width and height, and in a pi_image a stride of 0 to the row's size.
//
// Structs: initialise each struct with zeros and set struct_size to its sizeof, as above. In a
// struct of options, 0 is the default of every member. `reserved` must be 0.
//
// Compatibility: PI_ABI_VERSION is the number in the name of the shared library. While it does not
// change, a later version of the library works with programs compiled with an earlier header:
//   - functions and their parameters do not change, and no function is removed;
//   - structs grow only by members at their end, or by a use for `reserved`; 0 in a new member
//     always has the behaviour before it existed;
//   - values of enumerations, flags and limits keep their meaning; removed ones are never reused;
//   - functions, enumerations, values and flags may be added: a program must expect a status, a
//     format and a colour model that its header does not list.
// A program with a later header may also use an earlier library: a struct that is larger than the
// library's is accepted if the additional bytes are 0, and they are 0 in results. Pixels of lossy
// formats and of thumbnails, and bytes of encoded files, may change with every version.

#ifndef PLATFORMIMAGE_H
#define PLATFORMIMAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PI_ABI_VERSION 1
// The version of the package that contains this header.
#define PI_VERSION_MAJOR 0
#define PI_VERSION_MINOR 1
#define PI_VERSION_PATCH 0

// ---------------------------------------------------------------- results of functions

typedef int32_t pi_status;

enum {
  PI_OK = 0,
  PI_INVALID_ARGUMENT = 1,  // pi_error.detail is the name of the parameter or member
  PI_BUFFER_TOO_SMALL = 2,  // byte_count of the result is the required capacity
  PI_UNKNOWN_FORMAT = 3,    // the bytes have no signature of an image format
  PI_UNSUPPORTED = 4,       // format or feature that is not decoded or encoded; detail is its name
  PI_MALFORMED = 5,         // the bytes violate the format
  PI_TRUNCATED = 6,         // the bytes end too early
  PI_LIMIT_EXCEEDED = 7,    // detail is the name of the limit, such as maxPixels
  PI_DEADLINE_EXCEEDED = 8, // the call was stopped at its deadline
  PI_EMPTY_CROP = 9,        // the crop of a thumbnail contains no pixel of the image
  PI_OUT_OF_MEMORY = 10,    // the system has no memory left
  PI_TOO_LARGE = 11,        // more pixels per side than the encoded format can store
  PI_OVER_MAX_BYTES = 12,   // byte_count of the result is the size of the smallest possible file
  PI_INTERNAL = 13,         // a defect of the library
};

// Description of the status of a call. The texts end with NUL and are cut to the size of the member
// between two UTF-8 characters.
typedef struct pi_error {
  size_t struct_size;
  pi_status status; // the returned status
  uint32_t reserved;
  char code[32];     // stable name of the status, such as limitExceeded; empty on success
  char detail[64];   // stable token for the cause; empty for statuses without one
  char message[256]; // one line of English for a log
} pi_error;

// ---------------------------------------------------------------- values of members

// File formats. PI_FORMAT_TIFF and PI_FORMAT_BMP are only decoded.
enum {
  PI_FORMAT_UNKNOWN = 0,
  PI_FORMAT_PNG = 1, // also APNG
  PI_FORMAT_JPEG = 2,
  PI_FORMAT_GIF = 3,
  PI_FORMAT_TIFF = 4,
  PI_FORMAT_BMP = 5,
  PI_FORMAT_WEBP = 6, // PI_UNSUPPORTED in a library that was built without WebP
};

// Bytes of a pixel in memory, 8 bits per channel. Straight alpha is not multiplied into colours.
enum {
  PI_LAYOUT_RGBA = 0, // straight alpha, 4 bytes
  PI_LAYOUT_RGBA_PREMULTIPLIED = 1,
  PI_LAYOUT_BGRA = 2,
  PI_LAYOUT_BGRA_PREMULTIPLIED = 3, // ARGB32 of Cairo on little-endian processors
  PI_LAYOUT_RGB = 4,                // 3 bytes; a decode ignores alpha
  PI_LAYOUT_BGR = 5,
  PI_LAYOUT_GRAY = 6,       // luma of ITU-R BT.601, 1 byte; a decode ignores alpha
  PI_LAYOUT_GRAY_ALPHA = 7, // luma, straight alpha: 2 bytes
};

// The least severe damage of a file for which a call fails. Each value includes the previous ones.
enum {
  PI_STRICTNESS_LENIENT = 0, // none, if at least a part of the pixels can be decoded
  PI_STRICTNESS_TRUNCATED = 1,
  PI_STRICTNESS_CORRUPT = 2, // wrong checksums, codes or structure
  PI_STRICTNESS_WARNING = 3, // every irregularity, such as an ignored colour profile
};

// Damage of the decoded file.
enum {
  PI_DAMAGE_NONE = 0,
  PI_DAMAGE_TRUNCATED = 1, // only intact_rows rows, in the order of the file, are valid
  PI_DAMAGE_CORRUPT = 2,
};

// Methods of fitting an image into the box of a thumbnail. Without PI_THUMBNAIL_ENLARGES no side of
// the result is longer than that of the image or crop, so it can be smaller than the box.
enum {
  PI_FIT_CONTAIN = 0,    // the complete image, as large as fits
  PI_FIT_COVER = 1,      // covers the box; the excess is cropped around the gravity
  PI_FIT_FILL = 2,       // exactly the box; the aspect ratio is not preserved
  PI_FIT_SCALE_DOWN = 3, // as contain, never enlarged, also with PI_THUMBNAIL_ENLARGES
};

// Resampling kernels.
enum {
  PI_FILTER_LANCZOS3 = 0,
  PI_FILTER_NEAREST = 1,
  PI_FILTER_BOX = 2,
  PI_FILTER_BILINEAR = 3,
  PI_FILTER_MITCHELL = 4,
};

// Detail of a JPEG or lossy WebP that a thumbnail may skip for speed.
enum {
  PI_ACCURACY_BALANCED = 0,
  PI_ACCURACY_EXACT = 1, // decodes all data
  PI_ACCURACY_FAST = 2,
  PI_ACCURACY_DRAFT = 3, // the fastest
};

// Encoding time against file size of a WebP.
enum {
  PI_WEBP_EFFORT_DEFAULT = 0,
  PI_WEBP_EFFORT_FAST = 1,
  PI_WEBP_EFFORT_SMALL = 2,
};

// Meaning of the samples of a file.
enum {
  PI_COLOR_UNKNOWN = 0,
  PI_COLOR_GRAY = 1,
  PI_COLOR_RGB = 2,
  PI_COLOR_INDEXED = 3,
  PI_COLOR_YCBCR = 4,
  PI_COLOR_CMYK = 5,
  PI_COLOR_LAB = 6,
  PI_COLOR_LOGLUV = 7,
};

// pi_decode_options.flags
enum {
  PI_DECODE_KEEPS_ORIENTATION = 1, // does not apply the EXIF orientation
  PI_DECODE_KEEPS_COLORS = 2,      // does not convert to sRGB
};

// pi_thumbnail_options.flags
enum {
  PI_THUMBNAIL_ENLARGES = 1,      // enlarges an image that is smaller than the box
  PI_THUMBNAIL_PADS = 2,          // pads the result to the box with the background
  PI_THUMBNAIL_LINEAR_LIGHT = 4,  // resamples in linear light
  PI_THUMBNAIL_USES_EMBEDDED = 8, // uses the thumbnail inside of a camera's file if it is suitable
  PI_THUMBNAIL_GRAVITY = 16,      // uses gravity_x and gravity_y; otherwise 0.5 and 0.5
  PI_THUMBNAIL_BACKGROUND = 32,   // uses background; otherwise pixels can be transparent
};

// pi_encode_options.flags
enum {
  PI_ENCODE_WEBP_LOSSLESS = 1,
  PI_ENCODE_JPEG_PROGRESSIVE = 2,
};

// pi_image_info.flags
enum {
  PI_INFO_HAS_ALPHA = 1,      // the file may contain transparent pixels
  PI_INFO_IS_PROGRESSIVE = 2, // progressive JPEG, interlaced PNG or GIF
};

// ---------------------------------------------------------------- options

// Options of functions that read a file. NULL instead of a pointer means the defaults.
typedef struct pi_decode_options {
  size_t struct_size;
  // Limits; they are checked before memory is allocated. UINT64_MAX is no limit.
  uint64_t max_input_bytes;  // 0: 1 GiB
  uint64_t max_pixels;       // of the stored image and of a thumbnail; 0: 100,000,000
  uint64_t max_memory_bytes; // pixels and working memory of the decode together; 0: 512 MiB
  uint32_t deadline_ms;      // milliseconds from the start of the call to its end; 0: none
  int32_t strictness;        // PI_STRICTNESS_...
  uint32_t page;             // page of a TIFF, from 0
  uint32_t flags;            // PI_DECODE_...
  uint32_t allowed_formats;  // sum of 1u << PI_FORMAT_...; other formats fail; 0: all
  uint32_t reserved;
} pi_decode_options;

// Size of a thumbnail, in pixels of the displayed image: upright, except with
// PI_DECODE_KEEPS_ORIENTATION.
typedef struct pi_thumbnail_options {
  size_t struct_size;
  uint32_t width;         // box, to 1,048,576; 0: from height and the aspect ratio
  uint32_t height;        // 0: from width; if both are 0, the size of the image or crop
  int32_t fit;            // PI_FIT_...
  int32_t filter;         // PI_FILTER_...
  int32_t accuracy;       // PI_ACCURACY_...
  uint32_t flags;         // PI_THUMBNAIL_...
  double gravity_x;       // 0 (left) to 1 (right), with PI_THUMBNAIL_GRAVITY
  double gravity_y;       // 0 (top) to 1 (bottom)
  int32_t crop_x, crop_y; // part of the image to use; parts outside of the image are ignored
  uint32_t crop_width;    // 0 with crop_height 0: the complete image
  uint32_t crop_height;
  uint8_t background[4]; // red, green, blue, alpha, with PI_THUMBNAIL_BACKGROUND
  uint32_t reserved;
} pi_thumbnail_options;

// Format and quality of an encoded file. It contains no metadata; its pixels are sRGB.
typedef struct pi_encode_options {
  size_t struct_size;
  uint64_t max_bytes;   // lowers the quality or the colours until the file fits; 0: no limit
  int32_t format;       // PI_FORMAT_PNG, PI_FORMAT_JPEG, PI_FORMAT_WEBP or PI_FORMAT_GIF
  uint32_t quality;     // of JPEG and lossy WebP, 1 to 100; 0: 80
  int32_t webp_effort;  // PI_WEBP_EFFORT_...
  uint32_t flags;       // PI_ENCODE_...
  uint32_t deadline_ms; // milliseconds from the start to the end of the encode; 0: none
  uint32_t reserved;
} pi_encode_options;

// ---------------------------------------------------------------- results

// Version of the library; it may differ from that of the header.
typedef struct pi_version_info {
  size_t struct_size;
  uint32_t abi; // PI_ABI_VERSION of the library
  uint32_t major, minor, patch;
} pi_version_info;

// Header data of a file.
typedef struct pi_image_info {
  size_t struct_size;
  uint64_t icc_profile_bytes;             // uncompressed; 0: no embedded ICC profile
  int32_t format;                         // PI_FORMAT_...
  int32_t color_model;                    // PI_COLOR_..., as stored
  uint32_t width, height;                 // pixels as stored, before orientation
  uint32_t display_width, display_height; // after orientation
  uint32_t orientation;                   // EXIF, 1 to 8
  uint32_t bits_per_channel;              // 1 to 64, as stored
  uint32_t channel_count;                 // as stored
  uint32_t frame_count;                   // of an animation, or pages of a TIFF; at least 1
  int32_t loop_count;                     // plays of an animation, 0: infinite, -1: not in the file
  uint32_t flags;                         // PI_INFO_...
} pi_image_info;

// Pixels in memory of the caller: rows from the top, 8 bits per channel, sRGB unless
// PI_DECODE_KEEPS_COLORS is set. Bytes between rows and after the last row are not changed.
typedef struct pi_image {
  size_t struct_size;
  uint8_t *pixels; // memory of the caller; NULL if capacity is 0
  size_t capacity; // size of this memory in bytes
  // Bytes from row to row; 0: no padding, a decode sets it to the row's size. Set it to 0 again
  // before the struct is used for an image of another width.
  size_t stride;
  size_t byte_count;    // result: required bytes; the last row needs no padding
  uint32_t width;       // result of a decode, argument of pi_encode
  uint32_t height;      // result of a decode, argument of pi_encode
  int32_t layout;       // PI_LAYOUT_...
  int32_t damage;       // result: PI_DAMAGE_...
  uint32_t intact_rows; // result: valid rows of the stored image; 0 in a size query
  uint32_t reserved;
} pi_image;

// An encoded file in memory of the caller. Members after capacity are results.
typedef struct pi_file {
  size_t struct_size;
  uint8_t *bytes;         // memory of the caller; NULL if capacity is 0
  size_t capacity;        // size of this memory in bytes
  size_t byte_count;      // size of the file
  uint32_t width, height; // pixels
  int32_t damage;         // PI_DAMAGE_... of the source
  uint32_t intact_rows;   // valid rows of the stored source; 0 from pi_encode
} pi_file;

// ---------------------------------------------------------------- functions

// Writes the version of the library. Returns PI_OK or PI_INVALID_ARGUMENT.
pi_status pi_version(pi_version_info *version);

// Reads the header of a file and counts its frames or pages, without decoding pixels.
//
// bytes, byte_count: the complete file; bytes must not be NULL.
// Returns PI_OK, PI_INVALID_ARGUMENT, PI_UNKNOWN_FORMAT, PI_UNSUPPORTED, PI_MALFORMED,
// PI_TRUNCATED, PI_LIMIT_EXCEEDED, PI_DEADLINE_EXCEEDED, PI_OUT_OF_MEMORY or PI_INTERNAL.
pi_status pi_info(const uint8_t *bytes, size_t byte_count, const pi_decode_options *options,
                  pi_image_info *info, pi_error *error);

// Decodes the first frame of an animation, or a page of a TIFF, into image->pixels.
//
// A layout with 4 bytes per pixel needs no other copy of the image. A size query reads only the
// header. On errors after the header the content of the buffer is unspecified.
// Returns the statuses of pi_info, and PI_BUFFER_TOO_SMALL. Damage that options->strictness allows
// is reported in image->damage.
pi_status pi_decode(const uint8_t *bytes, size_t byte_count, const pi_decode_options *options,
                    pi_image *image, pi_error *error);

// Makes a thumbnail and writes its pixels to image->pixels. The full image is in memory only if its
// format requires that.
//
// thumbnail: must not be NULL. A size query reads only the header of the file. A capacity that is
// too small, but not 0, costs a decode.
// Returns the statuses of pi_decode, and PI_EMPTY_CROP.
pi_status pi_thumbnail(const uint8_t *bytes, size_t byte_count, const pi_decode_options *options,
                       const pi_thumbnail_options *thumbnail, pi_image *image, pi_error *error);

// Makes a thumbnail and encodes it to file->bytes.
//
// The size of the file is known only after the encode, so PI_BUFFER_TOO_SMALL costs the complete
// work, also in a size query. A capacity of width * height * 4 + 65,536 bytes of the thumbnail is
// sufficient for almost all images; with encode->max_bytes equal to the capacity, every result
// fits.
// A WebP of an image with a palette is lossless unless the lossy file is smaller.
// options: its deadline applies to the complete call, that of `encode` only to the encode.
// thumbnail, encode: must not be NULL.
// Returns the statuses of pi_thumbnail, PI_TOO_LARGE and PI_OVER_MAX_BYTES.
pi_status pi_thumbnail_encode(const uint8_t *bytes, size_t byte_count,
                              const pi_decode_options *options,
                              const pi_thumbnail_options *thumbnail,
                              const pi_encode_options *encode, pi_file *file, pi_error *error);

// Encodes pixels to file->bytes; a JPEG shows transparent pixels on white.
//
// image: pixels, capacity (at least all rows), stride, width, height (1 or more) and layout; other
// members are ignored. It is not changed, and it may be a result of pi_decode.
// The capacity of `file` is as in pi_thumbnail_encode.
// encode: must not be NULL.
// Returns PI_OK, PI_INVALID_ARGUMENT, PI_BUFFER_TOO_SMALL, PI_UNSUPPORTED, PI_DEADLINE_EXCEEDED,
// PI_OUT_OF_MEMORY, PI_TOO_LARGE, PI_OVER_MAX_BYTES or PI_INTERNAL.
pi_status pi_encode(const pi_image *image, const pi_encode_options *encode, pi_file *file,
                    pi_error *error);

// Returns released buffers, which the library retains for later calls (at most 32 MiB), to the
// system. Returns PI_OK.
pi_status pi_release_memory(void);

#ifdef __cplusplus
}
#endif

#endif
