// The client callbacks of libtiff: reading from memory, and messages that are stored in the handle.
// The process-wide message handlers of libtiff are changed only with libtiff before 4.5, because
// these versions have no other message handlers.

#include "tiff/page/tiff_open.h"
#include "core/limits.h"
#include "core/report.h"

#if TIFFLIB_VERSION < 20221213 // 4.5.0
#include <pthread.h>
#endif
#include <stdio.h>
#include <string.h>

// Copies the part of `patch` that overlaps the file range [at, at + size) to its position in dst,
// which receives this range.
static void copy_overlap(uint8_t *dst, uint64_t at, uint64_t size, const uint8_t *patch,
                         uint64_t patch_at, uint64_t patch_size) {
  uint64_t from = at > patch_at ? at : patch_at;
  uint64_t to = at + size < patch_at + patch_size ? at + size : patch_at + patch_size;
  if (from < to) memcpy(dst + (from - at), patch + (from - patch_at), (size_t)(to - from));
}

// Reads bytes of the file. libtiff gets the reduced directory instead of the page's original
// directory.
static tmsize_t on_read(thandle_t handle, void *buffer, tmsize_t wanted) {
  tiff_file *file = handle;
  uint64_t at = file->position;
  uint64_t end = file->page.offset + file->page.table_size;
  if (end < file->input.size) end = file->input.size;
  if (wanted <= 0 || at >= end) return 0;
  uint64_t size = (uint64_t)wanted < end - at ? (uint64_t)wanted : end - at;

  memset(buffer, 0, (size_t)size);
  copy_overlap(buffer, at, size, file->input.data, 0, file->input.size);
  copy_overlap(buffer, at, size, file->page.table, file->page.offset, file->page.table_size);
  copy_overlap(buffer, at, size, file->page.header, 0, file->page.header_size);
  file->position = at + size;
  return (tmsize_t)size;
}

static tmsize_t on_write(thandle_t handle, void *buffer, tmsize_t size) {
  (void)handle, (void)buffer, (void)size;
  return 0;
}

static toff_t on_size(thandle_t handle) {
  const tiff_file *file = handle;
  uint64_t end = file->page.offset + file->page.table_size;
  return end > file->input.size ? end : file->input.size;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence) {
  tiff_file *file = handle;
  if (whence == SEEK_CUR) offset += file->position;
  if (whence == SEEK_END) offset += on_size(handle);
  return file->position = offset;
}

static int on_close(thandle_t handle) {
  (void)handle;
  return 0;
}

// libtiff's CCITT decoders report damage of a row in a message and continue.
static void note_line(tiff_file *file, const char *format, va_list list, bool is_error) {
  if (!strstr(format, " at line ")) return;
  char text[160];
  vsnprintf(text, sizeof text, format, list);
  tiff_fax_note(&file->fax, text, is_error);
}

static void note_error(tiff_file *file, const char *format, va_list list) {
  if (strstr(format, "byte limit")) file->over_limit = true;
  va_list copy;
  va_copy(copy, list);
  note_line(file, format, copy, true);
  va_end(copy);
  if (file->errors++ == 0) vsnprintf(file->message, sizeof file->message, format, list);
}

static void note_warning(tiff_file *file, const char *format, va_list list) {
  note_line(file, format, list, false);
  // The format string of a message identifies the kind of warning. The kinds in this list do not
  // affect pixels.
  bool harmless = strstr(format, "Unknown field") || strstr(format, "Old-style LZW") ||
                  strstr(format, "old-style JPEG");
  if (!harmless) file->warnings++;
}

#if TIFFLIB_VERSION >= 20221213 // 4.5.0
static int on_error(TIFF *tif, void *user, const char *module, const char *format, va_list list) {
  (void)tif, (void)module;
  note_error(user, format, list);
  return 1; // handled: do not call the global handlers
}

static int on_warning(TIFF *tif, void *user, const char *module, const char *format, va_list list) {
  (void)tif, (void)module;
  note_warning(user, format, list);
  return 1;
}

// Sets file->tif; NULL if libtiff rejects the directory. Fails only when memory is exhausted.
static imgc_status open_handle(tiff_file *file, uint64_t max_memory, imgc_report *report) {
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options) return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "tiff: out of memory");
  TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, file);
  TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, file);
  if (max_memory > 0 && max_memory < INT64_MAX)
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)max_memory);
  // m: use the callbacks, never a memory map.
  file->tif = TIFFClientOpenExt("tiff", "rm", file, on_read, on_write, on_seek, on_close, on_size,
                                NULL, NULL, options);
  TIFFOpenOptionsFree(options);
  return IMGC_OK;
}

static void close_handle(tiff_file *file) { TIFFClose(file->tif); }
#else
// libtiff before 4.5 has only process-wide message handlers. They are installed once. A message
// about the file that this thread has open is noted; any other message is passed to the handlers
// that were installed before. A decode opens and closes its file on one thread.
static _Thread_local tiff_file *open_file;
static TIFFErrorHandler next_error, next_warning;
static TIFFErrorHandlerExt next_error_ext, next_warning_ext;

static void on_error(const char *module, const char *format, va_list list) {
  if (!open_file && next_error) next_error(module, format, list);
}

static void on_warning(const char *module, const char *format, va_list list) {
  if (!open_file && next_warning) next_warning(module, format, list);
}

static void on_error_ext(thandle_t handle, const char *module, const char *format, va_list list) {
  if (open_file)
    note_error(open_file, format, list);
  else if (next_error_ext)
    next_error_ext(handle, module, format, list);
}

static void on_warning_ext(thandle_t handle, const char *module, const char *format, va_list list) {
  if (open_file)
    note_warning(open_file, format, list);
  else if (next_warning_ext)
    next_warning_ext(handle, module, format, list);
}

static void install_handlers(void) {
  next_error = TIFFSetErrorHandler(on_error);
  next_warning = TIFFSetWarningHandler(on_warning);
  next_error_ext = TIFFSetErrorHandlerExt(on_error_ext);
  next_warning_ext = TIFFSetWarningHandlerExt(on_warning_ext);
}

// Sets file->tif; NULL if libtiff rejects the directory. libtiff before 4.5 has no limit on single
// allocations either: the sizes of the directory's values are checked here, and strips are decoded
// from the input without a copy.
static imgc_status open_handle(tiff_file *file, uint64_t max_memory, imgc_report *report) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install_handlers);
  uint64_t largest = tiff_largest_value(&file->input, &file->page);
  if (imgc_check(largest, max_memory, "max_memory", report)) return report->status;
  open_file = file;
  file->tif =
      TIFFClientOpen("tiff", "rm", file, on_read, on_write, on_seek, on_close, on_size, NULL, NULL);
  if (!file->tif) open_file = NULL;
  return IMGC_OK;
}

static void close_handle(tiff_file *file) {
  TIFFClose(file->tif);
  open_file = NULL;
}
#endif

imgc_status tiff_open(const imgc_request *request, tiff_file *file, imgc_report *report) {
  file->position = 0, file->tif = NULL, file->warnings = 0, file->errors = 0;
  file->message[0] = 0, file->over_limit = false;
  tiff_fax_clear(&file->fax);
  if (tiff_input_open(request, &file->input, report)) return report->status;
  if (tiff_find_page(request, &file->input, &file->page, report)) return report->status;
  if (file->page.bits_differ)
    return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, "mixedDepth",
                     "tiff: samples of different bit depths are not supported");
  if (file->page.truncated) imgc_warn(report, IMGC_WARN_STRUCTURE);

  if (imgc_check(TIFF_BASE_BYTES, request->limits.max_memory, "max_memory", report))
    return report->status;
  if (open_handle(file, request->limits.max_memory, report)) return report->status;
  if (!file->tif) {
    if (file->over_limit)
      return imgc_fail(report, IMGC_ERROR_LIMIT, "max_memory", "tiff: %s", file->message);
    // libtiff rejected the directory. If the directory or a value extends past the end of the file,
    // the file is truncated; otherwise it is malformed.
    return imgc_fail(report, file->page.truncated ? IMGC_ERROR_TRUNCATED : IMGC_ERROR_MALFORMED,
                     NULL, "tiff: %s",
                     file->errors ? file->message : "the directory (IFD) is invalid");
  }
  if (file->warnings || file->errors) imgc_warn(report, IMGC_WARN_TAG);
  file->warnings = 0, file->errors = 0;
  return IMGC_OK;
}

void tiff_close(tiff_file *file) {
  if (file->tif) close_handle(file);
  file->tif = NULL;
}
