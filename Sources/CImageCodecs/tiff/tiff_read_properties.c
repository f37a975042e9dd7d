// Reads the tags of a TIFF page with libtiff and selects how its samples are read.

#include "tiff/tiff_read_properties.h"
#include "core/limits.h"
#include "core/report.h"
#include "jpeg/jpeg_marker_codes.h"

#include "tiff/page/tiff_tags.h"
#include "tiff/page/tiff_work.h"
#include "tiff/strips/tiff_blobs.h"
#include "tiff/strips/tiff_lzw.h"

#include <string.h>

static uint16_t short_tag(TIFF *tif, uint32_t tag, uint16_t default_value) {
  uint16_t value = default_value;
  return TIFFGetFieldDefaulted(tif, tag, &value) ? value : default_value;
}

static imgc_status unsupported(imgc_report *report, const char *token) {
  static const struct {
    const char *token, *feature;
  } features[] = {
      {"lerc", "LERC compression"},
      {"jbig", "JBIG compression"},
      {"jpeg2000", "JPEG 2000 compression"},
      {"jxl", "JPEG XL compression"},
      {"png", "PNG compression"},
      {"jpegxr", "JPEG XR compression"},
      {"lossless", "the lossless process of JPEG"},
      {"hierarchical", "the hierarchical process of JPEG"},
      {"jpegls", "JPEG-LS compression"},
      {"12bit", "JPEG compression with 12 bits per sample"},
      {"depth", "this combination of BitsPerSample, SampleFormat, Compression and colour space"},
      {"complex", "the sample format \"complex number\""},
      {"inkset", "an ink set other than CMYK"},
      {"subsampling",
       "chroma subsampling in separate planes or with a number of samples other than 3"},
      {"logluv", "LogL or LogLuv without SGILog compression"},
      {"itulab", "the colour space ITU L*a*b*"},
      {"cfa", "a colour filter array (CFA)"},
      {"linearraw", "the colour space LinearRaw"},
  };
  const char *feature = token;
  for (size_t i = 0; i < sizeof features / sizeof *features; i++)
    if (strcmp(features[i].token, token) == 0) feature = features[i].feature;
  return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, token, "tiff: %s is not supported", feature);
}

// Identifies coding processes that libjpeg does not support, by the frame header of the first strip
// or tile with data, to report them with the same tokens as in a JPEG file. Old-style JPEG also has
// the process in a tag.
static imgc_status check_jpeg_process(const tiff_file *file, const tiff_properties *f,
                                      imgc_report *report) {
  if (f->compression == COMPRESSION_OJPEG) {
    uint16_t process = short_tag(file->tif, TIFFTAG_JPEGPROC, JPEGPROC_BASELINE);
    if (process == JPEGPROC_LOSSLESS) return unsupported(report, "lossless");
  }
  uint32_t count =
      TIFFIsTiled(file->tif) ? TIFFNumberOfTiles(file->tif) : TIFFNumberOfStrips(file->tif);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t offset = TIFFGetStrileOffset(file->tif, i), size = file->input.size;
    uint64_t bytes = TIFFGetStrileByteCount(file->tif, i);
    if (offset == 0 || offset >= size || bytes == 0) continue;
    if (bytes > size - offset) bytes = size - offset;
    switch (tiff_jpeg_frame(file->input.data + offset, bytes)) {
    case JPEG_MARKER_SOF3:
    case JPEG_MARKER_SOF11: return unsupported(report, "lossless");
    case JPEG_MARKER_SOF5:
    case JPEG_MARKER_SOF6:
    case JPEG_MARKER_SOF7:
    case JPEG_MARKER_SOF13:
    case JPEG_MARKER_SOF14:
    case JPEG_MARKER_SOF15: return unsupported(report, "hierarchical");
    case JPEG_MARKER_SOF55: return unsupported(report, "jpegls");
    default: return IMGC_OK;
    }
  }
  return IMGC_OK;
}

static imgc_status check_compression(const imgc_request *request, const tiff_file *file,
                                     const tiff_properties *f, imgc_report *report) {
  bool rare = f->compression == COMPRESSION_LERC || f->compression == COMPRESSION_JBIG;
  if (rare && (request->flags & IMGC_NO_RARE_TIFF_CODECS || !TIFFIsCODECConfigured(f->compression)))
    return unsupported(report, f->compression == COMPRESSION_LERC ? "lerc" : "jbig");
  switch (f->compression) {
  case COMPRESSION_NONE: return IMGC_OK;
  case COMPRESSION_JP2000: return unsupported(report, "jpeg2000");
  case TIFF_COMPRESSION_JXL: return unsupported(report, "jxl");
  case TIFF_COMPRESSION_PNG: return unsupported(report, "png");
  case TIFF_COMPRESSION_JPEGXR: return unsupported(report, "jpegxr");
  default: break;
  }
  if (!TIFFIsCODECConfigured(f->compression))
    return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, "compression",
                     "tiff: compression %u is not supported", f->compression);
  if ((f->compression == COMPRESSION_JPEG || f->compression == COMPRESSION_OJPEG) &&
      check_jpeg_process(file, f, report))
    return report->status;
  if (f->compression == COMPRESSION_JPEG && f->stored_bits != 8)
    return unsupported(report, f->stored_bits == 12 ? "12bit" : "depth");
  if (tiff_is_fax(f->compression) && (f->stored_bits != 1 || f->samples != 1) && !f->separate)
    return unsupported(report, "depth");
  return IMGC_OK;
}

// Rejects sample formats and depths that the sample converter does not support.
static imgc_status check_samples(tiff_properties *f, imgc_report *report) {
  if (f->format == SAMPLEFORMAT_COMPLEXINT || f->format == SAMPLEFORMAT_COMPLEXIEEEFP)
    return unsupported(report, "complex");
  if (f->format != SAMPLEFORMAT_INT && f->format != SAMPLEFORMAT_IEEEFP)
    f->format =
        SAMPLEFORMAT_UINT; // includes SAMPLEFORMAT_VOID, which does not specify the type of samples
  bool float_fits = f->bits == 16 || f->bits == 24 || f->bits == 32 || f->bits == 64;
  if (f->bits == 0 || (f->bits > 32 && f->bits != 64) ||
      (f->format == SAMPLEFORMAT_IEEEFP && !float_fits))
    return unsupported(report, "depth");
  return IMGC_OK;
}

// Reads PhotometricInterpretation. If the tag is missing, its value is derived in the same way as
// in libtiff's RGBA interface; returns false when that is impossible.
static bool derive_photometric(TIFF *tif, tiff_properties *f) {
  if (TIFFGetField(tif, TIFFTAG_PHOTOMETRIC, &f->photometric)) return true;
  uint16_t *types, extra = 0;
  TIFFGetFieldDefaulted(tif, TIFFTAG_EXTRASAMPLES, &extra, &types);
  int colors = f->samples - extra;
  if (colors == 3)
    f->photometric = PHOTOMETRIC_RGB;
  else if (colors == 1 && tiff_is_fax(f->compression))
    f->photometric = PHOTOMETRIC_MINISWHITE;
  else if (colors == 1)
    f->photometric = PHOTOMETRIC_MINISBLACK;
  else
    return false;
  return true;
}

static imgc_status read_color(TIFF *tif, tiff_properties *f, imgc_report *report) {
  f->colors = 1;
  f->sub_x = f->sub_y = 1;
  switch (f->photometric) {
  case PHOTOMETRIC_MINISWHITE: f->inverted = true; break;
  case PHOTOMETRIC_MINISBLACK:
  case PHOTOMETRIC_MASK: break;
  case PHOTOMETRIC_RGB: f->kind = TIFF_KIND_RGB, f->model = IMGC_COLOR_RGB, f->colors = 3; break;
  case PHOTOMETRIC_PALETTE:
    f->kind = TIFF_KIND_PALETTE, f->model = IMGC_COLOR_INDEXED;
    if (f->bits > 16 || f->format == SAMPLEFORMAT_IEEEFP) return unsupported(report, "depth");
    break;
  case PHOTOMETRIC_SEPARATED:
    f->kind = TIFF_KIND_CMYK, f->model = IMGC_COLOR_CMYK, f->colors = 4;
    if (short_tag(tif, TIFFTAG_INKSET, INKSET_CMYK) != INKSET_CMYK || f->samples < 4)
      return unsupported(report, "inkset");
    break;
  case PHOTOMETRIC_YCBCR:
    f->model = IMGC_COLOR_YCBCR, f->colors = 3;
    if (f->bits != 8 || f->format == SAMPLEFORMAT_IEEEFP) return unsupported(report, "depth");
    if (f->compression == COMPRESSION_JPEG && !f->separate) {
      f->kind = TIFF_KIND_RGB;
      TIFFSetField(tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      break;
    }
    f->kind = TIFF_KIND_YCBCR;
    TIFFGetFieldDefaulted(tif, TIFFTAG_YCBCRSUBSAMPLING, &f->sub_x, &f->sub_y);
    bool plain = f->sub_x == 1 && f->sub_y == 1;
    if ((f->sub_x != 1 && f->sub_x != 2 && f->sub_x != 4) ||
        (f->sub_y != 1 && f->sub_y != 2 && f->sub_y != 4))
      return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL,
                       "tiff: invalid chroma subsampling %u x %u", f->sub_x, f->sub_y);
    if (!plain && (f->separate || f->samples != 3)) return unsupported(report, "subsampling");
    break;
  case PHOTOMETRIC_CIELAB:
  case PHOTOMETRIC_ICCLAB:
    f->kind = TIFF_KIND_LAB, f->model = IMGC_COLOR_LAB, f->colors = 3;
    if ((f->bits != 8 && f->bits != 16) || f->format == SAMPLEFORMAT_IEEEFP)
      return unsupported(report, "depth");
    if (f->samples < 3) f->colors = 1, f->kind = TIFF_KIND_GRAY; // L* without a* and b*
    break;
  case PHOTOMETRIC_LOGL:
  case PHOTOMETRIC_LOGLUV:
    f->model = IMGC_COLOR_LOGLUV;
    if (f->compression != COMPRESSION_SGILOG && f->compression != COMPRESSION_SGILOG24)
      return unsupported(report, "logluv");
    if (f->photometric == PHOTOMETRIC_LOGLUV) f->kind = TIFF_KIND_RGB, f->colors = 3;
    // libtiff converts the logarithms to 8-bit gray or RGB during decoding.
    TIFFSetField(tif, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_8BIT);
    f->bits = 8, f->format = SAMPLEFORMAT_UINT;
    break;
  case PHOTOMETRIC_ITULAB: return unsupported(report, "itulab");
  case PHOTOMETRIC_CFA: return unsupported(report, "cfa");
  case TIFF_PHOTOMETRIC_LINEAR_RAW: return unsupported(report, "linearraw");
  default:
    return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, "photometric",
                     "tiff: photometric interpretation %u is not supported", f->photometric);
  }
  if (f->samples < f->colors)
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL,
                     "tiff: %u samples per pixel are too few for %u colour channels", f->samples,
                     f->colors);
  return IMGC_OK;
}

static void read_alpha(const tiff_file *file, tiff_properties *f) {
  TIFF *tif = file->tif;
  uint16_t *types = NULL, extra = 0;
  f->alpha = -1;
  // If ExtraSamples is missing in an RGBA file, libtiff reports an unspecified fourth sample, but
  // writers of such files store alpha.
  if (f->photometric == PHOTOMETRIC_RGB && f->samples == 4 && !file->page.has_extra_samples_tag) {
    f->alpha = 3;
    return;
  }
  TIFFGetFieldDefaulted(tif, TIFFTAG_EXTRASAMPLES, &extra, &types);
  if (!types || extra > f->samples - f->colors) return;
  for (int i = 0; i < extra; i++) {
    if (types[i] == EXTRASAMPLE_UNSPECIFIED) continue;
    f->alpha = f->samples - extra + i;
    f->associated = types[i] == EXTRASAMPLE_ASSOCALPHA;
    return;
  }
}

static imgc_status read_tiles(const imgc_request *request, TIFF *tif, tiff_properties *f,
                              imgc_report *report) {
  const imgc_limits *limits = &request->limits;
  f->tiled = TIFFIsTiled(tif);
  f->tile_width = f->width;
  if (f->tiled) {
    TIFFGetField(tif, TIFFTAG_TILEWIDTH, &f->tile_width);
    TIFFGetField(tif, TIFFTAG_TILELENGTH, &f->tile_height);
    imgc_check(f->tile_width, limits->max_tile_side, "max_tile_side", report);
    imgc_check(f->tile_height, limits->max_tile_side, "max_tile_side", report);
    if (report->status) return report->status;
  } else {
    TIFFGetFieldDefaulted(tif, TIFFTAG_ROWSPERSTRIP, &f->tile_height);
    if (f->tile_height > f->height) f->tile_height = f->height;
  }
  if (f->tile_width == 0 || f->tile_height == 0)
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL,
                     "tiff: invalid strip or tile size of %u x %u pixels", f->tile_width,
                     f->tile_height);
  f->tile_columns = (f->width - 1) / f->tile_width + 1;
  f->tile_rows = (f->height - 1) / f->tile_height + 1;

  // The products fit into 64 bits: sides are below 2^32, samples below 2^16.
  uint64_t blocks = ((uint64_t)f->tile_width + f->sub_x - 1) / f->sub_x;
  uint64_t samples = f->separate ? 1 : f->samples;
  if (f->sub_x * f->sub_y > 1)
    f->unit_bytes = blocks * (f->sub_x * f->sub_y + 2u);
  else
    f->unit_bytes = (imgc_mul((uint64_t)f->tile_width * samples, f->bits) + 7) / 8;
  f->tile_bytes = imgc_mul(f->unit_bytes, (f->tile_height + f->sub_y - 1u) / f->sub_y);
  uint64_t libtiff_bytes =
      f->tiled ? TIFFVTileSize64(tif, f->sub_y) : TIFFVStripSize64(tif, f->sub_y);
  if (libtiff_bytes != f->unit_bytes)
    return imgc_fail(
        report, IMGC_ERROR_UNSUPPORTED, "layout",
        "tiff: the expected row size of a strip or tile is %llu bytes, but libtiff computes %llu",
        (unsigned long long)f->unit_bytes, (unsigned long long)libtiff_bytes);
  uint64_t tiles = imgc_mul(imgc_mul(f->tile_columns, f->tile_rows), f->separate ? f->samples : 1);
  uint64_t libtiff_count = f->tiled ? TIFFNumberOfTiles(tif) : TIFFNumberOfStrips(tif);
  if (tiles != libtiff_count)
    return imgc_fail(
        report, IMGC_ERROR_MALFORMED, NULL,
        "tiff: the expected number of strips or tiles is %llu, but libtiff computes %llu",
        (unsigned long long)tiles, (unsigned long long)libtiff_count);
  return IMGC_OK;
}

// Selects the decoder of tiff_lzw.h if its output needs at most prefix sums of 8-bit or 16-bit
// samples: no byte swapping, no bit reversal and no floating-point predictor.
static void select_lzw(const imgc_request *request, TIFF *tif, tiff_properties *f) {
  uint16_t predictor =
      f->compression == COMPRESSION_LZW ? short_tag(tif, TIFFTAG_PREDICTOR, PREDICTOR_NONE) : 0;
  f->has_predictor = predictor == PREDICTOR_HORIZONTAL && (f->bits == 8 || f->bits == 16);
  f->native_lzw = (f->has_predictor || predictor == PREDICTOR_NONE) && !f->swapped &&
                  !f->reversed && !(request->flags & IMGC_LIBRARIES_ONLY);
}

// Returns an upper bound of the decoder's memory without the pixels.
static uint64_t work_bytes(const tiff_properties *f, uint64_t file_size) {
  uint64_t row = imgc_add(f->unit_bytes, imgc_mul(f->tile_width, f->samples * 4u + 40u));
  uint64_t row_batch = (uint64_t)f->width * 4 * 32;
  uint64_t lists =
      imgc_mul(imgc_mul(f->tile_columns, f->tile_rows), f->separate ? 16u * f->samples : 16u);
  uint64_t total = imgc_add(imgc_add(row, row_batch), imgc_add(lists, TIFF_BASE_BYTES));
  if (f->direct) return total;
  if (f->native_lzw) total = imgc_add(total, tiff_lzw_bytes() + TIFF_LZW_SLACK);
  total = imgc_add(total, imgc_mul(f->tile_bytes, f->planes));
  if (f->reversed || f->compression == COMPRESSION_JBIG)
    total = imgc_add(total, file_size); // a copy of the compressed bytes
  switch (f->compression) {
  case COMPRESSION_JPEG: {
    // Memory for the coefficients of a progressive stream, for which libtiff allocates at most
    // 100 MB.
    uint64_t coefficients = imgc_mul(f->tile_bytes, 2);
    return imgc_add(total, coefficients < 100000000 ? coefficients : 100000000);
  }
  case COMPRESSION_ZSTD:
  case COMPRESSION_LZMA:
  case COMPRESSION_PIXARLOG:
  case COMPRESSION_SGILOG:
  case COMPRESSION_SGILOG24: return imgc_add(total, imgc_mul(f->tile_bytes, 2));
  case COMPRESSION_WEBP:
  case COMPRESSION_LERC:
  case COMPRESSION_JBIG:
  case COMPRESSION_OJPEG: return imgc_add(total, imgc_mul(f->tile_bytes, 4));
  default: return total;
  }
}

imgc_status tiff_read_properties(const imgc_request *request, tiff_file *file,
                                 tiff_properties *properties, imgc_report *report) {
  TIFF *tif = file->tif;
  tiff_properties f = {.colors = 1};
  TIFFGetField(tif, TIFFTAG_IMAGEWIDTH, &f.width);
  TIFFGetField(tif, TIFFTAG_IMAGELENGTH, &f.height);
  if (imgc_check_size(request, f.width, f.height, report)) return report->status;
  f.compression = short_tag(tif, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  f.samples = short_tag(tif, TIFFTAG_SAMPLESPERPIXEL, 1);
  if (imgc_check(f.samples, request->limits.max_samples_per_pixel, "max_samples_per_pixel", report))
    return report->status;
  if (f.samples == 0)
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "tiff: SamplesPerPixel is 0");
  uint16_t bits = short_tag(tif, TIFFTAG_BITSPERSAMPLE, 1);
  if (bits > 64) return unsupported(report, "depth");
  f.stored_bits = f.bits = (uint8_t)bits;
  f.format = short_tag(tif, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  f.separate = f.samples > 1 &&
               short_tag(tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
  f.orientation = short_tag(tif, TIFFTAG_ORIENTATION, 1);
  if (f.orientation < 1 || f.orientation > 8) {
    f.orientation = 1;
    imgc_warn(report, IMGC_WARN_ORIENTATION);
  }
  if (!derive_photometric(tif, &f))
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL,
                     "tiff: the photometric interpretation is missing");

  if (check_compression(request, file, &f, report)) return report->status;
  if (read_color(tif, &f, report)) return report->status;
  if (check_samples(&f, report)) return report->status;
  read_alpha(file, &f);
  f.planes = f.separate ? (uint16_t)(f.colors + (f.alpha >= 0)) : 1;
  if (read_tiles(request, tif, &f, report)) return report->status;

  f.direct = f.compression == COMPRESSION_NONE;
  f.swapped =
      TIFFIsByteSwapped(tif) && (f.bits == 16 || f.bits == 24 || f.bits == 32 || f.bits == 64);
  f.reversed = short_tag(tif, TIFFTAG_FILLORDER, FILLORDER_MSB2LSB) == FILLORDER_LSB2MSB;
  select_lzw(request, tif, &f);
  f.work_bytes = work_bytes(&f, file->input.size);
  if (tiff_check_work(request, file, &f, report)) return report->status;
  f.band_rows = f.tile_columns > 1 ? f.tile_height : TIFF_ROWS_PER_POLL;
  uint32_t held = imgc_rows_in_memory(request, f.height, f.band_rows);
  if (imgc_check_memory(request, f.width, held, f.work_bytes, report)) return report->status;
  *properties = f;
  return IMGC_OK;
}
