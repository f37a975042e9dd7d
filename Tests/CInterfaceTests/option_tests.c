// Values of options, limits and deadlines, and concurrent calls.

#include "tests.h"

#include <math.h>
#include <pthread.h>

static data file;

static pi_status decode_with(pi_decode_options options, pi_error *error) {
  options.struct_size = sizeof options;
  pi_image image = {.struct_size = sizeof image};
  return pi_decode(file.bytes, file.count, &options, &image, error);
}

static pi_status thumbnail_with(pi_thumbnail_options options) {
  options.struct_size = sizeof options;
  pi_image image = {.struct_size = sizeof image};
  return pi_thumbnail(file.bytes, file.count, NULL, &options, &image, NULL);
}

static pi_status encode_with(pi_encode_options options, pi_file *result) {
  static uint8_t pixels[64 * 64 * 4];
  for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i * i >> 3);
  options.struct_size = sizeof options;
  pi_image image = {sizeof image, pixels, sizeof pixels, 0, 0, 64, 64, 0, 0, 0, 0};
  return pi_encode(&image, &options, result, NULL);
}

// Calls `call` with every value from 0 to `last`, which are valid, and with others, which are not.
#define expect_values(last, valid, call)                                                           \
  do {                                                                                             \
    for (int32_t value = 0; value <= (last); value++) expect_status(call, valid);                  \
    int32_t unknown[] = {-1, (last) + 1, INT32_MAX, INT32_MIN};                                    \
    for (int i = 0; i < 4; i++) {                                                                  \
      int32_t value = unknown[i];                                                                  \
      expect_status(call, PI_INVALID_ARGUMENT);                                                    \
    }                                                                                              \
  } while (0)
#define DECODE(...) decode_with((pi_decode_options){__VA_ARGS__}, NULL)
#define THUMBNAIL(...) thumbnail_with((pi_thumbnail_options){__VA_ARGS__})
#define ENCODE(...) encode_with((pi_encode_options){__VA_ARGS__}, &result)

static pi_status decode_layout(int32_t layout) {
  pi_image image = {.struct_size = sizeof image, .layout = layout};
  return pi_decode(file.bytes, file.count, NULL, &image, NULL);
}

void test_values(void) {
  const pi_status fits = PI_BUFFER_TOO_SMALL; // of a size query
  uint8_t bytes[65536];
  pi_file result = {.struct_size = sizeof result, .bytes = bytes, .capacity = sizeof bytes};
  file = read_fixture(small_files[1]);
  expect_values(7, fits, decode_layout(value));
  expect_values(3, fits, DECODE(.strictness = value));
  expect_values(3, fits, DECODE(.flags = (uint32_t)value));
  expect_status(DECODE(.reserved = 1), PI_INVALID_ARGUMENT);
  expect_status(DECODE(.allowed_formats = 1), PI_INVALID_ARGUMENT);
  expect_status(DECODE(.allowed_formats = 1u << PI_FORMAT_JPEG), fits);
  expect_status(DECODE(.allowed_formats = 126), fits);
  expect_status(DECODE(.allowed_formats = 128), PI_INVALID_ARGUMENT);
  expect_status(DECODE(.allowed_formats = 1u << PI_FORMAT_PNG), PI_UNSUPPORTED);
  expect_values(3, fits, THUMBNAIL(.width = 8, .fit = value));
  expect_values(4, fits, THUMBNAIL(.width = 8, .filter = value));
  expect_values(3, fits, THUMBNAIL(.width = 8, .accuracy = value));
  expect_values(63, fits, THUMBNAIL(.width = 8, .flags = (uint32_t)value));
  expect_status(THUMBNAIL(.reserved = 1), PI_INVALID_ARGUMENT);
  expect_status(THUMBNAIL(.width = 0), fits);
  expect_status(THUMBNAIL(.width = 1u << 20), fits);
  expect_status(THUMBNAIL(.width = (1u << 20) + 1), PI_INVALID_ARGUMENT);
  expect_status(THUMBNAIL(.height = UINT32_MAX), PI_INVALID_ARGUMENT);
  expect_status(THUMBNAIL(.gravity_x = 0.5), PI_INVALID_ARGUMENT);
  expect_status(THUMBNAIL(.background = {1}), PI_INVALID_ARGUMENT);
  double wrong[] = {-0.1, 1.1, NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 5; i++) {
    uint32_t flags = PI_THUMBNAIL_GRAVITY;
    expect_status(THUMBNAIL(.gravity_x = wrong[i], .flags = flags), PI_INVALID_ARGUMENT);
    expect_status(THUMBNAIL(.gravity_y = wrong[i], .flags = flags), PI_INVALID_ARGUMENT);
  }
  expect_status(THUMBNAIL(.crop_width = 3, .crop_height = 3), fits);
  expect_status(THUMBNAIL(.crop_x = -1, .crop_width = UINT32_MAX, .crop_height = 3), fits);
  expect_status(THUMBNAIL(.crop_width = 3), PI_EMPTY_CROP);
  expect_status(THUMBNAIL(.crop_x = 1), PI_EMPTY_CROP);
  expect_status(THUMBNAIL(.crop_x = INT32_MIN, .crop_width = 3, .crop_height = 3), PI_EMPTY_CROP);
  for (int32_t format = -1; format < 9; format++) {
    bool is_written = format == PI_FORMAT_PNG || format == PI_FORMAT_JPEG ||
                      format == PI_FORMAT_GIF || format == PI_FORMAT_WEBP;
    expect_status(ENCODE(.format = format), is_written ? PI_OK : PI_INVALID_ARGUMENT);
  }
  expect_values(2, PI_OK, ENCODE(.format = PI_FORMAT_WEBP, .webp_effort = value));
  expect_values(3, PI_OK, ENCODE(.format = PI_FORMAT_WEBP, .flags = (uint32_t)value));
  expect_values(100, PI_OK, ENCODE(.format = PI_FORMAT_JPEG, .quality = (uint32_t)value));
  expect_status(ENCODE(.format = PI_FORMAT_PNG, .reserved = 1), PI_INVALID_ARGUMENT);
  expect_status(ENCODE(.format = PI_FORMAT_JPEG, .max_bytes = 1), PI_OVER_MAX_BYTES);
  size_t smallest = result.byte_count;
  expect(smallest > 1, "smallest file");
  expect_status(ENCODE(.format = PI_FORMAT_JPEG, .max_bytes = smallest), PI_OK);
  expect(result.byte_count <= smallest, "%zu bytes", result.byte_count);
  expect_status(ENCODE(.format = PI_FORMAT_JPEG, .max_bytes = UINT64_MAX), PI_OK);
  free(file.bytes);
}

void test_limits(void) {
  file = read_fixture(small_files[1]);
  pi_error error = {.struct_size = sizeof error};
  expect_status(decode_with((pi_decode_options){.max_pixels = 1}, &error), PI_LIMIT_EXCEEDED);
  expect(strcmp(error.detail, "maxPixels") == 0 && strcmp(error.code, "limitExceeded") == 0,
         "detail %s", error.detail);
  expect_status(DECODE(.max_input_bytes = file.count - 1), PI_LIMIT_EXCEEDED);
  expect_status(DECODE(.max_input_bytes = file.count), PI_BUFFER_TOO_SMALL);
  expect_status(DECODE(.max_memory_bytes = 1), PI_LIMIT_EXCEEDED);
  expect_status(DECODE(.max_input_bytes = UINT64_MAX, .max_pixels = UINT64_MAX,
                       .max_memory_bytes = UINT64_MAX, .deadline_ms = UINT32_MAX),
                PI_BUFFER_TOO_SMALL);
  expect_status(DECODE(.max_input_bytes = 1ull << 63, .max_pixels = 1ull << 63),
                PI_BUFFER_TOO_SMALL);
  free(file.bytes);

  // 16 megapixels of noise take longer than 1 ms to encode and to decode.
  size_t count = 4000 * 4000;
  pi_image noise = {sizeof noise, malloc(count), count, 0, 0, 4000, 4000, PI_LAYOUT_GRAY, 0, 0, 0};
  for (size_t i = 0; i < count; i++) noise.pixels[i] = (uint8_t)(i * 2654435761u >> 13);
  pi_encode_options png = {.struct_size = sizeof png, .format = PI_FORMAT_JPEG};
  pi_file encoded = {.struct_size = sizeof encoded, .bytes = malloc(count), .capacity = count};
  expect_status(pi_encode(&noise, &png, &encoded, &error), PI_OK);
  png.deadline_ms = 1;
  pi_file late = {.struct_size = sizeof late};
  expect_status(pi_encode(&noise, &png, &late, &error), PI_DEADLINE_EXCEEDED);
  expect(strcmp(error.code, "deadlineExceeded") == 0, "code %s", error.code);
  pi_decode_options options = {.struct_size = sizeof options, .deadline_ms = 1};
  pi_image image = {sizeof image, noise.pixels, count, 0, 0, 0, 0, PI_LAYOUT_GRAY, 0, 0, 0};
  expect_status(pi_decode(encoded.bytes, encoded.byte_count, &options, &image, &error),
                PI_DEADLINE_EXCEEDED);
  free(noise.pixels);
  free(encoded.bytes);
}

enum { THREADS = 8, ROUNDS = 20 };
static struct {
  data file;
  uint64_t pixels, thumbnail;
} shared[SMALL_FILES];

// Hashes of the decoded pixels and of an encoded thumbnail.
static void work(data bytes, uint64_t *pixels, uint64_t *thumbnail) {
  pi_image image = decoded(bytes, PI_LAYOUT_RGBA);
  *pixels = hash(image.pixels, image.byte_count);
  free(image.pixels);
  pi_thumbnail_options size = {.struct_size = sizeof size, .width = 20, .height = 20};
  pi_encode_options encode = {.struct_size = sizeof encode, .format = PI_FORMAT_PNG};
  uint8_t small[8192];
  pi_file result = {sizeof result, small, sizeof small, 0, 0, 0, 0, 0};
  expect_status(pi_thumbnail_encode(bytes.bytes, bytes.count, NULL, &size, &encode, &result, NULL),
                PI_OK);
  *thumbnail = hash(small, result.byte_count);
}

static void *run_thread(void *argument) {
  size_t first = (size_t)(uintptr_t)argument;
  for (size_t i = 0; i < SMALL_FILES * ROUNDS; i++) {
    size_t at = (first + i) % SMALL_FILES;
    uint64_t pixels, thumbnail;
    work(shared[at].file, &pixels, &thumbnail);
    expect(pixels == shared[at].pixels && thumbnail == shared[at].thumbnail, "%s differs",
           small_files[at]);
    if (i % 16 == 0) expect_status(pi_release_memory(), PI_OK);
  }
  return NULL;
}

// Stacks of 256 KiB, with which hosts with many threads start them.
void test_threads(void) {
  for (size_t i = 0; i < SMALL_FILES; i++) {
    shared[i].file = read_fixture(small_files[i]);
    work(shared[i].file, &shared[i].pixels, &shared[i].thumbnail);
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], &attributes, run_thread, (void *)(uintptr_t)i) != 0) exit(2);
  for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  pthread_attr_destroy(&attributes);
  for (size_t i = 0; i < SMALL_FILES; i++) free(shared[i].file.bytes);
}
