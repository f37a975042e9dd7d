// The names and versions of the linked libraries.

// The headers of libpng and libjpeg require FILE and size_t.
#include <stdio.h>
#include <string.h>

#include <gif_lib.h>
#include <jpeglib.h>
#include <lcms2.h>
#include <libdeflate.h>
#include <png.h>
#include <tiffio.h>
#include <zlib.h>
#ifdef IMGC_WEBP
#include <webp/decode.h>
#endif

#include "CImageCodecs/system.h"
#include "core/codec.h"

static void copy_version(imgc_library *library, const char *version) {
  snprintf(library->version, sizeof library->version, "%s", version);
}

static void libpng(imgc_library *library) { copy_version(library, png_get_libpng_ver(NULL)); }

// libjpeg-turbo 2.1 has no function that reports its version.
static void libjpeg(imgc_library *library) {
  copy_version(library, IMGC_TEXT(LIBJPEG_TURBO_VERSION));
}

// giflib has no function that reports its version.
static void giflib(imgc_library *library) {
  copy_version(library,
               IMGC_TEXT(GIFLIB_MAJOR) "." IMGC_TEXT(GIFLIB_MINOR) "." IMGC_TEXT(GIFLIB_RELEASE));
}

// TIFFGetVersion returns "LIBTIFF, Version 4.5.0", a line feed and a copyright notice.
static void libtiff(imgc_library *library) {
  const char *text = TIFFGetVersion();
  const char *number = strpbrk(text, "0123456789");
  if (!number) return;
  snprintf(library->version, sizeof library->version, "%.*s", (int)strcspn(number, "\n "), number);
}

// lcms2 encodes its version as a number: 2140 is 2.14, 2131 is 2.13.1.
static void lcms2(imgc_library *library) {
  int version = cmsGetEncodedCMMversion();
  int major = version / 1000, minor = version / 10 % 100, patch = version % 10;
  int length = snprintf(library->version, sizeof library->version, "%d.%d", major, minor);
  if (patch && length > 0 && (size_t)length < sizeof library->version)
    snprintf(library->version + length, sizeof library->version - (size_t)length, ".%d", patch);
}

// libdeflate has no function that reports its version.
static void libdeflate(imgc_library *library) { copy_version(library, LIBDEFLATE_VERSION_STRING); }

static void zlib(imgc_library *library) { copy_version(library, zlibVersion()); }

#ifdef IMGC_WEBP
static void libwebp(imgc_library *library) {
  int version = WebPGetDecoderVersion(); // 0xMMmmrr
  snprintf(library->version, sizeof library->version, "%d.%d.%d", version >> 16 & 255,
           version >> 8 & 255, version & 255);
}
#endif

static const struct {
  const char *name;
  bool is_loaded;
  void (*fill)(imgc_library *);
} libraries[] = {
    {"libpng", true, libpng},   {"libjpeg-turbo", false, libjpeg},
    {"giflib", false, giflib},  {"libtiff", true, libtiff},
    {"lcms2", true, lcms2},     {"libdeflate", false, libdeflate},
    {"zlib", true, zlib},
#ifdef IMGC_WEBP
    {"libwebp", true, libwebp},
#endif
};

bool imgc_library_at(size_t index, imgc_library *library) {
  if (index >= sizeof libraries / sizeof *libraries) return false;
  *library = (imgc_library){.name = libraries[index].name, .is_loaded = libraries[index].is_loaded};
  libraries[index].fill(library);
  return true;
}
