// Sizes and positions in platformimage.h on systems with pointers of 8 bytes. A change of one of
// these numbers needs a new PI_ABI_VERSION; a new member changes only the size of its struct.

#include "platformimage.h"

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(pi_error) == 368, "pi_error");
_Static_assert(offsetof(pi_error, code) == 16, "pi_error");
_Static_assert(offsetof(pi_error, detail) == 48, "pi_error");
_Static_assert(offsetof(pi_error, message) == 112, "pi_error");
_Static_assert(sizeof(pi_decode_options) == 56, "pi_decode_options");
_Static_assert(offsetof(pi_decode_options, deadline_ms) == 32, "pi_decode_options");
_Static_assert(offsetof(pi_decode_options, allowed_formats) == 48, "pi_decode_options");
_Static_assert(sizeof(pi_thumbnail_options) == 72, "pi_thumbnail_options");
_Static_assert(offsetof(pi_thumbnail_options, fit) == 16, "pi_thumbnail_options");
_Static_assert(offsetof(pi_thumbnail_options, gravity_x) == 32, "pi_thumbnail_options");
_Static_assert(offsetof(pi_thumbnail_options, crop_x) == 48, "pi_thumbnail_options");
_Static_assert(offsetof(pi_thumbnail_options, background) == 64, "pi_thumbnail_options");
_Static_assert(sizeof(pi_encode_options) == 40, "pi_encode_options");
_Static_assert(offsetof(pi_encode_options, format) == 16, "pi_encode_options");
_Static_assert(offsetof(pi_encode_options, deadline_ms) == 32, "pi_encode_options");
_Static_assert(sizeof(pi_version_info) == 24, "pi_version_info");
_Static_assert(sizeof(pi_image_info) == 64, "pi_image_info");
_Static_assert(offsetof(pi_image_info, format) == 16, "pi_image_info");
_Static_assert(offsetof(pi_image_info, flags) == 60, "pi_image_info");
_Static_assert(sizeof(pi_image) == 64, "pi_image");
_Static_assert(offsetof(pi_image, byte_count) == 32, "pi_image");
_Static_assert(offsetof(pi_image, layout) == 48, "pi_image");
_Static_assert(sizeof(pi_file) == 48, "pi_file");
_Static_assert(offsetof(pi_file, byte_count) == 24, "pi_file");
_Static_assert(offsetof(pi_file, damage) == 40, "pi_file");
#endif
