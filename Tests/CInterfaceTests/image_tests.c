// Results: every capacity, every cut of small files, layouts, limits, all fixtures.

#define _GNU_SOURCE // nftw

#include "tests.h"

#include <ftw.h>

// Every capacity from 0 to two bytes more than required, in a block of exactly this size.
static void image_capacities(const char *name, data file, const pi_thumbnail_options *thumbnail,
                             size_t stride, int32_t layout) {
  pi_image query = {.struct_size = sizeof query, .stride = stride, .layout = layout};
  pi_status status = thumbnail ? pi_thumbnail(file.bytes, file.count, NULL, thumbnail, &query, NULL)
                               : pi_decode(file.bytes, file.count, NULL, &query, NULL);
  expect(status == PI_BUFFER_TOO_SMALL && query.byte_count > 0, "%s: size query: %d", name, status);
  for (size_t capacity = 1; capacity <= query.byte_count + 2; capacity++) {
    pi_image image = {.struct_size = sizeof image, .stride = stride, .layout = layout};
    image.pixels = malloc(capacity);
    image.capacity = capacity;
    memset(image.pixels, 0xA5, capacity);
    status = thumbnail ? pi_thumbnail(file.bytes, file.count, NULL, thumbnail, &image, NULL)
                       : pi_decode(file.bytes, file.count, NULL, &image, NULL);
    bool fits = capacity >= query.byte_count;
    expect(status == (fits ? PI_OK : PI_BUFFER_TOO_SMALL), "%s: capacity %zu: %d", name, capacity,
           status);
    expect(image.byte_count == query.byte_count && image.width == query.width &&
               image.height == query.height && image.stride == query.stride,
           "%s: size with capacity %zu", name, capacity);
    size_t first = fits ? query.byte_count : 0;
    for (size_t i = first; i < capacity; i++)
      if (!expect(image.pixels[i] == 0xA5, "%s: byte %zu of %zu changed", name, i, capacity)) break;
    if (fits && stride)
      for (size_t y = 0; y + 1 < image.height; y++)
        expect(image.pixels[(y + 1) * stride - 1] == 0xA5, "%s: padding of row %zu", name, y);
    free(image.pixels);
  }
}

static void file_capacities(const char *name, data source, int32_t format) {
  pi_thumbnail_options size = {.struct_size = sizeof size, .width = 8, .height = 8};
  pi_encode_options encode = {.struct_size = sizeof encode, .format = format};
  pi_file query = {.struct_size = sizeof query};
  expect_status(pi_thumbnail_encode(source.bytes, source.count, NULL, &size, &encode, &query, NULL),
                PI_BUFFER_TOO_SMALL);
  pi_image image = decoded(source, PI_LAYOUT_RGBA);
  pi_file whole = {.struct_size = sizeof whole};
  expect_status(pi_encode(&image, &encode, &whole, NULL), PI_BUFFER_TOO_SMALL);
  for (size_t capacity = 1; capacity <= query.byte_count + 1; capacity++) {
    pi_file file = {sizeof file, malloc(capacity), capacity, 0, 0, 0, 0, 0};
    pi_status expected = capacity >= query.byte_count ? PI_OK : PI_BUFFER_TOO_SMALL;
    expect_status(
        pi_thumbnail_encode(source.bytes, source.count, NULL, &size, &encode, &file, NULL),
        expected);
    expect(file.byte_count == query.byte_count, "%s: file size", name);
    free(file.bytes);
  }
  for (size_t capacity = whole.byte_count - 3; capacity <= whole.byte_count; capacity++) {
    pi_file file = {sizeof file, malloc(capacity), capacity, 0, 0, 0, 0, 0};
    pi_status expected = capacity >= whole.byte_count ? PI_OK : PI_BUFFER_TOO_SMALL;
    expect_status(pi_encode(&image, &encode, &file, NULL), expected);
    expect(file.byte_count == whole.byte_count && file.width == image.width, "%s: encode", name);
    free(file.bytes);
  }
  free(image.pixels);
}

void test_capacities(void) {
  data file = read_fixture("gif/interlaced-9x9.gif");
  pi_thumbnail_options size = {.struct_size = sizeof size, .width = 5, .fit = PI_FIT_COVER};
  image_capacities("decode", file, NULL, 0, PI_LAYOUT_RGBA);
  image_capacities("decode, padded", file, NULL, 41, PI_LAYOUT_RGBA);
  image_capacities("decode, RGB", file, NULL, 30, PI_LAYOUT_RGB);
  image_capacities("thumbnail", file, &size, 0, PI_LAYOUT_BGRA_PREMULTIPLIED);
  image_capacities("thumbnail, padded", file, &size, 24, PI_LAYOUT_RGBA);
  int32_t formats[] = {PI_FORMAT_PNG, PI_FORMAT_GIF, PI_FORMAT_JPEG, PI_FORMAT_WEBP};
  for (int i = 0; i < 4; i++) file_capacities("encode", file, formats[i]);
  free(file.bytes);
}

// All operations on a file; returns the status of the decode.
static pi_status all_operations(const char *name, data file, const pi_decode_options *options) {
  pi_error error = {.struct_size = sizeof error};
  pi_image_info info = {.struct_size = sizeof info};
  pi_status header = pi_info(file.bytes, file.count, options, &info, &error);
  pi_image image = {.struct_size = sizeof image};
  pi_status query = pi_decode(file.bytes, file.count, options, &image, &error);
  expect(header == PI_OK ? query == PI_BUFFER_TOO_SMALL : query == header,
         "%s: header %d, query %d", name, header, query);
  pi_status status = query;
  if (query == PI_BUFFER_TOO_SMALL) {
    expect(image.width == info.display_width && image.height == info.display_height, "%s: size",
           name);
    image.pixels = malloc(image.byte_count);
    image.capacity = image.byte_count;
    status = pi_decode(file.bytes, file.count, options, &image, &error);
    expect(status != PI_BUFFER_TOO_SMALL && status != PI_INVALID_ARGUMENT &&
               status != PI_INTERNAL && status == error.status,
           "%s: decode %d: %s", name, status, error.message);
    if (status == PI_OK)
      expect(image.intact_rows <= info.height &&
                 (image.damage == PI_DAMAGE_TRUNCATED || image.intact_rows == info.height),
             "%s: %u rows of %u", name, image.intact_rows, info.height);
    else
      expect(image.width == 0 && image.byte_count == 0, "%s: size after a failure", name);
    free(image.pixels);
  }
  pi_thumbnail_options size = {.struct_size = sizeof size, .width = 16, .height = 16};
  pi_image small = {.struct_size = sizeof small};
  uint8_t pixels[16 * 16 * 4], bytes[16 * 16 * 4 + 65536];
  query = pi_thumbnail(file.bytes, file.count, options, &size, &small, &error);
  uint32_t width = small.width, height = small.height;
  small.pixels = pixels;
  small.capacity = sizeof pixels;
  pi_status made = pi_thumbnail(file.bytes, file.count, options, &size, &small, &error);
  expect(made != PI_OK ||
             (query == PI_BUFFER_TOO_SMALL && small.width == width && small.height == height),
         "%s: thumbnail %d, query %d: %u x %u, %u x %u", name, made, query, width, height,
         small.width, small.height);
  pi_encode_options encode = {.struct_size = sizeof encode, .format = PI_FORMAT_PNG};
  pi_file result = {sizeof result, bytes, sizeof bytes, 0, 0, 0, 0, 0};
  pi_status encoded =
      pi_thumbnail_encode(file.bytes, file.count, options, &size, &encode, &result, &error);
  expect(encoded == made, "%s: thumbnail %d, encoded %d", name, made, encoded);
  if (encoded == PI_OK) {
    image = decoded((data){bytes, result.byte_count}, PI_LAYOUT_RGBA);
    expect(image.byte_count == small.byte_count &&
               memcmp(image.pixels, pixels, image.byte_count) == 0,
           "%s: pixels of the encoded thumbnail", name);
    free(image.pixels);
  }
  return status;
}

void test_cuts(void) {
  for (int i = 0; i < SMALL_FILES; i++) {
    data file = read_fixture(small_files[i]);
    for (size_t count = 0; count <= file.count; count++) {
      data cut = exact_copy(file.bytes, count);
      pi_status status = all_operations(small_files[i], cut, NULL);
      expect(count < file.count || status == PI_OK, "%s: %d", small_files[i], status);
      free(cut.bytes);
    }
    free(file.bytes);
  }
}

void test_pixels(void) {
  data file = read_fixture(small_files[0]);
  pi_image rgba = decoded(file, PI_LAYOUT_RGBA);
  size_t pixels = (size_t)rgba.width * rgba.height;
  static const size_t sizes[] = {4, 4, 4, 4, 3, 3, 1, 2};
  for (int32_t layout = 1; layout < 8; layout++) {
    pi_image other = decoded(file, layout);
    expect(other.byte_count == pixels * sizes[layout] &&
               other.stride == other.width * sizes[layout],
           "layout %d: %zu bytes", layout, other.byte_count);
    bool is_premultiplied =
        layout == PI_LAYOUT_RGBA_PREMULTIPLIED || layout == PI_LAYOUT_BGRA_PREMULTIPLIED;
    bool is_reversed = layout == PI_LAYOUT_BGRA || layout == PI_LAYOUT_BGRA_PREMULTIPLIED ||
                       layout == PI_LAYOUT_BGR;
    for (size_t i = 0; i < pixels && sizes[layout] > 2; i++) {
      const uint8_t *from = rgba.pixels + i * 4, *to = other.pixels + i * sizes[layout];
      for (int c = 0; c < 3; c++) {
        unsigned t = from[c] * from[3] + 128u;
        unsigned value = is_premultiplied ? (t + (t >> 8)) >> 8 : from[c];
        expect(to[is_reversed ? 2 - c : c] == value, "layout %d: pixel %zu", layout, i);
      }
      if (sizes[layout] == 4) expect(to[3] == from[3], "layout %d: alpha of %zu", layout, i);
    }
    free(other.pixels);
  }
  uint8_t bytes[65536];
  pi_encode_options encode = {.struct_size = sizeof encode, .format = PI_FORMAT_PNG};
  pi_file png = {sizeof png, bytes, sizeof bytes, 0, 0, 0, 0, 0};
  expect_status(pi_encode(&rgba, &encode, &png, NULL), PI_OK);
  pi_image again = decoded((data){bytes, png.byte_count}, PI_LAYOUT_RGBA);
  expect(memcmp(again.pixels, rgba.pixels, rgba.byte_count) == 0, "PNG changes pixels");
  free(again.pixels);
  free(rgba.pixels);
  free(file.bytes);
  file = read_fixture("jpeg/exif-orientation-6.jpg");
  pi_image_info info = {.struct_size = sizeof info};
  expect_status(pi_info(file.bytes, file.count, NULL, &info, NULL), PI_OK);
  expect(info.format == PI_FORMAT_JPEG && info.orientation == 6 && info.frame_count == 1 &&
             info.width == info.display_height && info.height == info.display_width &&
             info.width != info.height && info.loop_count == -1,
         "header of a JPEG");
  pi_decode_options stored = {.struct_size = sizeof stored, .flags = PI_DECODE_KEEPS_ORIENTATION};
  pi_image image = {.struct_size = sizeof image};
  expect_status(pi_decode(file.bytes, file.count, &stored, &image, NULL), PI_BUFFER_TOO_SMALL);
  expect(image.width == info.width && image.height == info.height, "stored orientation");
  free(file.bytes);
}

static int visit(const char *path, const struct stat *facts, int type, struct FTW *position) {
  (void)position;
  if (type != FTW_F || facts->st_size == 0 || facts->st_size > 100000) return 0;
  pi_decode_options options = {.struct_size = sizeof options, .max_pixels = 4000000};
  data file = read_file(path);
  all_operations(path, file, &options);
  free(file.bytes);
  return 0;
}

void test_fixtures(const char *folder) { expect(nftw(folder, visit, 8, FTW_PHYS) == 0, "nftw"); }
