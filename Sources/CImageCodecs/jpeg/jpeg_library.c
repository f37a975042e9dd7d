// The libjpeg callbacks for errors, input and progress. longjmp is called only while `guarded`
// runs.

#include "jpeg/jpeg_library.h"
#include "core/cancel.h"
#include "core/limits.h"
#include "core/report.h"
#include "jpeg/jpeg_arrays.h"
#include "jpeg/jpeg_work.h"

#include <jerror.h>
#include <string.h>

// Samples that a warning adds to the value for max_scan_samples while all scans are read. libjpeg
// can resynchronize at every restart interval without reading a byte. This takes 25 ns, about as
// much time as decoding two empty blocks.
enum { SAMPLES_PER_WARNING = 2 * DCTSIZE2 };

static jpeg_state *state_of(j_common_ptr cinfo) { return cinfo->client_data; }

static void exit_step(jpeg_state *s) { longjmp(s->jump, 1); }

void imgc_jpeg_exit_if_failed(jpeg_state *s) {
  if (s->report->status) exit_step(s);
}

// ---------------------------------------------------------------- errors and warnings

static void on_error(j_common_ptr cinfo) {
  jpeg_state *s = state_of(cinfo);
  s->failed = true;
  s->code = cinfo->err->msg_code;
  exit_step(s);
}

static imgc_warning warning_for(int code) {
  switch (code) {
  case JWRN_HIT_MARKER:
  case JWRN_HUFF_BAD_CODE:
  case JWRN_ARITH_BAD_CODE: return IMGC_WARN_ENTROPY_DATA;
  // An unknown Adobe transform code or JFIF version: libjpeg assumes YCbCr or YCCK.
  case JWRN_ADOBE_XFORM:
  case JWRN_JFIF_MAJOR: return IMGC_WARN_METADATA_IGNORED;
  default: return IMGC_WARN_MARKER;
  }
}

static void on_message(j_common_ptr cinfo, int level) {
  if (level >= 0) return; // trace
  jpeg_state *s = state_of(cinfo);
  int code = cinfo->err->msg_code;
  if (s->ended) {
    // Warnings after the end of the data are consequences of the missing bytes, not further
    // defects. Missing entropy data is reported once per segment, by the first block without data.
    if (code == JWRN_HIT_MARKER && !s->data_is_missing) {
      s->data_is_missing = true;
      s->missing_row = s->cinfo.input_iMCU_row;
      s->missing_scan = (uint32_t)s->cinfo.input_scan_number;
    }
    return;
  }
  // libjpeg repeats a warning for each restart interval and each invalid code, and resynchronizes.
  // The following data is often intact, so decoding continues. The report contains each kind of
  // warning once.
  imgc_warn(s->report, warning_for(code));
  if (imgc_charge(s->request, SAMPLES_PER_WARNING / 4, s->report)) exit_step(s);
  if (s->reads_all_scans) s->scan_samples = imgc_add(s->scan_samples, SAMPLES_PER_WARNING);
  if (imgc_enforce_strictness(s->request, s->report)) exit_step(s);
}

static void on_output(j_common_ptr cinfo) { (void)cinfo; }

// ---------------------------------------------------------------- input

static void on_source_start(j_decompress_ptr cinfo) { (void)cinfo; }

// Sets libjpeg's input to the bytes from `start` to the next skipped scan, or to the end of the
// file.
static void provide_input(jpeg_state *s, size_t start) {
  size_t end = s->size;
  if (s->skipped_count < s->skipped_scans.count &&
      s->skipped_scans.ranges[s->skipped_count].start < end)
    end = s->skipped_scans.ranges[s->skipped_count].start;
  s->source.next_input_byte = s->request->data + start;
  s->source.bytes_in_buffer = start < end ? end - start : 0;
}

static boolean on_source_empty(j_decompress_ptr cinfo) {
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  jpeg_state *s = state_of((j_common_ptr)cinfo);
  while (s->skipped_count < s->skipped_scans.count) {
    provide_input(s, s->skipped_scans.ranges[s->skipped_count++].end);
    if (s->source.bytes_in_buffer > 0) return TRUE;
  }
  if (!s->ended) s->end_row = cinfo->input_iMCU_row;
  s->ended = true;
  cinfo->src->next_input_byte = end;
  cinfo->src->bytes_in_buffer = sizeof end;
  return TRUE;
}

static void on_source_skip(j_decompress_ptr cinfo, long count) {
  struct jpeg_source_mgr *source = cinfo->src;
  if (count <= 0) return;
  size_t n = (size_t)count < source->bytes_in_buffer ? (size_t)count : source->bytes_in_buffer;
  source->next_input_byte += n;
  source->bytes_in_buffer -= n;
}

static void on_source_end(j_decompress_ptr cinfo) { (void)cinfo; }

// ---------------------------------------------------------------- progress

// Returns the number of samples of all blocks in the current scan. The size of the scan's data is
// not considered, because empty blocks take time too.
static uint64_t samples_in_scan(const struct jpeg_decompress_struct *cinfo) {
  uint64_t blocks = 0;
  for (int i = 0; i < cinfo->comps_in_scan; i++) {
    const jpeg_component_info *c = cinfo->cur_comp_info[i];
    blocks += (uint64_t)c->width_in_blocks * c->height_in_blocks;
  }
  return blocks * DCTSIZE2;
}

// libjpeg calls this function before each input step while it reads all scans, and then once per
// row.
static void on_progress(j_common_ptr common) {
  jpeg_state *s = state_of(common);
  if (!s->reads_all_scans) return;
  const imgc_limits *limits = &s->request->limits;
  struct jpeg_decompress_struct *cinfo = &s->cinfo;
  if (cinfo->input_scan_number != s->scan) {
    s->scan = cinfo->input_scan_number;
    s->scan_samples = imgc_add(s->scan_samples, samples_in_scan(cinfo));
    imgc_jpeg_charge_scan(s);
    imgc_check((uint64_t)s->scan, limits->max_scans, "max_scans", s->report);
  }
  imgc_check(s->scan_samples, limits->max_scan_samples, "max_scan_samples", s->report);
  imgc_poll(s->request, s->report);
  imgc_jpeg_exit_if_failed(s);
  if (s->ended) return;
  s->safe_size = (size_t)(cinfo->src->next_input_byte - s->request->data);
  // Exclude the two bytes of a marker that libjpeg has read but not processed.
  if (cinfo->unread_marker && s->safe_size >= 2) s->safe_size -= 2;
}

// ---------------------------------------------------------------- running

static void create(jpeg_state *s) {
  jpeg_create_decompress(&s->cinfo);
  s->source.init_source = on_source_start;
  s->source.fill_input_buffer = on_source_empty;
  s->source.skip_input_data = on_source_skip;
  s->source.resync_to_restart = jpeg_resync_to_restart;
  s->source.term_source = on_source_end;
  s->skipped_count = 0;
  provide_input(s, 0);
  s->cinfo.src = &s->source;
  s->progress.progress_monitor = on_progress;
  s->cinfo.progress = &s->progress;
  imgc_jpeg_install_arrays(s);
}

// The only function here with setjmp. It has no local variables except its arguments.
static void guarded(jpeg_state *s, void (*step)(jpeg_state *)) {
  if (setjmp(s->jump) == 0) {
    create(s);
    step(s);
  }
}

void imgc_jpeg_run(jpeg_state *s, void (*step)(jpeg_state *)) {
  memset(&s->cinfo, 0, sizeof s->cinfo);
  s->cinfo.err = jpeg_std_error(&s->errors);
  s->errors.error_exit = on_error;
  s->errors.emit_message = on_message;
  s->errors.output_message = on_output;
  s->cinfo.client_data = s;
  guarded(s, step);
  jpeg_destroy_decompress(&s->cinfo);
  imgc_jpeg_free_arrays(s);
}

imgc_status imgc_jpeg_fail(jpeg_state *s) {
  char text[JMSG_LENGTH_MAX];
  s->errors.format_message((j_common_ptr)&s->cinfo, text);
  imgc_status status = s->ended ? IMGC_ERROR_TRUNCATED : IMGC_ERROR_MALFORMED;
  const char *token = NULL;
  switch (s->code) {
  case JERR_OUT_OF_MEMORY: status = IMGC_ERROR_OUT_OF_MEMORY; break;
  case JERR_NO_BACKING_STORE: // max_memory_to_use
    status = IMGC_ERROR_LIMIT;
    token = "max_memory";
    break;
  case JERR_IMAGE_TOO_BIG: token = "dimensions"; break;
  case JERR_BAD_PRECISION: token = "12bit"; break;
  case JERR_SOF_UNSUPPORTED: token = "process"; break;
#if JPEG_LIB_VERSION < 70 // version 7 of the interface includes arithmetic coding
  case JERR_ARITH_NOTIMPL: token = "arithmetic"; break;
#endif
  case JERR_CCIR601_NOTIMPL:
  case JERR_FRACT_SAMPLE_NOTIMPL: token = "sampling"; break;
  case JERR_CONVERSION_NOTIMPL:
  case JERR_COMPONENT_COUNT: token = "components"; break;
  default: break;
  }
  if (token && status != IMGC_ERROR_LIMIT) status = IMGC_ERROR_UNSUPPORTED;
  if (s->ended)
    return imgc_fail(s->report, status, token, "jpeg: data ends at byte %zu: %s", s->size, text);
  return imgc_fail(s->report, status, token, "jpeg: %s", text);
}
