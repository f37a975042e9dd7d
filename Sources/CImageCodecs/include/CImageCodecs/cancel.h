// Cancel flags, and deadlines of the monotonic clock.

#ifndef CIMAGECODECS_CANCEL_H
#define CIMAGECODECS_CANCEL_H

#include "report.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A cancel flag, which any thread may raise during a decode.
typedef struct imgc_cancel imgc_cancel;

// Creates a cancel flag; NULL when memory is exhausted.
imgc_cancel *imgc_cancel_create(void);
void imgc_cancel_destroy(imgc_cancel *cancel);
void imgc_cancel_raise(imgc_cancel *cancel);
bool imgc_cancel_is_raised(const imgc_cancel *cancel);
// Raises the flag at the first poll after `polls` polls in total, so that tests can cancel at each
// poll.
void imgc_cancel_after(imgc_cancel *cancel, uint64_t polls);
// Returns the number of polls since the flag was created.
uint64_t imgc_cancel_polls(const imgc_cancel *cancel);
// Polls the flag for callers outside this target (the BMP parser). Returns OK, CANCELLED, or LIMIT
// after the deadline. Accepts NULL.
imgc_status imgc_cancel_poll(imgc_cancel *cancel);
// Sets the deadline, a time of the clock of imgc_monotonic_now; 0: none. Polls after the deadline
// fail with LIMIT.
void imgc_cancel_set_deadline(imgc_cancel *cancel, uint64_t nanoseconds);
// Returns the deadline; 0: none.
uint64_t imgc_cancel_deadline(const imgc_cancel *cancel);
// Returns the time of the monotonic clock that deadlines use, in nanoseconds.
uint64_t imgc_monotonic_now(void);

#ifdef __cplusplus
}
#endif
#endif
