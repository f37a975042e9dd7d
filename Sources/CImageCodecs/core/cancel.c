// The cancel flag and its polling.

#include "core/cancel.h"
#include "core/report.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

struct imgc_cancel {
  atomic_bool raised;
  atomic_uint_fast64_t polls;
  atomic_uint_fast64_t
      raise_after; // number of polls after which the flag is raised; UINT64_MAX: never
  atomic_uint_fast64_t deadline; // monotonic nanoseconds; 0: none
};

imgc_cancel *imgc_cancel_create(void) {
  imgc_cancel *cancel = calloc(1, sizeof *cancel);
  if (cancel) atomic_store(&cancel->raise_after, UINT64_MAX);
  return cancel;
}

void imgc_cancel_destroy(imgc_cancel *cancel) { free(cancel); }

void imgc_cancel_raise(imgc_cancel *cancel) { atomic_store(&cancel->raised, true); }

bool imgc_cancel_is_raised(const imgc_cancel *cancel) { return atomic_load(&cancel->raised); }

void imgc_cancel_after(imgc_cancel *cancel, uint64_t polls) {
  atomic_store(&cancel->raise_after, polls);
}

uint64_t imgc_cancel_polls(const imgc_cancel *cancel) { return atomic_load(&cancel->polls); }

void imgc_cancel_set_deadline(imgc_cancel *cancel, uint64_t nanoseconds) {
  atomic_store(&cancel->deadline, nanoseconds);
}

uint64_t imgc_cancel_deadline(const imgc_cancel *cancel) { return atomic_load(&cancel->deadline); }

uint64_t imgc_monotonic_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

imgc_status imgc_cancel_poll(imgc_cancel *cancel) {
  if (!cancel) return IMGC_OK;
  uint64_t polls = atomic_fetch_add_explicit(&cancel->polls, 1, memory_order_relaxed);
  uint64_t deadline = atomic_load_explicit(&cancel->deadline, memory_order_relaxed);
  if (polls >= atomic_load_explicit(&cancel->raise_after, memory_order_relaxed))
    imgc_cancel_raise(cancel);
  if (atomic_load_explicit(&cancel->raised, memory_order_relaxed)) return IMGC_ERROR_CANCELLED;
  return deadline && imgc_monotonic_now() > deadline ? IMGC_ERROR_LIMIT : IMGC_OK;
}

imgc_status imgc_poll(const imgc_request *request, imgc_report *report) {
  switch (imgc_cancel_poll(request->cancel)) {
  case IMGC_OK: return imgc_enforce_strictness(request, report);
  case IMGC_ERROR_CANCELLED: return imgc_fail(report, IMGC_ERROR_CANCELLED, NULL, "cancelled");
  default:
    return imgc_fail(report, IMGC_ERROR_LIMIT, "deadline",
                     "decoding did not end before its deadline");
  }
}
