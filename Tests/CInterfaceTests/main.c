// Tests of platformimage.h. Prints one line per group; exit status 1 when a check fails.

#include "tests.h"

#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>

static const char *folder;
static atomic_ulong checks, failures;

const char *const small_files[SMALL_FILES] = {
    "png/filter-paeth-rgba8.png", "jpeg/gray-2x2.jpg",           "jpeg/exif-orientation-6.jpg",
    "gif/interlaced-9x9.gif",     "webp/lossy-alpha-21x19.webp", "tiff/lzw-le.tif",
    "bmp/rgb24-width-5.bmp",
};

bool count_check(bool claim, int line, const char *format, ...) {
  atomic_fetch_add(&checks, 1);
  if (!claim && atomic_fetch_add(&failures, 1) < 20) {
    va_list arguments;
    va_start(arguments, format);
    printf("  failed at line %d: ", line);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
  }
  return claim;
}

data read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) {
    perror(path);
    exit(2);
  }
  data result = {NULL, (size_t)ftell(file)};
  rewind(file);
  result.bytes = malloc(result.count ? result.count : 1);
  if (fread(result.bytes, 1, result.count, file) != result.count) exit(2);
  fclose(file);
  return result;
}

data read_fixture(const char *path) {
  char full[4096];
  snprintf(full, sizeof full, "%s/%s", folder, path);
  return read_file(full);
}

data exact_copy(const uint8_t *bytes, size_t count) {
  data copy = {malloc(count ? count : 1), count};
  if (count) memcpy(copy.bytes, bytes, count);
  return copy;
}

pi_image decoded(data file, int32_t layout) {
  pi_image image = {.struct_size = sizeof image, .layout = layout};
  expect_status(pi_decode(file.bytes, file.count, NULL, &image, NULL), PI_BUFFER_TOO_SMALL);
  image.pixels = malloc(image.byte_count ? image.byte_count : 1);
  image.capacity = image.byte_count;
  expect_status(pi_decode(file.bytes, file.count, NULL, &image, NULL), PI_OK);
  return image;
}

uint64_t hash(const uint8_t *bytes, size_t count) {
  uint64_t value = 0xcbf29ce484222325;
  for (size_t i = 0; i < count; i++) value = (value ^ bytes[i]) * 0x100000001b3;
  return value;
}

static void run_group(const char *name, void (*group)(void)) {
  unsigned long first = atomic_load(&checks);
  group();
  printf("%s: %lu checks\n", name, atomic_load(&checks) - first);
  fflush(stdout);
}

// Signals with a handler, as a sum of bits.
static uint64_t handled_signals(void) {
  uint64_t handled = 0;
  for (int signal = 1; signal < 64; signal++) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
      handled |= 1ull << signal;
  }
  return handled;
}

static int thread_count(void) {
  DIR *tasks = opendir("/proc/self/task");
  int count = 0;
  while (tasks && readdir(tasks)) count++;
  if (tasks) closedir(tasks);
  return count - 2; // without "." and ".."
}

static void all_fixtures(void) { test_fixtures(folder); }

int main(int count, char **arguments) {
  if (count < 2) return 2;
  folder = arguments[1];
  bool is_small = count > 2 && strcmp(arguments[2], "small") == 0;
  uint64_t handled = handled_signals();
  int threads = thread_count();
  run_group("arguments", test_arguments);
  run_group("structs", test_structs);
  run_group("values", test_values);
  run_group("pixels", test_pixels);
  run_group("capacities", test_capacities);
  run_group("threads", test_threads);
  if (!is_small) {
    run_group("cuts", test_cuts);
    run_group("limits", test_limits);
    run_group("fixtures", all_fixtures);
  }
  expect_status(pi_release_memory(), PI_OK);
  expect(handled_signals() == handled, "the library handles signals");
  expect(thread_count() == threads, "%d threads, %d before", thread_count(), threads);
  printf("%lu checks, %lu failures\n", atomic_load(&checks), atomic_load(&failures));
  return atomic_load(&failures) ? 1 : 0;
}
