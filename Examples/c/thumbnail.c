// Writes a thumbnail of an image file: thumbnail IN OUT WIDTH HEIGHT. The extension of OUT, .png,
// .jpg, .webp or .gif, selects its format. Exit status 1 on an error, 2 on wrong arguments.

#include <platformimage.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t format_of(const char *path) {
  const char *dot = strrchr(path, '.');
  if (!dot) return PI_FORMAT_UNKNOWN;
  if (strcmp(dot, ".png") == 0) return PI_FORMAT_PNG;
  if (strcmp(dot, ".jpg") == 0) return PI_FORMAT_JPEG;
  if (strcmp(dot, ".webp") == 0) return PI_FORMAT_WEBP;
  if (strcmp(dot, ".gif") == 0) return PI_FORMAT_GIF;
  return PI_FORMAT_UNKNOWN;
}

// Returns the content of a file, which the caller frees; NULL on an error.
static uint8_t *read_file(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  uint8_t *bytes = end > 0 ? malloc((size_t)end) : NULL;
  *count = (size_t)end;
  rewind(file);
  if (bytes && fread(bytes, 1, *count, file) != *count) {
    free(bytes);
    bytes = NULL;
  }
  fclose(file);
  return bytes;
}

static int write_file(const char *path, const uint8_t *bytes, size_t count) {
  FILE *file = fopen(path, "wb");
  if (!file) return 0;
  int is_written = fwrite(bytes, 1, count, file) == count;
  return fclose(file) == 0 && is_written;
}

int main(int count, char **arguments) {
  if (count != 5) {
    fprintf(stderr, "usage: %s IN OUT WIDTH HEIGHT\n", arguments[0]);
    return 2;
  }
  size_t byte_count = 0;
  uint8_t *bytes = read_file(arguments[1], &byte_count);
  if (!bytes) {
    fprintf(stderr, "cannot read %s\n", arguments[1]);
    return 1;
  }

  pi_decode_options options = {.struct_size = sizeof options};
  options.max_pixels = 50 * 1000 * 1000;
  options.deadline_ms = 10 * 1000;
  pi_thumbnail_options thumbnail = {.struct_size = sizeof thumbnail};
  thumbnail.width = (uint32_t)strtoul(arguments[3], NULL, 10);
  thumbnail.height = (uint32_t)strtoul(arguments[4], NULL, 10);
  pi_encode_options encode = {.struct_size = sizeof encode, .format = format_of(arguments[2])};
  pi_file file = {.struct_size = sizeof file};
  pi_error error = {.struct_size = sizeof error};

  // Large enough for most thumbnails; otherwise, byte_count is the required capacity.
  file.capacity = 256 * 1024;
  file.bytes = malloc(file.capacity);
  pi_status status =
      pi_thumbnail_encode(bytes, byte_count, &options, &thumbnail, &encode, &file, &error);
  if (status == PI_BUFFER_TOO_SMALL) {
    free(file.bytes);
    file.capacity = file.byte_count;
    file.bytes = malloc(file.capacity);
    status = pi_thumbnail_encode(bytes, byte_count, &options, &thumbnail, &encode, &file, &error);
  }
  free(bytes);

  int is_written = 0;
  if (status != PI_OK)
    fprintf(stderr, "%s: %s: %s\n", arguments[1], error.code, error.message);
  else if (!(is_written = write_file(arguments[2], file.bytes, file.byte_count)))
    fprintf(stderr, "cannot write %s\n", arguments[2]);
  else
    printf("%u x %u pixels, %zu bytes\n", file.width, file.height, file.byte_count);
  if (status == PI_OK && file.damage != PI_DAMAGE_NONE)
    fprintf(stderr, "%s: the file is damaged, a part of the image is missing\n", arguments[1]);
  free(file.bytes);
  return is_written ? 0 : 1;
}
