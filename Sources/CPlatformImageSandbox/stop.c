// End of a worker process, and its CPU time.

#include "kernel.h"

#ifdef __linux__

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static bool wait_for(const pisb_process *process, int options, siginfo_t *info);

void pisb_stop(pisb_process *process, pisb_exit *exit) {
  pisb_exit result = {false, 0};
  if (process->process > 0) {
    // The handle always refers to the started process. The process id could have been assigned to
    // another process when other code of this program has waited for the worker.
    if (process->process_handle < 0)
      kill(process->process, SIGKILL);
    else if (syscall(__NR_pidfd_send_signal, process->process_handle, SIGKILL, NULL, 0) != 0 &&
             errno != ESRCH)
      kill(process->process, SIGKILL);
    siginfo_t info;
    if (wait_for(process, WEXITED, &info)) {
      result.was_signalled = info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
      result.code = info.si_status;
    }
    pisb_close(process->socket), pisb_close(process->process_handle);
    process->process = 0;
  }
  process->socket = process->process_handle = -1;
  if (exit) *exit = result;
}

bool pisb_has_ended(const pisb_process *process) {
  if (process->process <= 0) return true;
  if (process->process_handle >= 0) {
    // Readable from the end of the last thread on, also when other code has waited for the process.
    struct pollfd item = {.fd = process->process_handle, .events = POLLIN};
    int count;
    do count = poll(&item, 1, 0);
    while (count < 0 && errno == EINTR);
    if (count >= 0) return count > 0;
  }
  siginfo_t info;
  return !wait_for(process, WEXITED | WNOHANG | WNOWAIT, &info) || info.si_pid != 0;
}

uint64_t pisb_cpu_time(const pisb_process *process) {
  clockid_t clock;
  struct timespec time;
  if (process->process <= 0 || clock_getcpuclockid(process->process, &clock) != 0) return 0;
  if (clock_gettime(clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// waitid(2) for the process. False when the process is no child: other code has waited for it, or
// SIGCHLD is ignored, so that the kernel keeps no zombies (the call then returns after its end).
static bool wait_for(const pisb_process *process, int options, siginfo_t *info) {
  idtype_t type = process->process_handle >= 0 ? (idtype_t)PISB_P_PIDFD : P_PID;
  for (;;) {
    info->si_pid = 0;
    id_t id = type == P_PID ? (id_t)process->process : (id_t)process->process_handle;
    if (waitid(type, id, info, options) == 0) return true;
    if (errno == EINVAL && type != P_PID)
      type = P_PID; // Linux 5.3: handles, but no wait for them
    else if (errno != EINTR)
      return false;
  }
}

#endif
