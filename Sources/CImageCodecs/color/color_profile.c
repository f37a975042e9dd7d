// Opening of embedded profiles with lcms2, in a separate context.

#include "color/color_profile.h"
#include "core/bytes.h"
#include "core/metadata_format.h"

#include <lcms2_plugin.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- memory

// Maximum size of one allocation, because lcms2 allocates memory by the sizes in a profile before
// it reads the data, up to its internal limit of 512 MiB. A valid profile of 4 MiB needs less: it
// contains at most 2 M table entries of 16 bits, which are 8 MiB as floats.
enum { MAX_BLOCK = 32 << 20 };

static void *allocate(cmsContext context, cmsUInt32Number size) {
  (void)context;
  return size && size <= MAX_BLOCK ? malloc(size) : NULL;
}

static void release(cmsContext context, void *block) {
  (void)context;
  free(block);
}

static void *reallocate(cmsContext context, void *block, cmsUInt32Number size) {
  (void)context;
  return size && size <= MAX_BLOCK ? realloc(block, size) : NULL;
}

cmsContext imgc_color_context(void) {
  cmsPluginMemHandler memory = {
      .base = {.Magic = cmsPluginMagicNumber,
               .ExpectedVersion = 2000,
               .Type = cmsPluginMemHandlerSig},
      .MallocPtr = allocate,
      .FreePtr = release,
      .ReallocPtr = reallocate,
  };
  return cmsCreateContext(&memory, NULL);
}

// ---------------------------------------------------------------- profiles

// A gray image may have an RGB profile, because its decoded pixels are RGB with equal components.
static bool matches_model(cmsColorSpaceSignature space, imgc_color_model model) {
  switch (model) {
  case IMGC_COLOR_GRAY: return space == cmsSigGrayData || space == cmsSigRgbData;
  case IMGC_COLOR_RGB:
  case IMGC_COLOR_INDEXED:
  case IMGC_COLOR_YCBCR: return space == cmsSigRgbData;
  case IMGC_COLOR_CMYK: return space == cmsSigCmykData;
  default: return false;
  }
}

// Returns false for device links and abstract profiles, which do not describe the colours of
// pixels.
static bool describes_pixels(cmsProfileClassSignature kind) {
  return kind == cmsSigInputClass || kind == cmsSigDisplayClass || kind == cmsSigOutputClass ||
         kind == cmsSigColorSpaceClass;
}

// Renames the tags DToB0 to DToB3 in a copy of the profile. lcms2 prefers these tags, and in a
// malicious profile their unlimited number of elements and curve segments can take minutes. ICC.1
// requires a matrix or AToB0 in addition to them.
static void hide_multi_process_tags(uint8_t *icc, size_t size) {
  if (size < IMGC_ICC_MIN_SIZE) return;
  uint32_t count = imgc_be32(icc + IMGC_ICC_HEADER_SIZE);
  for (size_t i = 0; i < count && i < (size - IMGC_ICC_TAG_TABLE) / IMGC_ICC_TAG_ENTRY_SIZE; i++) {
    uint8_t *tag = icc + IMGC_ICC_TAG_TABLE + i * IMGC_ICC_TAG_ENTRY_SIZE;
    if (memcmp(tag, "D2B", 3) == 0) tag[0] = 'd';
  }
}

cmsHPROFILE imgc_profile_from_icc(cmsContext context, const uint8_t *icc, size_t size,
                                  imgc_color_model model) {
  if (size < IMGC_ICC_HEADER_SIZE || size > IMGC_MAX_PROFILE) return NULL;
  uint8_t *copy = malloc(size);
  if (!copy) return NULL;
  memcpy(copy, icc, size);
  hide_multi_process_tags(copy, size);
  cmsHPROFILE profile = cmsOpenProfileFromMemTHR(context, copy, (cmsUInt32Number)size);
  free(copy); // lcms2 has copied the bytes
  if (profile && matches_model(cmsGetColorSpace(profile), model) &&
      describes_pixels(cmsGetDeviceClass(profile)))
    return profile;
  if (profile) cmsCloseProfile(profile);
  return NULL;
}

// ---------------------------------------------------------------- description

static size_t encode_utf8(char out[4], uint32_t c) {
  if (c < 0x80) {
    out[0] = (char)(c < ' ' || c == 0x7F ? ' ' : c);
    return 1;
  }
  // lcms2 returns UTF-16 units. The caller combines surrogate pairs; an unpaired surrogate is
  // replaced by U+FFFD.
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
  size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = n - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
  out[0] = (char)((0xF00 >> n & 0xFF) | c);
  return n;
}

void imgc_icc_description(const uint8_t *icc, size_t icc_size, char *text, size_t text_size) {
  if (text_size == 0) return;
  text[0] = 0;
  if (!icc || icc_size < IMGC_ICC_HEADER_SIZE || icc_size > IMGC_MAX_PROFILE) return;
  cmsContext context = imgc_color_context();
  if (!context) return;
  cmsHPROFILE profile = cmsOpenProfileFromMemTHR(context, icc, (cmsUInt32Number)icc_size);
  wchar_t wide[256] = {0};
  if (profile) {
    cmsGetProfileInfo(profile, cmsInfoDescription, "en", "US", wide, sizeof wide);
    cmsCloseProfile(profile);
  }
  cmsDeleteContext(context);

  size_t used = 0;
  for (size_t i = 0; i < sizeof wide / sizeof *wide && wide[i]; i++) {
    uint32_t c = (uint32_t)wide[i];
    uint32_t next = i + 1 < sizeof wide / sizeof *wide ? (uint32_t)wide[i + 1] : 0;
    if (c >= 0xD800 && c < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
      c = 0x10000 + ((c - 0xD800) << 10) + (next - 0xDC00);
      i++;
    }
    char bytes[4];
    size_t n = encode_utf8(bytes, c);
    if (n >= text_size - used) break;
    for (size_t j = 0; j < n; j++) text[used++] = bytes[j];
    text[used] = 0;
  }
}
