// Features of the kernel and of the container that decode workers need.

#include "kernel.h"

#ifdef __linux__

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

static int status_number(const char *name);

void pisb_read_support(pisb_support *support) {
  *support = (pisb_support){0};
  struct utsname system;
  if (uname(&system) == 0)
    snprintf(support->kernel, sizeof support->kernel, "%.64s", system.release);
  support->seccomp_filter = pisb_seccomp_is_available();
  support->landlock = pisb_landlock_version();
  int descriptor = pisb_memfd("pisb-support");
  support->memfd = descriptor >= 0;
  pisb_close(descriptor);
  descriptor = (int)syscall(__NR_pidfd_open, getpid(), 0);
  support->process_handles = descriptor >= 0;
  pisb_close(descriptor);
  support->seccomp_mode = status_number("Seccomp:");
  support->no_new_privileges = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

// A number of /proc/self/status; 0 when it is missing.
static int status_number(const char *name) {
  FILE *file = fopen("/proc/self/status", "re");
  if (!file) return 0;
  char line[256];
  int number = 0;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0 && sscanf(line + strlen(name), "%d", &number) == 1)
      break;
  fclose(file);
  return number;
}

#endif
