#define _GNU_SOURCE
#include "CPlatformImageBaselines.h"

#ifdef __linux__
#include <sched.h>
#endif

bool bench_pin_thread(void) {
#ifdef __linux__
  int core = sched_getcpu();
  if (core < 0 || core >= CPU_SETSIZE) return false;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
#else
  return false;
#endif
}
