// NULL, misaligned and impossible arguments, and struct_size.

#include "tests.h"

enum { FUNCTIONS = 6, POINTERS = 6 };

// The arguments of any function.
typedef struct arguments {
  const uint8_t *bytes;
  size_t byte_count;
  void *structs[POINTERS]; // options, thumbnail, encode, info or version, image, file
  pi_error *error;
} arguments;
enum { OPTIONS, THUMBNAIL, ENCODE, INFO, IMAGE, FILE_RESULT };

static pi_status call(int index, const arguments *a) {
  void *const *s = a->structs;
  switch (index) {
  case 0: return pi_version(s[INFO]);
  case 1: return pi_info(a->bytes, a->byte_count, s[OPTIONS], s[INFO], a->error);
  case 2: return pi_decode(a->bytes, a->byte_count, s[OPTIONS], s[IMAGE], a->error);
  case 3:
    return pi_thumbnail(a->bytes, a->byte_count, s[OPTIONS], s[THUMBNAIL], s[IMAGE], a->error);
  case 4:
    return pi_thumbnail_encode(a->bytes, a->byte_count, s[OPTIONS], s[THUMBNAIL], s[ENCODE],
                               s[FILE_RESULT], a->error);
  default: return pi_encode(s[IMAGE], s[ENCODE], s[FILE_RESULT], a->error);
  }
}

static const char *const names[FUNCTIONS] = {
    "pi_version", "pi_info", "pi_decode", "pi_thumbnail", "pi_thumbnail_encode", "pi_encode"};
static const bool uses[FUNCTIONS][POINTERS] = {
    {[INFO] = true},
    {[OPTIONS] = true, [INFO] = true},
    {[OPTIONS] = true, [IMAGE] = true},
    {[OPTIONS] = true, [THUMBNAIL] = true, [IMAGE] = true},
    {[OPTIONS] = true, [THUMBNAIL] = true, [ENCODE] = true, [FILE_RESULT] = true},
    {[IMAGE] = true, [ENCODE] = true, [FILE_RESULT] = true},
};

// Valid arguments: a 2 x 1 pixel image, buffers of 4096 bytes, structs followed by zeros.
typedef struct memory {
  _Alignas(16) uint8_t structs[POINTERS][8192];
  uint8_t pixels[4096], file[4096];
  pi_error error;
} memory;

static size_t struct_bytes(int function, int index) {
  static const size_t sizes[POINTERS] = {sizeof(pi_decode_options), sizeof(pi_thumbnail_options),
                                         sizeof(pi_encode_options), sizeof(pi_image_info),
                                         sizeof(pi_image),          sizeof(pi_file)};
  return function == 0 ? sizeof(pi_version_info) : sizes[index];
}

static arguments valid(memory *m, data file, int function) {
  memset(m, 0, sizeof *m);
  arguments a = {.bytes = file.bytes, .byte_count = file.count, .error = &m->error};
  m->error.struct_size = sizeof m->error;
  for (int i = 0; i < POINTERS; i++) {
    *(size_t *)m->structs[i] = struct_bytes(function, i);
    a.structs[i] = m->structs[i];
  }
  pi_image *image = a.structs[IMAGE];
  *image =
      (pi_image){sizeof *image, .pixels = m->pixels, .capacity = 4096, .width = 2, .height = 1};
  ((pi_encode_options *)a.structs[ENCODE])->format = PI_FORMAT_PNG;
  ((pi_file *)a.structs[FILE_RESULT])->bytes = m->file;
  ((pi_file *)a.structs[FILE_RESULT])->capacity = 4096;
  return a;
}

// A PNG for which every function succeeds within 4096 bytes.
static data tiny_file(void) {
  static uint8_t bytes[4096];
  uint8_t pixels[8] = {1, 2, 3, 255, 4, 5, 6, 255};
  pi_image image = {sizeof image, .pixels = pixels, .capacity = 8, .width = 2, .height = 1};
  pi_encode_options options = {sizeof options, .format = PI_FORMAT_PNG};
  pi_file file = {sizeof file, .bytes = bytes, .capacity = sizeof bytes};
  expect_status(pi_encode(&image, &options, &file, NULL), PI_OK);
  return (data){bytes, file.byte_count};
}

static void expect_invalid(int function, const arguments *a, const char *problem) {
  pi_status status = call(function, a);
  expect(status == PI_INVALID_ARGUMENT, "%s: %s: %d", names[function], problem, status);
  if (function > 0 && a->error)
    expect(a->error->status == PI_INVALID_ARGUMENT && a->error->detail[0] && a->error->message[0] &&
               strcmp(a->error->code, "invalidArgument") == 0,
           "%s: %s: no description", names[function], problem);
}

void test_arguments(void) {
  static memory m;
  data file = tiny_file();
  for (int f = 0; f < FUNCTIONS; f++) {
    arguments a = valid(&m, file, f);
    expect(call(f, &a) == PI_OK, "%s: %s", names[f], m.error.message);
    expect(f == 0 || m.error.status == PI_OK, "%s: status of a success", names[f]);
    expect(m.error.code[0] == 0 && m.error.message[0] == 0, "%s: text of a success", names[f]);
    a = valid(&m, file, f);
    a.error = NULL;
    expect(call(f, &a) == PI_OK, "%s: without pi_error", names[f]);
    for (int i = 0; i < POINTERS; i++) {
      if (!uses[f][i]) continue;
      a = valid(&m, file, f);
      a.structs[i] = NULL;
      if (i == OPTIONS)
        expect(call(f, &a) == PI_OK, "%s: NULL options", names[f]);
      else
        expect_invalid(f, &a, "NULL struct");
      a.error = NULL;
      if (i != OPTIONS) expect_invalid(f, &a, "NULL struct without error");
      for (int offset = 1; offset < 8; offset++) {
        a = valid(&m, file, f);
        memmove(m.structs[i] + offset, m.structs[i], 256);
        a.structs[i] = m.structs[i] + offset;
        expect_invalid(f, &a, "misaligned struct");
      }
    }
    if (f == 0) continue;
    for (size_t offset = 1; offset < 8; offset++) {
      a = valid(&m, file, f);
      a.error = (pi_error *)(void *)((uint8_t *)&m.error + offset);
      expect(call(f, &a) == PI_INVALID_ARGUMENT, "%s: misaligned error", names[f]);
    }
    if (f == 5) continue;
    a = valid(&m, file, f);
    a.bytes = NULL;
    expect_invalid(f, &a, "NULL bytes");
    a.byte_count = 0;
    expect_invalid(f, &a, "NULL bytes, size 0");
    a = valid(&m, file, f);
    a.byte_count = 0;
    expect(call(f, &a) == PI_UNKNOWN_FORMAT, "%s: no bytes", names[f]);
    size_t counts[] = {SIZE_MAX, SIZE_MAX / 2 + 1};
    for (size_t i = 0; i < 2; i++) {
      a = valid(&m, file, f);
      a.byte_count = counts[i];
      expect_invalid(f, &a, "size above SIZE_MAX / 2");
    }
  }
  for (int f = 2; f < FUNCTIONS; f++) {
    size_t impossible[] = {SIZE_MAX, SIZE_MAX / 2 + 1};
    for (size_t i = 0; i < 2; i++) {
      arguments a = valid(&m, file, f);
      ((pi_image *)a.structs[IMAGE])->capacity = impossible[i];
      ((pi_file *)a.structs[FILE_RESULT])->capacity = impossible[i];
      expect_invalid(f, &a, "impossible capacity");
      a = valid(&m, file, f);
      ((pi_image *)a.structs[IMAGE])->stride = impossible[i];
      if (uses[f][IMAGE]) expect_invalid(f, &a, "impossible stride");
    }
    arguments a = valid(&m, file, f);
    ((pi_image *)a.structs[IMAGE])->pixels = NULL;
    ((pi_file *)a.structs[FILE_RESULT])->bytes = NULL;
    expect_invalid(f, &a, "NULL buffer with a capacity");
    a = valid(&m, file, f);
    ((pi_image *)a.structs[IMAGE])->stride = 7;
    if (uses[f][IMAGE]) expect_invalid(f, &a, "stride below a row");
    a = valid(&m, file, f);
    if (f < 5) {
      memcpy(m.pixels, file.bytes, file.count);
      memcpy(m.file, file.bytes, file.count);
      a.bytes = f == 4 ? m.file : m.pixels;
      expect_invalid(f, &a, "overlap");
    } else {
      ((pi_file *)a.structs[FILE_RESULT])->bytes = m.pixels + 1;
      expect_invalid(f, &a, "overlap");
    }
  }
  for (uint32_t i = 0; i < 4; i++) {
    static const uint32_t sides[4][2] = {{0, 1}, {1, 0}, {UINT32_MAX, UINT32_MAX}, {1, UINT32_MAX}};
    arguments a = valid(&m, file, 5);
    ((pi_image *)a.structs[IMAGE])->width = sides[i][0];
    ((pi_image *)a.structs[IMAGE])->height = sides[i][1];
    expect_invalid(5, &a, "size of the pixels");
  }
}

void test_structs(void) {
  static memory m;
  data file = tiny_file();
  for (int f = 0; f < FUNCTIONS; f++) {
    for (int i = 0; i < POINTERS; i++) {
      if (!uses[f][i]) continue;
      size_t known = struct_bytes(f, i);
      for (size_t size = 0; size < known; size++) {
        arguments a = valid(&m, file, f);
        *(size_t *)m.structs[i] = size;
        expect_invalid(f, &a, "struct_size too small");
      }
      size_t larger[] = {known + 1, known + 8, 4095, 4096};
      for (size_t k = 0; k < 4; k++) {
        arguments a = valid(&m, file, f);
        *(size_t *)m.structs[i] = larger[k];
        expect(call(f, &a) == PI_OK, "%s: struct %d with %zu bytes", names[f], i, larger[k]);
        expect(*(size_t *)m.structs[i] == larger[k], "%s: struct_size changed", names[f]);
        a = valid(&m, file, f);
        *(size_t *)m.structs[i] = larger[k];
        m.structs[i][larger[k] - 1] = 1;
        m.structs[i][larger[k]] = 77;
        if (i == INFO)
          expect(call(f, &a) == PI_OK && m.structs[i][larger[k] - 1] == 0, "%s: unknown result",
                 names[f]);
        else
          expect_invalid(f, &a, "unknown member is not 0");
        expect(m.structs[i][larger[k]] == 77, "%s: byte after struct %d changed", names[f], i);
      }
      size_t wrong[] = {4097, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX};
      for (size_t k = 0; k < 4; k++) {
        arguments a = valid(&m, file, f);
        *(size_t *)m.structs[i] = wrong[k];
        expect_invalid(f, &a, "struct_size too large");
      }
    }
    if (f == 0) continue;
    for (size_t size = 0; size < sizeof(pi_error); size++) {
      arguments a = valid(&m, file, f);
      m.error.struct_size = size;
      expect(call(f, &a) == PI_INVALID_ARGUMENT, "%s: pi_error with %zu bytes", names[f], size);
      expect(m.error.struct_size == size, "%s: unusable pi_error was written", names[f]);
    }
  }
  pi_version_info version = {sizeof version, 0, 0, 0, 0};
  expect_status(pi_version(&version), PI_OK);
  expect(version.abi == PI_ABI_VERSION && version.major == PI_VERSION_MAJOR &&
             version.minor == PI_VERSION_MINOR && version.patch == PI_VERSION_PATCH,
         "version %u: %u.%u.%u", version.abi, version.major, version.minor, version.patch);
}
