// Measures the WebP encoder: CPU time, bytes and structural similarity (SSIM) of the efforts
// `default`, `fast` and `small` beside the calls of cwebp. Scripts/bench/webp-encode compiles and
// runs this program.
//
//   webp_encode FOLDER ROUNDS IMAGE...
//
// Writes the decoded pixels of each image (NAME.pam), and the file of the effort `default`
// (NAME.webp), into FOLDER, so that the script can compare the file with that of cwebp. Prints one
// line per image and the medians of all images; exit status 1 when a target is missed.

#include "CImageCodecs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <webp/decode.h>
#include <webp/encode.h>

enum { MAX_ROUNDS = 99, MAX_IMAGES = 99, QUALITY = 80 };
typedef enum encoder { CWEBP, DEFAULT, FAST, SMALL, ENCODERS } encoder;
static const uint8_t methods[ENCODERS] = {4, 4, 2, 6};

typedef struct encoded {
  uint8_t *data;
  size_t size;
} encoded;

static void stop(const char *what, const char *name) {
  fprintf(stderr, "webp_encode: %s: %s\n", name, what);
  exit(2);
}

static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, by_value);
  return values[count / 2];
}

// ---------------------------------------------------------------- images

static imgc_image read_image(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) stop("cannot be opened", path);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  uint8_t *data = malloc(size);
  if (!data || fread(data, 1, size, file) != size) stop("cannot be read", path);
  fclose(file);
  imgc_request request = {.data = data, .size = size, .format = imgc_probe(data, size)};
  imgc_header header;
  imgc_report report;
  if (imgc_read_header(&request, &header, &report)) stop(report.message, path);
  size_t stride = (size_t)header.width * 4;
  imgc_target target = {malloc(stride * header.height),
                        stride * header.height,
                        stride,
                        header.width,
                        header.height,
                        1};
  if (!target.pixels) stop("out of memory", path);
  if (imgc_decode(&request, &target, &report)) stop(report.message, path);
  free(data);
  return (imgc_image){target.pixels, target.size, stride, header.width, header.height};
}

static void write_file(const char *folder, const char *name, const char *extension,
                       const char *header, const void *data, size_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%s", folder, name, extension);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(header, 1, strlen(header), file) != strlen(header) ||
      fwrite(data, 1, size, file) != size || fclose(file))
    stop("cannot be written", path);
}

// ---------------------------------------------------------------- encoding

// The calls of cwebp with the options -m 4 -q 80.
static encoded encode_as_cwebp(const imgc_image *image, int quality) {
  WebPConfig config;
  WebPPicture picture;
  WebPMemoryWriter writer;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) stop("version", "libwebp");
  config.quality = (float)quality;
  config.method = methods[CWEBP];
  picture.width = (int)image->width;
  picture.height = (int)image->height;
  WebPMemoryWriterInit(&writer);
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  if (!WebPPictureImportRGBA(&picture, image->pixels, (int)image->stride) ||
      !WebPEncode(&config, &picture))
    stop("WebPEncode", "libwebp");
  WebPPictureFree(&picture);
  return (encoded){writer.mem, writer.size};
}

static encoded encode(const imgc_image *image, encoder encoder, int quality) {
  if (encoder == CWEBP) return encode_as_cwebp(image, quality);
  imgc_webp_options options = {.quality = (uint8_t)quality,
                               .method = methods[encoder],
                               .near_lossless = 100,
                               .alpha_quality = 100};
  imgc_output output = {0};
  imgc_report report;
  if (imgc_encode_webp(image, &options, NULL, &output, &report)) stop(report.message, "encoder");
  return (encoded){output.data, output.count};
}

static void release(encoder encoder, encoded *file) {
  encoder == CWEBP ? WebPFree(file->data) : free(file->data);
  file->data = NULL;
}

// ---------------------------------------------------------------- quality

// SSIM of red, green, blue and alpha in dB: -10 * log10(1 - SSIM).
static double similarity(const imgc_image *image, const encoded *file) {
  WebPPicture source, result;
  if (!WebPPictureInit(&source) || !WebPPictureInit(&result)) stop("version", "libwebp");
  source.use_argb = result.use_argb = 1;
  source.width = result.width = (int)image->width;
  source.height = result.height = (int)image->height;
  int width, height;
  uint8_t *pixels = WebPDecodeRGBA(file->data, file->size, &width, &height);
  float decibels[5];
  if (!pixels || !WebPPictureImportRGBA(&source, image->pixels, (int)image->stride) ||
      !WebPPictureImportRGBA(&result, pixels, width * 4) ||
      !WebPPictureDistortion(&result, &source, 1, decibels))
    stop("SSIM", "libwebp");
  WebPPictureFree(&source);
  WebPPictureFree(&result);
  WebPFree(pixels);
  return decibels[4];
}

// Bytes at which the effort has the given similarity, interpolated between two qualities.
static double bytes_at(const imgc_image *image, encoder encoder, double decibels) {
  double size = 0, similar = 0;
  for (int quality = QUALITY - 6; quality <= 100; quality++) {
    encoded file = encode(image, encoder, quality);
    double next = similarity(image, &file), next_size = (double)file.size;
    release(encoder, &file);
    if (next >= decibels && size > 0)
      return size * pow(next_size / size, (decibels - similar) / (next - similar));
    similar = next;
    size = next_size;
    if (next >= decibels) break; // the search starts at too high a quality
  }
  stop("no quality has this similarity", "SSIM");
  return 0;
}

// ---------------------------------------------------------------- measurement

typedef struct result {
  double ms[ENCODERS];
  double bytes[ENCODERS];    // at quality 80
  double decibels[ENCODERS]; // at quality 80
  double equal[ENCODERS];    // bytes at the similarity of `default`, relative to `default`
  bool is_equal;             // `default` and the calls of cwebp write equal files
} result;

static result measure(const char *folder, const char *path, int rounds) {
  imgc_image image = read_image(path);
  result result = {0};
  encoded files[ENCODERS];
  double times[ENCODERS][MAX_ROUNDS];
  for (int round = -1; round < rounds; round++)
    for (int i = 0; i < ENCODERS; i++) {
      encoder encoder = round & 1 ? ENCODERS - 1 - i : i; // alternating order
      double start = cpu_ms();
      encoded file = encode(&image, encoder, QUALITY);
      if (round >= 0) times[encoder][round] = cpu_ms() - start;
      if (round < 0)
        files[encoder] = file;
      else
        release(encoder, &file);
    }
  for (int i = 0; i < ENCODERS; i++) {
    result.ms[i] = median(times[i], (size_t)rounds);
    result.bytes[i] = (double)files[i].size;
    result.decibels[i] = similarity(&image, &files[i]);
  }
  for (int i = FAST; i < ENCODERS; i++)
    result.equal[i] = bytes_at(&image, i, result.decibels[DEFAULT]) / result.bytes[DEFAULT];
  result.is_equal = files[CWEBP].size == files[DEFAULT].size &&
                    memcmp(files[CWEBP].data, files[DEFAULT].data, files[DEFAULT].size) == 0;
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  char header[128];
  snprintf(header, sizeof header,
           "P7\nWIDTH %u\nHEIGHT %u\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n",
           image.width, image.height);
  write_file(folder, name, "pam", header, image.pixels, image.size);
  write_file(folder, name, "webp", "", files[DEFAULT].data, files[DEFAULT].size);
  printf("%-26s %5u x %-5u %7.1f ms %8.0f B %6.2f dB  %5.2f x  %s\n", name, image.width,
         image.height, result.ms[DEFAULT], result.bytes[DEFAULT], result.decibels[DEFAULT],
         result.ms[CWEBP] / result.ms[DEFAULT], result.is_equal ? "equal bytes" : "BYTES DIFFER");
  for (int i = FAST; i < ENCODERS; i++)
    printf("%-42s %7.1f ms %8.0f B %6.2f dB  %5.2f x  %+.1f %% bytes at equal SSIM\n",
           i == FAST ? "    fast" : "    small", result.ms[i], result.bytes[i], result.decibels[i],
           result.ms[DEFAULT] / result.ms[i], (result.equal[i] - 1) * 100);
  for (int i = 0; i < ENCODERS; i++) release(i, &files[i]);
  free((void *)(uintptr_t)image.pixels);
  return result;
}

static bool check(const char *what, double value, double target, bool is_most) {
  bool is_met = is_most ? value <= target : value >= target;
  printf("%-44s %6.3f  target: at %s %.2f  %s\n", what, value, is_most ? "most " : "least", target,
         is_met ? "ok" : "MISSED");
  return is_met;
}

int main(int count, char **arguments) {
  int rounds = count > 3 ? atoi(arguments[2]) : 0;
  if (rounds < 1 || rounds > MAX_ROUNDS || count - 3 > MAX_IMAGES)
    stop("FOLDER ROUNDS IMAGE...", "usage");
  double speed[MAX_IMAGES], fast[MAX_IMAGES], fast_bytes[MAX_IMAGES], small[MAX_IMAGES];
  bool all_equal = true;
  printf(
      "Quality 80; default (x: time of cwebp's calls / time), fast and small (x: time of default / "
      "time)\n");
  for (int i = 3; i < count; i++) {
    result result = measure(arguments[1], arguments[i], rounds);
    speed[i - 3] = result.ms[CWEBP] / result.ms[DEFAULT];
    fast[i - 3] = result.ms[DEFAULT] / result.ms[FAST];
    fast_bytes[i - 3] = result.equal[FAST];
    small[i - 3] = result.equal[SMALL];
    all_equal &= result.is_equal;
  }
  size_t images = (size_t)count - 3;
  printf("Medians of %zu images:\n", images);
  bool ok = check("default: time of cwebp's calls / time", median(speed, images), 0.97, false);
  ok &= check("fast: time of default / time", median(fast, images), 2, false);
  ok &= check("fast: bytes / bytes of default, equal SSIM", median(fast_bytes, images), 1.12, true);
  ok &= check("small: bytes / bytes of default, equal SSIM", median(small, images), 1, true);
  return ok && all_equal ? 0 : 1;
}
