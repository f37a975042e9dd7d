// The SIGBUS handler for mapped files and its table of regions.
//
// A read of a mapped page beyond the end of the file raises SIGBUS in the reading thread. The
// handler replaces the missing pages by pages of zeros, so that the read continues, and marks the
// region; imgc_region_remove returns the mark. All other SIGBUS signals go to the previous action.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // for syscall, BUS_MCEERR_AR and MAP_ANONYMOUS
#endif

#include "core/mapped_regions.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

// A region of the table. The handler only reads it, and it runs in a thread that reads the mapping,
// so the region that it finds cannot be removed meanwhile. Other regions may change; `version`
// detects that.
typedef struct region {
  atomic_bool is_used;           // claimed by a mapping
  atomic_uint_fast64_t version;  // odd while start and size are valid
  atomic_uintptr_t start;        // address of the first page
  atomic_size_t size;            // bytes, a multiple of the page size
  atomic_bool has_missing_pages; // set by the handler
} region;

static region regions[IMGC_MAX_REGIONS];
// One more than the highest index ever used, so that the handler searches only a part of the table.
static atomic_int region_end;
static size_t page_size;
static struct sigaction previous;
static bool is_installed;
// The previous action had SA_RESETHAND and was called: from then on it is the default action.
static atomic_bool is_previous_reset;

_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2 && ATOMIC_BOOL_LOCK_FREE == 2,
               "handler without locks");

// Maps pages of zeros. With the system call instead of mmap(3), because only system calls are safe
// in a signal handler when a sanitizer replaces the functions of the C library.
static bool map_zeros(uintptr_t start, size_t size) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
#if defined(__linux__) && defined(__LP64__)
  return syscall(SYS_mmap, start, size, PROT_READ, flags, -1, 0) == (long)start;
#else
  return mmap((void *)start, size, PROT_READ, flags, -1, 0) == (void *)start;
#endif
}

// Replaces the pages from `address` to the end of its region; false when no region contains it. All
// later pages of the file are missing too.
static bool replace_pages(uintptr_t address) {
  int end = atomic_load(&region_end);
  for (int i = 0; i < end; i++) {
    region *candidate = &regions[i];
    uint_fast64_t version = atomic_load(&candidate->version);
    if (version % 2 == 0) continue;
    uintptr_t start = atomic_load(&candidate->start);
    size_t size = atomic_load(&candidate->size);
    if (address < start || address - start >= size) continue;
    if (atomic_load(&candidate->version) != version) continue;
    atomic_store(&candidate->has_missing_pages, true);
    uintptr_t page = address - (address - start) % page_size;
    return map_zeros(page, size - (page - start));
  }
  return false;
}

// Does what the process would do without this handler.
static void call_previous(int number, siginfo_t *info, void *context) {
  // sa_handler and sa_sigaction share their memory.
  bool has_handler = previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN;
  if (has_handler && (previous.sa_flags & (int)SA_RESETHAND))
    has_handler = !atomic_exchange(&is_previous_reset, true);
  if (has_handler && (previous.sa_flags & SA_SIGINFO)) {
    previous.sa_sigaction(number, info, context);
  } else if (has_handler) {
    previous.sa_handler(number);
  } else if (previous.sa_handler == SIG_IGN && info->si_code <= 0) {
    return; // sent by a process: can be ignored, unlike a fault
  } else {
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    sigaction(number, &standard, NULL);
    raise(number); // blocked until the handler returns; ends the process
  }
}

static void handle(int number, siginfo_t *info, void *context) {
  int saved = errno;
  bool is_fault = info->si_code > 0;
#ifdef BUS_MCEERR_AR
  // Defective memory is not a missing page.
  if (info->si_code == BUS_MCEERR_AR || info->si_code == BUS_MCEERR_AO) is_fault = false;
#endif
  if (!is_fault || !replace_pages((uintptr_t)info->si_addr)) call_previous(number, info, context);
  errno = saved;
}

static bool is_handler(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == handle;
}

static bool is_same(const struct sigaction *a, const struct sigaction *b) {
  if (a->sa_flags != b->sa_flags) return false;
  return a->sa_flags & SA_SIGINFO ? a->sa_sigaction == b->sa_sigaction
                                  : a->sa_handler == b->sa_handler;
}

static void install(void) {
  long size = sysconf(_SC_PAGESIZE);
  if (size <= 0 || sigaction(SIGBUS, NULL, &previous)) return;
  page_size = (size_t)size;
  // If another thread changes the action after it was read, the action that was replaced is the
  // previous one: install the handler again, with the flags of that action.
  for (;;) {
    struct sigaction action, replaced;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | (previous.sa_flags & (SA_RESTART | SA_NODEFER));
    action.sa_mask = previous.sa_mask;
    if (sigaction(SIGBUS, &action, &replaced)) return;
    if (is_handler(&replaced) || is_same(&replaced, &previous)) break;
    previous = replaced;
  }
  is_installed = true;
}

static bool is_active(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  // A fault ends the process without a call of the handler if the thread blocks the signal.
  sigset_t blocked;
  if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) || sigismember(&blocked, SIGBUS)) return false;
  struct sigaction current;
  return pthread_once(&once, install) == 0 && is_installed &&
         sigaction(SIGBUS, NULL, &current) == 0 && is_handler(&current);
}

int imgc_region_add(const void *start, size_t size) {
  if (!is_active()) return IMGC_NO_REGION;
  for (int i = 0; i < IMGC_MAX_REGIONS; i++) {
    region *slot = &regions[i];
    if (atomic_exchange(&slot->is_used, true)) continue;
    atomic_store(&slot->start, (uintptr_t)start);
    atomic_store(&slot->size, (size + page_size - 1) / page_size * page_size);
    atomic_store(&slot->has_missing_pages, false);
    atomic_fetch_add(&slot->version, 1);
    int end = atomic_load(&region_end);
    while (end <= i && !atomic_compare_exchange_weak(&region_end, &end, i + 1)) {
    }
    return i;
  }
  return IMGC_NO_REGION;
}

bool imgc_region_remove(int index) {
  region *slot = &regions[index];
  bool has_missing_pages = atomic_load(&slot->has_missing_pages);
  atomic_fetch_add(&slot->version, 1);
  atomic_store(&slot->is_used, false);
  return has_missing_pages;
}
