// Decodes files through the C interface without Swift, for runs with valgrind, sanitizers and
// debuggers.
//   replay [-o ORIENTATION] [-s STRICTNESS] [-d SCALE] [-p PAGE] [-f FRAME] [-c] [-q] FILE...
// Writes PAM to stdout (not with -q); -c converts colours to sRGB. Exit status: 0, 64 (usage), 65
// (invalid or unsupported file), 66 (file cannot be opened) or 77 (limit exceeded).

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CImageCodecs.h"

static const imgc_limits limits = {
    .max_side = 65535,
    .max_pixels = 100000000,
    .max_memory = 512u << 20,
    .max_scans = 100,
    .max_scan_samples = 6400000000u,
    .max_pages = 4096,
    .max_samples_per_pixel = 64,
    .max_tile_side = 65535,
    .max_metadata_item = 4 << 20,
    .max_metadata_total = 16 << 20,
    .max_chunks = 128,
};

static int report_failure(const char *path, const imgc_report *report) {
  fprintf(stderr, "%s: status %d %s: %s\n", path, report->status, report->token, report->message);
  return report->status == IMGC_ERROR_LIMIT ? 77 : 65;
}

static int frames(const char *path, imgc_request *request, const imgc_target *canvas, int wanted,
                  imgc_report *report) {
  imgc_frame frame = {0};
  uint8_t *saved = malloc(canvas->size);
  for (int n = 0; n <= wanted && saved; n++) {
    if (n && frame.disposal == IMGC_DISPOSE_CLEAR)
      imgc_clear_rect(canvas, frame.x, frame.y, frame.width, frame.height);
    if (n && frame.disposal == IMGC_DISPOSE_RESTORE) memcpy(canvas->pixels, saved, canvas->size);
    imgc_status status = imgc_next_frame(request, &frame, report);
    if (status) break;
    if (frame.disposal == IMGC_DISPOSE_RESTORE) memcpy(saved, canvas->pixels, canvas->size);
    fprintf(stderr, "frame %u: %ux%u at %u,%u delay %u/%u disposal %d blend %d\n", frame.number,
            frame.width, frame.height, frame.x, frame.y, frame.delay_numerator,
            frame.delay_denominator, frame.disposal, frame.blend);
    if (imgc_draw_frame(request, &frame, canvas, report)) break;
  }
  free(saved);
  return report->status ? report_failure(path, report) : 0;
}

static int replay(const char *path, imgc_request request, uint8_t orientation, int frame,
                  bool convert, bool quiet) {
  FILE *file = fopen(path, "rb");
  if (!file) return perror(path), 66;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  uint8_t *data = malloc(size > 0 ? (size_t)size : 1), *pixels = NULL;
  size_t read_size = fread(data, 1, (size_t)size, file);
  fclose(file);

  request.data = data;
  request.size = read_size;
  request.format = imgc_probe(data, read_size);
  request.flags = IMGC_COUNT_FRAMES;
  imgc_header header;
  imgc_report report;
  imgc_transform *transform = NULL;
  int code = 0;
  if (imgc_read_header(&request, &header, &report)) {
    code = report_failure(path, &report);
  } else {
    uint32_t width = orientation >= 5 ? header.height : header.width;
    uint32_t height = orientation >= 5 ? header.width : header.height;
    imgc_target target = {.size = (size_t)width * height * 4,
                          .stride = (size_t)width * 4,
                          .width = width,
                          .height = height,
                          .orientation = orientation};
    pixels = target.pixels = malloc(target.size);
    memset(pixels, 0xA5, target.size); // detects pixels that are not written
    if (convert) {
      uint8_t *icc = malloc(header.icc_size + 1);
      imgc_color_source source = {.header = &header};
      if (header.icc_size && !imgc_read_icc(&request, icc, header.icc_size, &report)) {
        char text[80];
        imgc_icc_description(icc, header.icc_size, text, sizeof text);
        fprintf(stderr, "%s: profile %s\n", path, text);
        source.icc = icc, source.icc_size = header.icc_size;
      }
      imgc_transform_create(&source, &transform, &report);
      free(icc);
      if (transform && imgc_transform_is_cmyk(transform)) request.cmyk_transform = transform;
    }
    if (frame >= 0) {
      memset(pixels, 0, target.size);
      code = frames(path, &request, &target, frame, &report);
    } else if (imgc_decode(&request, &target, &report)) {
      code = report_failure(path, &report);
    }
    if (!code) {
      if (transform && !request.cmyk_transform)
        imgc_transform_apply(transform, &request, &target, &report);
      fprintf(stderr, "%s: %ux%u frames %u model %d bits %u alpha %d exif %llu icc %llu%s%s", path,
              header.width, header.height, header.frame_count, header.color_model,
              header.bits_per_channel, header.has_alpha, (unsigned long long)header.exif_size,
              (unsigned long long)header.icc_size, report.truncated ? " truncated" : "",
              report.corrupt ? " corrupt" : "");
      if (report.truncated) fprintf(stderr, "(%u)", report.rows);
      for (uint32_t i = 0; i < report.warning_count; i++)
        fprintf(stderr, " %s", imgc_warning_name(report.warnings[i]));
      fprintf(stderr, "\n");
      if (!quiet) {
        printf("P7\nWIDTH %u\nHEIGHT %u\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", width,
               height);
        fwrite(pixels, 1, target.size, stdout);
      }
    }
  }
  imgc_transform_destroy(transform);
  free(pixels);
  free(data);
  return code;
}

int main(int count, char **arguments) {
  imgc_request request = {.limits = limits};
  uint8_t orientation = 1;
  int frame = -1, option, exit_code = 0;
  bool quiet = false, convert = false;
  while ((option = getopt(count, arguments, "o:s:d:p:f:cq")) != -1) {
    int number = optarg ? atoi(optarg) : 0;
    switch (option) {
    case 'o': orientation = (uint8_t)number; break;
    case 's': request.strictness = (imgc_strictness)number; break;
    case 'd': request.scale_denominator = (uint32_t)number; break;
    case 'p': request.page = (uint32_t)number; break;
    case 'f': frame = number; break;
    case 'c': convert = true; break;
    case 'q': quiet = true; break;
    default: return 64;
    }
  }
  for (int i = optind; i < count; i++) {
    int code = replay(arguments[i], request, orientation, frame, convert, quiet);
    if (code) exit_code = code;
  }
  return exit_code;
}
