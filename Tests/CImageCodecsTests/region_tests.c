// The installation of the SIGBUS handler, in a copy of mapped_regions.c whose calls of sigaction
// can be preceded by a change of the action, as by another thread.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "tests.h"

#include <signal.h>

static int change_action(int number, const struct sigaction *action, struct sigaction *old);

#define sigaction(number, action, old) change_action(number, action, old)
#define imgc_region_add added_region
#define imgc_region_remove removed_region
#include "core/mapped_regions.c"
#undef sigaction

enum { EARLY = 1, LATE = 2 };

static volatile sig_atomic_t called;
static void early(int number) {
  (void)number;
  called = EARLY;
}
static void late(int number) {
  (void)number;
  called = LATE;
}

static void set_handler(void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(SIGBUS, &action, NULL);
}

static int change_count;

// Before the first change, another handler replaces the action that was read.
static int change_action(int number, const struct sigaction *action, struct sigaction *old) {
  if (action && change_count++ == 0) set_handler(late, SA_RESTART);
  return sigaction(number, action, old);
}

void test_regions(void) {
  struct sigaction saved, installed;
  sigaction(SIGBUS, NULL, &saved);
  set_handler(early, 0);
  long size = sysconf(_SC_PAGESIZE);
  void *page = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE | MAP_ANON, -1, 0);

  int index = added_region(page, (size_t)size);
  raise(SIGBUS);
  sigaction(SIGBUS, NULL, &installed);

  if (expect(index != IMGC_NO_REGION, "the handler was not installed"))
    expect(!removed_region(index), "a page is missing");
  expect(change_count == 2, "%d installations", change_count);
  expect(called == LATE, "the handler %d was called", called);
  expect(installed.sa_flags & SA_RESTART, "the flags are those of the first action");
  munmap(page, (size_t)size);
  sigaction(SIGBUS, &saved, NULL);
}
