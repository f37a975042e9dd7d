// Prints one line for each file named on standard input: status, size, rows, and digests of the
// decoded pixels, of the frames of an animation, of the pixels in sRGB and of a thumbnail. Two
// builds of CImageCodecs (other libraries, another processor) decode alike when the outputs are
// equal.
//
//   git ls-files 'Fixtures/*' | digests

#include "CImageCodecs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// FNV-1a, 64 bits.
static uint64_t digest(const uint8_t *bytes, size_t count) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  return hash;
}

static uint8_t *allocate(size_t size) {
  uint8_t *bytes = calloc(1, size ? size : 1);
  if (!bytes) exit(2);
  return bytes;
}

static imgc_target target_create(uint32_t width, uint32_t height) {
  size_t stride = (size_t)width * 4;
  return (imgc_target){.pixels = allocate(stride * height),
                       .size = stride * height,
                       .stride = stride,
                       .width = width,
                       .height = height,
                       .orientation = 1};
}

static uint64_t target_digest(const imgc_target *target) {
  return digest(target->pixels, target->size);
}

static uint8_t *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "digests: cannot read %s\n", path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = allocate(*size);
  if (fread(bytes, 1, *size, file) != *size) exit(2);
  fclose(file);
  return bytes;
}

// Draws every frame on one canvas and prints a digest of the canvas after each, combined.
static void print_frames(const imgc_request *request, const imgc_header *header) {
  imgc_target canvas = target_create(header->width, header->height);
  imgc_frame frame = {0};
  imgc_report report;
  uint64_t combined = 0;
  imgc_status status;
  while ((status = imgc_next_frame(request, &frame, &report)) == IMGC_OK) {
    imgc_status drawn = imgc_draw_frame(request, &frame, &canvas, &report);
    combined = (combined ^ (target_digest(&canvas) + (uint64_t)drawn)) * UINT64_C(1099511628211);
  }
  printf(" frames %u %d %016llx", frame.number, status, (unsigned long long)combined);
  free(canvas.pixels);
}

static void print_srgb(const imgc_request *request, const imgc_header *header,
                       const imgc_target *target) {
  imgc_report report;
  uint8_t *icc = header->icc_size ? allocate((size_t)header->icc_size) : NULL;
  if (icc && imgc_read_icc(request, icc, (size_t)header->icc_size, &report)) {
    printf(" icc %d", report.status);
  } else {
    imgc_color_source source = {icc, icc ? (size_t)header->icc_size : 0, header};
    imgc_transform *transform;
    imgc_status status = imgc_transform_create(&source, &transform, &report);
    if (status) {
      printf(" transform %d", status);
    } else if (transform && !imgc_transform_is_cmyk(transform)) {
      imgc_transform_apply(transform, request, target, &report);
      printf(" srgb %016llx", (unsigned long long)target_digest(target));
    }
    if (!status) imgc_transform_destroy(transform);
  }
  free(icc);
}

static void print_thumbnail(imgc_request *request, const imgc_header *header) {
  imgc_target target = target_create(24, 18);
  imgc_resample_request resample = {.source_width = header->width,
                                    .source_height = header->height,
                                    .crop_width = header->width,
                                    .crop_height = header->height,
                                    .width = target.width,
                                    .height = target.height,
                                    .filter = IMGC_FILTER_LANCZOS3};
  imgc_report report;
  imgc_status status = imgc_decode_resampled(request, &resample, &target, &report);
  printf(" thumbnail %d", status);
  if (!status) printf(" %016llx", (unsigned long long)target_digest(&target));
  free(target.pixels);
}

static void print_file(const char *path) {
  size_t size;
  uint8_t *bytes = read_file(path, &size);
  imgc_request request = {.data = bytes,
                          .size = size,
                          .format = imgc_probe(bytes, size),
                          .limits = {.max_side = 65535,
                                     .max_pixels = 40000000,
                                     .max_memory = 256u << 20,
                                     .max_scans = 100,
                                     .max_scan_samples = 400000000,
                                     .max_pages = 64,
                                     .max_samples_per_pixel = 64,
                                     .max_tile_side = 65535,
                                     .max_metadata_item = 8 << 20,
                                     .max_metadata_total = 16 << 20,
                                     .max_chunks = 4096}};
  imgc_header header;
  imgc_report report;
  imgc_status status = imgc_read_header(&request, &header, &report);
  printf("%s: format %d header %d", path, request.format, status);
  if (!status) {
    imgc_target target = target_create(header.width, header.height);
    status = imgc_decode(&request, &target, &report);
    printf(" decode %d %u x %u rows %u%s%s", status, header.width, header.height, report.rows,
           report.truncated ? " truncated" : "", report.corrupt ? " corrupt" : "");
    if (!status) {
      printf(" pixels %016llx", (unsigned long long)target_digest(&target));
      print_srgb(&request, &header, &target);
      print_thumbnail(&request, &header);
    }
    if (header.is_animated || header.format == IMGC_FORMAT_GIF) print_frames(&request, &header);
    free(target.pixels);
  }
  printf("\n");
  free(bytes);
}

int main(void) {
  char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (line[0]) print_file(line);
  }
  return 0;
}
