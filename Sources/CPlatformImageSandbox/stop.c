// End of a worker process.

#include "kernel.h"

#ifdef __linux__

#include <signal.h>
#include <sys/wait.h>

static bool wait_for(const pisb_process *process, siginfo_t *info);

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
    if (wait_for(process, &info)) {
      result.was_signalled = info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
      result.code = info.si_status;
    }
    pisb_close(process->socket), pisb_close(process->process_handle);
    process->process = 0;
  }
  process->socket = process->process_handle = -1;
  if (exit) *exit = result;
}

// waitid(2) for the process. False when the process is no child: other code has waited for it, or
// SIGCHLD is ignored, so that the kernel keeps no zombies (the call then returns after its end).
static bool wait_for(const pisb_process *process, siginfo_t *info) {
  idtype_t type = process->process_handle >= 0 ? (idtype_t)PISB_P_PIDFD : P_PID;
  for (;;) {
    id_t id = type == P_PID ? (id_t)process->process : (id_t)process->process_handle;
    if (waitid(type, id, info, WEXITED) == 0) return true;
    if (errno == EINVAL && type != P_PID)
      type = P_PID; // Linux 5.3: handles, but no wait for them
    else if (errno != EINTR)
      return false;
  }
}

#endif
