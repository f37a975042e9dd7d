// Confinement of the calling process: the steps and their order.

#include "kernel.h"

#ifdef __linux__

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static bool apply_limits(const pisb_limits *limits, int *error);
static int drop_capabilities(void);

pisb_confinement pisb_confine(const pisb_limits *limits) {
  pisb_confinement result = {0};
  int code;
  // Landlock and the filter require it of a process without CAP_SYS_ADMIN.
  result.no_new_privileges = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  if (!result.no_new_privileges && result.error == 0) result.error = errno;
  // No core file, and no access with ptrace or /proc/PID/mem for processes of the same user.
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 && result.error == 0) result.error = errno;

  code = pisb_landlock_apply(&result.landlock);
  if (code != 0 && result.error == 0) result.error = code;
  result.limits = apply_limits(limits, &code);
  if (!result.limits && result.error == 0) result.error = code;
  code = drop_capabilities();
  if (code != 0 && result.error == 0) result.error = code;

  // Last: the filter forbids the calls of the other steps.
  code = pisb_seccomp_apply();
  result.seccomp = code == 0;
  if (code != 0 && result.error == 0) result.error = code;
  return result;
}

void pisb_close_others(void) {
  const int first = PISB_WORKER_SOCKET + 1;
  if (syscall(__NR_close_range, first, ~0u, 0) == 0) return;
  // Before Linux 5.9, or forbidden by the filter of a container.
  DIR *directory = opendir("/proc/self/fd");
  if (directory) {
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
      int descriptor = atoi(entry->d_name);
      if (descriptor >= first && descriptor != dirfd(directory)) close(descriptor);
    }
    closedir(directory);
    return;
  }
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  // A descriptor can be above the current soft limit; the hard limit is at most 1,048,576 by
  // default.
  rlim_t end = limit.rlim_max > 1 << 20 ? 1 << 20 : limit.rlim_max;
  for (rlim_t descriptor = (rlim_t)first; descriptor < end; descriptor++) close((int)descriptor);
}

// Sets the soft and the hard limit, but never above the current hard limit.
// `resource` is an enumeration without negative values in glibc, and an int in musl.
static bool limit_to(unsigned resource, uint64_t value, int *error) {
  struct rlimit limit;
  bool is_set = getrlimit(resource, &limit) == 0;
  if (is_set) {
    if (value < limit.rlim_max) limit.rlim_max = value;
    limit.rlim_cur = limit.rlim_max;
    is_set = setrlimit(resource, &limit) == 0;
  }
  if (!is_set && *error == 0) *error = errno;
  return is_set;
}

// Handlers of run times, such as the one that prints Swift backtraces, use system calls that the
// filter forbids: the worker would end with SIGSYS instead of the signal of the defect.
static void reset_signals(void) {
#ifndef PISB_IS_SANITIZED
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
#endif
}

static bool apply_limits(const pisb_limits *limits, int *error) {
  *error = 0;
  reset_signals();
  // A write to standard error would exceed RLIMIT_FSIZE and end the worker with SIGXFSZ, before the
  // kernel compares the seals. Ignored, the signal lets the write fail with EFBIG.
  signal(SIGXFSZ, SIG_IGN);
  bool are_set = limit_to(RLIMIT_CORE, 0, error);
  are_set = limit_to(RLIMIT_FSIZE, 0, error) && are_set;
  if (limits && limits->descriptors > 0)
    are_set = limit_to(RLIMIT_NOFILE, limits->descriptors, error) && are_set;
#ifndef PISB_IS_SANITIZED
  // Sanitizers reserve terabytes of address space.
  if (limits && limits->address_space > 0)
    are_set = limit_to(RLIMIT_AS, limits->address_space, error) && are_set;
#endif
  return are_set;
}

// A worker of root would keep all capabilities: PR_SET_NO_NEW_PRIVS only prevents new ones.
static int drop_capabilities(void) {
  struct {
    uint32_t version;
    int process;
  } header = {0x20080522, 0}; // _LINUX_CAPABILITY_VERSION_3
  struct {
    uint32_t effective, permitted, inheritable;
  } sets[2];
  memset(sets, 0, sizeof sets);
  return syscall(__NR_capset, &header, sets) == 0 ? 0 : errno;
}

#endif
