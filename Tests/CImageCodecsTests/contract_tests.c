// Tests of the parts of the public headers that decode no pixels: enum values, names, sizes,
// probing, invalid arguments.

#include "tests.h"

// Enum values are part of the interface.
static void check_numbers(void) {
  static const struct {
    const char *name;
    int is, was;
  } numbers[] = {
      {"UNKNOWN", IMGC_FORMAT_UNKNOWN, 0},
      {"PNG", IMGC_FORMAT_PNG, 1},
      {"JPEG", IMGC_FORMAT_JPEG, 2},
      {"GIF", IMGC_FORMAT_GIF, 3},
      {"TIFF", IMGC_FORMAT_TIFF, 4},
      {"BMP", IMGC_FORMAT_BMP, 5},
      {"WEBP", IMGC_FORMAT_WEBP, 100},
      {"CGBI", IMGC_FORMAT_CGBI, 106},
      {"OK", IMGC_OK, 0},
      {"UNKNOWN_FORMAT", IMGC_ERROR_UNKNOWN_FORMAT, 1},
      {"MALFORMED", IMGC_ERROR_MALFORMED, 2},
      {"TRUNCATED", IMGC_ERROR_TRUNCATED, 3},
      {"UNSUPPORTED", IMGC_ERROR_UNSUPPORTED, 4},
      {"LIMIT", IMGC_ERROR_LIMIT, 5},
      {"OUT_OF_MEMORY", IMGC_ERROR_OUT_OF_MEMORY, 6},
      {"CANCELLED", IMGC_ERROR_CANCELLED, 7},
      {"INVALID_ARGUMENT", IMGC_ERROR_INVALID_ARGUMENT, 8},
      {"INTERNAL", IMGC_ERROR_INTERNAL, 9},
      {"END_OF_FRAMES", IMGC_END_OF_FRAMES, 10},
      {"CODE", IMGC_WARN_CODE, 13},
      {"PROFILE_IGNORED", IMGC_WARN_PROFILE_IGNORED, 64},
      {"METADATA_IGNORED", IMGC_WARN_METADATA_IGNORED, 71},
      {"STRICT_ON_WARNING", IMGC_STRICT_ON_WARNING, 3},
      {"AT_ONCE", IMGC_INFLATE_IN_ONE_CALL, 256},
      {"LANCZOS3", IMGC_FILTER_LANCZOS3, 4},
      {"MAX_OUTPUTS", IMGC_MAX_OUTPUTS, 16},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    expect(numbers[i].is == numbers[i].was, "%s is %d", numbers[i].name, numbers[i].is);
}

// Swift imports these structures; a change of size is a change of the interface.
static void check_sizes(void) {
#ifdef __LP64__
  static const struct {
    const char *name;
    size_t is, was;
  } sizes[] = {
      {"imgc_limits", sizeof(imgc_limits), 88},
      {"imgc_work", sizeof(imgc_work), 16},
      {"imgc_request", sizeof(imgc_request), 184},
      {"imgc_target", sizeof(imgc_target), 40},
      {"imgc_header", sizeof(imgc_header), 136},
      {"imgc_report", sizeof(imgc_report), 268},
      {"imgc_frame", sizeof(imgc_frame), 56},
      {"imgc_library", sizeof(imgc_library), 40},
      {"imgc_resample_request", sizeof(imgc_resample_request), 56},
      {"imgc_image", sizeof(imgc_image), 32},
      {"imgc_output", sizeof(imgc_output), 32},
      {"imgc_field", sizeof(imgc_field), 8},
  };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    expect(sizes[i].is == sizes[i].was, "%s has %zu bytes, not %zu", sizes[i].name, sizes[i].is,
           sizes[i].was);
#endif
}

static void check_names(void) {
  static const struct {
    uint16_t warning;
    const char *name;
  } names[] = {
      {IMGC_WARN_CRC, "crc"},
      {IMGC_WARN_STRIP, "strip"},
      {IMGC_WARN_CODE, "code"},
      {IMGC_WARN_PROFILE_IGNORED, "profileIgnored"},
      {IMGC_WARN_METADATA_IGNORED, "metadataIgnored"},
      {IMGC_WARN_NONE, "unknown"},
      {63, "unknown"},
      {UINT16_MAX, "unknown"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    expect(strcmp(imgc_warning_name(names[i].warning), names[i].name) == 0, "warning %d is %s",
           names[i].warning, imgc_warning_name(names[i].warning));
  for (uint16_t i = 1; i <= IMGC_WARN_CODE; i++)
    expect(strcmp(imgc_warning_name(i), "unknown") != 0, "warning %d has no name", i);
  static const char *const versions[] = {"", "libpng ", "libjpeg-turbo ", "giflib ", "libtiff "};
  for (int i = 0; i <= 5; i++) {
    const char *version = imgc_codec_version((imgc_format)i), *start = i < 5 ? versions[i] : "";
    expect(strncmp(version, start, strlen(start)) == 0 && (*start != 0) == (*version != 0),
           "version of format %d: %s", i, version);
  }
  imgc_library library;
  size_t count = 0;
  while (imgc_library_at(count, &library)) {
    expect(library.name && library.version[0] >= '0' && library.version[0] <= '9',
           "library %zu has no version", count);
    count++;
  }
#ifdef IMGC_WEBP
  expect(count == 8, "%zu libraries", count);
#else
  expect(count == 7, "%zu libraries", count);
#endif
  expect(!imgc_library_at(SIZE_MAX, &library), "index after the last library");
}

void test_constants(void) {
  check_numbers();
  check_sizes();
  check_names();
}

// ---------------------------------------------------------------- probing

#define PROBE(format, text)                                                                        \
  { format, text, sizeof(text) - 1 }

void test_probing(void) {
  static const struct {
    imgc_format format;
    const char *bytes;
    size_t size;
  } files[] = {
      PROBE(IMGC_FORMAT_PNG, "\x89PNG\r\n\x1a\n"),
      PROBE(IMGC_FORMAT_CGBI, "\x89PNG\r\n\x1a\n\0\0\0\4CgBI"),
      PROBE(IMGC_FORMAT_JPEG, "\xFF\xD8\xFF"),
      PROBE(IMGC_FORMAT_GIF, "GIF87a"),
      PROBE(IMGC_FORMAT_GIF, "GIF89a"),
      PROBE(IMGC_FORMAT_TIFF, "II*\0"),
      PROBE(IMGC_FORMAT_TIFF, "MM\0*"),
      PROBE(IMGC_FORMAT_TIFF, "II+\0"),
      PROBE(IMGC_FORMAT_TIFF, "MM\0+"),
      PROBE(IMGC_FORMAT_BMP, "BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"),
      PROBE(IMGC_FORMAT_WEBP, "RIFF\0\0\0\0WEBP"),
      PROBE(IMGC_FORMAT_AVIF, "\0\0\0\x14"
                              "ftypavif\0\0\0\0mif1"),
      PROBE(IMGC_FORMAT_HEIC, "\0\0\0\x14"
                              "ftypheic\0\0\0\0mif1"),
      PROBE(IMGC_FORMAT_JPEGXL, "\xFF\x0A"),
      PROBE(IMGC_FORMAT_JPEG2000, "\xFF\x4F\xFF\x51"),
      PROBE(IMGC_FORMAT_SVG, "<svg"),
      PROBE(IMGC_FORMAT_SVG, "\xEF\xBB\xBF <?xml version='1.0'?><svg"),
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    expect(imgc_probe((const uint8_t *)files[i].bytes, files[i].size) == files[i].format,
           "probe %zu: the format is not %d", i, files[i].format);
    // Probes every shorter prefix of the file, in memory of exactly the size of the prefix. The
    // format is unknown, except that a prefix may identify AVIF or HEIC, and a prefix of a CgBI
    // file may identify PNG.
    for (size_t size = 0; size < files[i].size; size++) {
      uint8_t *start = malloc(size ? size : 1);
      if (!start) exit(2);
      memcpy(start, files[i].bytes, size);
      imgc_format format = imgc_probe(start, size);
      bool is_png = files[i].format == IMGC_FORMAT_CGBI && format == IMGC_FORMAT_PNG;
      bool is_brand =
          format == files[i].format && (format == IMGC_FORMAT_AVIF || format == IMGC_FORMAT_HEIC);
      expect(format == IMGC_FORMAT_UNKNOWN || is_png || is_brand,
             "first %zu bytes of probe %zu: format %d", size, i, format);
      free(start);
    }
  }
  expect(imgc_probe(NULL, 0) == IMGC_FORMAT_UNKNOWN, "no bytes");
  expect(imgc_probe(NULL, 100) == IMGC_FORMAT_UNKNOWN, "NULL");
  expect(imgc_probe((const uint8_t *)"BM then some text that is no image", 34) ==
             IMGC_FORMAT_UNKNOWN,
         "two letters are not enough for BMP");
}

// ---------------------------------------------------------------- arguments

static void check_null(void) {
  imgc_cancel_destroy(NULL);
  imgc_transform_destroy(NULL);
  imgc_resampler_destroy(NULL);
  imgc_png_encoder_destroy(NULL);
  imgc_output output = {0};
  imgc_output_free(&output);
  expect(imgc_cancel_poll(NULL) == IMGC_OK, "a NULL flag does not cancel");
  char text[2] = "x";
  imgc_icc_description(NULL, 0, text, sizeof text);
  expect(text[0] == 0, "the description of no profile is empty");
}

void test_arguments(void) {
  check_null();
  imgc_header header;
  imgc_report report;
  uint8_t pixels[64] = {0}, icc[16];
  imgc_target target = {pixels, sizeof pixels, 16, 4, 4, 1};
  static const imgc_format without_codec[] = {IMGC_FORMAT_UNKNOWN, IMGC_FORMAT_BMP,
                                              IMGC_FORMAT_AVIF, (imgc_format)7777};
  for (size_t i = 0; i < sizeof without_codec / sizeof *without_codec; i++) {
    imgc_request request = request_for(without_codec[i], "GIF89a", 6);
    imgc_frame frame = {0};
    expect(imgc_read_header(&request, &header, &report) == IMGC_ERROR_UNKNOWN_FORMAT &&
               report.status == IMGC_ERROR_UNKNOWN_FORMAT && report.message[0],
           "header of format %d", without_codec[i]);
    expect(imgc_decode(&request, &target, &report) == IMGC_ERROR_UNKNOWN_FORMAT, "decode");
    expect(imgc_read_icc(&request, icc, 1, &report) == IMGC_ERROR_UNKNOWN_FORMAT, "profile");
    expect(imgc_next_frame(&request, &frame, &report) == IMGC_ERROR_UNKNOWN_FORMAT, "frame");
    expect(imgc_draw_frame(&request, &frame, &target, &report) == IMGC_ERROR_UNKNOWN_FORMAT,
           "draw");
  }
  for (imgc_format format = IMGC_FORMAT_PNG; format <= IMGC_FORMAT_TIFF; format++) {
    imgc_request request = request_for(format, NULL, 0);
    imgc_status status = imgc_read_header(&request, &header, &report);
    expect(status == IMGC_ERROR_TRUNCATED || status == IMGC_ERROR_MALFORMED,
           "header of 0 bytes, format %d: status %d", format, status);
    request.size = 10;
    expect(imgc_read_header(&request, &header, &report) == IMGC_ERROR_INVALID_ARGUMENT,
           "data NULL with size 10");
  }
  // Invalid targets: no pixels, width or height 0 or not that of the image, stride or size too
  // small, stride too large, invalid orientation.
  bytes file = fixture("gif/interlaced-4x4.gif");
  imgc_request request = request_for(IMGC_FORMAT_GIF, file.data, file.size);
  const imgc_target wrong[] = {
      {NULL, sizeof pixels, 16, 4, 4, 1},
      {pixels, sizeof pixels, 16, 0, 4, 1},
      {pixels, sizeof pixels, 16, 4, 0, 1},
      {pixels, sizeof pixels, 15, 4, 4, 1},
      {pixels, 63, 16, 4, 4, 1},
      {pixels, sizeof pixels, 16, 4, 4, 9},
      {pixels, sizeof pixels, 16, 4, 3, 1},
      {pixels, sizeof pixels, 12, 3, 4, 1},
      {pixels, sizeof pixels, SIZE_MAX, 4, 4, 1},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    expect(imgc_decode(&request, &wrong[i], &report) == IMGC_ERROR_INVALID_ARGUMENT,
           "invalid target %zu: status %d", i, report.status);
  expect(imgc_decode(&request, &target, &report) == IMGC_OK && report.message[0] == 0 &&
             report.rows == 4,
         "valid target: status %d", report.status);
  expect(imgc_read_icc(&request, icc, sizeof icc, &report) == IMGC_ERROR_UNSUPPORTED &&
             strcmp(report.token, "icc") == 0,
         "ICC profile of a GIF");

  imgc_resample_request resample = {.source_width = 4,
                                    .source_height = 4,
                                    .crop_width = 4,
                                    .crop_height = 4,
                                    .width = 2,
                                    .height = 2,
                                    .filter = IMGC_FILTER_BOX};
  imgc_target small = {pixels, 16, 8, 2, 2, 1};
  expect(imgc_decode_resampled(&request, &resample, &small, &report) == IMGC_OK, "resampled");
  expect(imgc_decode_resampled_all(&request, &resample, &small, 0, &report) ==
             IMGC_ERROR_INVALID_ARGUMENT,
         "resampled decode to 0 outputs");
  expect(imgc_decode_resampled(&request, &resample, &target, &report) ==
             IMGC_ERROR_INVALID_ARGUMENT,
         "resampled decode to a target of another size");
  imgc_resample_request invalid = resample;
  invalid.crop_width = 5;
  imgc_resampler *resampler;
  expect(imgc_resampler_bytes(&invalid) == 0 &&
             imgc_resampler_create(&invalid, &resampler) == IMGC_ERROR_INVALID_ARGUMENT,
         "resampler for a crop outside the source");
  expect(imgc_decode_resampled(&request, &invalid, &small, &report) == IMGC_ERROR_INVALID_ARGUMENT,
         "decode with a crop outside the source");
  header = (imgc_header){.width = 4, .height = 4, .band_rows = 4};
  expect(imgc_resampled_bytes(&header, &invalid) == UINT64_MAX,
         "imgc_resampled_bytes of a crop outside the source");
  free(file.data);
}
