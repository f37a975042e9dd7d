// Roles of this program when pisb_start has started it.

#include "tests.h"

#include <sys/resource.h>

extern char **environ;

static int report(void) {
  child_report result;
  memset(&result, 0, sizeof result);
  int count = 0;
  for (int descriptor = 0; descriptor < 4096 && count < 7; descriptor++)
    if (fcntl(descriptor, F_GETFD) >= 0) result.descriptors[count++] = descriptor;
  result.descriptors[count] = -1;
  for (char **variable = environ; *variable; variable++) result.variables++;
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  for (int signal = 1; signal < 65; signal++) {
    struct sigaction action;
    result.blocked_signals += sigismember(&blocked, signal) == 1;
    // A sanitizer sets handlers for errors.
    bool is_error = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE;
    if (sigaction(signal, NULL, &action) == 0 && !(IS_SANITIZED && is_error))
      result.handled_signals += action.sa_handler != SIG_DFL;
  }
  errno = 0;
  result.niceness = getpriority(PRIO_PROCESS, 0);
  result.size_of_empty = pisb_memfd_size(2);
  result.seals_of_empty = fcntl(2, F_GET_SEALS);
  result.error_of_write = write(2, "x", 1) < 0 ? errno : 0;
  return pisb_send(PISB_WORKER_SOCKET, &result, sizeof result, -1, -1) != PISB_OK;
}

// Sends each message and its descriptor back, until the parent closes its socket.
static int echo(void) {
  static uint8_t bytes[PISB_MAX_MESSAGE];
  size_t count;
  int descriptor;
  while (pisb_receive(PISB_WORKER_SOCKET, bytes, sizeof bytes, &count, &descriptor, -1) ==
         PISB_OK) {
    if (pisb_send(PISB_WORKER_SOCKET, bytes, count, descriptor, -1) != PISB_OK) return 1;
    pisb_close(descriptor);
  }
  return 0;
}

// Confines itself, sends the result, runs all allowed operations, and sends one byte for each.
static int confined(void) {
  prepare_operations();
  pisb_close_others();
  pisb_limits limits = {(uint64_t)2 << 30, 16};
  pisb_confinement result = pisb_confine(&limits);
  if (pisb_send(PISB_WORKER_SOCKET, &result, sizeof result, -1, -1) != PISB_OK) _exit(1);
  for (int i = 0; i < operation_count; i++) {
    uint8_t works = operations[i].run();
    if (pisb_send(PISB_WORKER_SOCKET, &works, 1, -1, -1) != PISB_OK) _exit(2);
  }
  uint8_t byte;
  size_t count;
  pisb_receive(PISB_WORKER_SOCKET, &byte, 1, &count, NULL, -1);
  syscall(__NR_exit, 9);
  return 0;
}

int run_child(const char *name) {
  if (strcmp(name, "exit") == 0) return 7;
  if (strcmp(name, "abort") == 0) abort();
  if (strcmp(name, "report") == 0) return report();
  if (strcmp(name, "echo") == 0) return echo();
  if (strcmp(name, "confined") == 0) return confined();
  if (strcmp(name, "loop") == 0)
    for (volatile int i = 0;; i++) {
    }
  return 99;
}
