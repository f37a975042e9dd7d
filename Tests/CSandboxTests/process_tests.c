// Start and stop of processes, and what a new process inherits.

#include "tests.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { LONG = 20000 }; // ms; no test waits that long when it passes

static pisb_process start(const char *role) {
  pisb_process process;
  if (!expect(pisb_start(program, role, 0, &process) == PISB_OK, "start %s: %s", role,
              strerror(errno)))
    exit(2);
  return process;
}

// Waits until the process has closed its socket.
static void await_end(const pisb_process *process) {
  char byte;
  size_t count;
  expect(pisb_receive(process->socket, &byte, 1, &count, NULL, LONG) == PISB_CLOSED, "end");
}

static void test_failures(void) {
  const struct {
    const char *path;
    int error;
  } cases[] = {{"/nonexistent", ENOENT}, {"/dev/null", EACCES}, {"/", EACCES},
               {"/etc/passwd", EACCES},  {"", ENOENT},          {"/etc/passwd/x", ENOTDIR}};
  for (int i = 0; i < 6; i++) {
    pisb_process process = {11, 12, 13};
    int before = open_descriptors();
    expect(pisb_start(cases[i].path, "x", 0, &process) == PISB_FAILED && errno == cases[i].error,
           "%s: %s", cases[i].path, strerror(errno));
    expect(process.process == 11 && process.socket == 12 && process.process_handle == 13,
           "the process is unchanged");
    expect(open_descriptors() == before, "descriptors");
    expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no zombie");
  }
}

// Every number of free descriptors: it fails with EMFILE, or the process works.
static void test_shortage(void) {
  struct rlimit limit, low;
  getrlimit(RLIMIT_NOFILE, &limit);
  int successes = 0, first = open_descriptors();
  for (int count = 0; count < 10; count++) {
    low = limit, low.rlim_cur = (rlim_t)(first + count);
    setrlimit(RLIMIT_NOFILE, &low);
    pisb_process process;
    pisb_status status = pisb_start(program, "child:exit", 0, &process);
    int code = errno;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (status == PISB_OK) {
      successes++;
      await_end(&process);
      pisb_stop(&process, NULL);
    } else
      expect(status == PISB_FAILED && code == EMFILE, "%d free: %s", count, strerror(code));
    expect(open_descriptors() == first, "%d free: descriptors leak", count);
    expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "%d free: no zombie", count);
  }
  expect(successes > 0 && successes < 10, "%d successes", successes);
}

static void test_ends(void) {
  const struct {
    const char *role;
    bool awaits_end, was_signalled;
    int code;
  } cases[] = {{"child:exit", true, false, 7},
               {"child:abort", true, true, SIGABRT},
               {"child:echo", false, true, SIGKILL},
               {"child:loop", false, true, SIGKILL}};
  for (int i = 0; i < 4; i++) {
    pisb_process process = start(cases[i].role);
    expect(fcntl(process.socket, F_GETFD) == FD_CLOEXEC, "close-on-exec");
    expect(fcntl(process.socket, F_GETFL) & O_NONBLOCK, "non-blocking");
    if (cases[i].awaits_end) {
      await_end(&process);
      while (!has_ended(&process)) {
      } // the socket is closed shortly before the end
      expect(kill(process.process, 0) == 0, "the zombie remains");
    } else
      expect(!has_ended(&process), "%s runs", cases[i].role);
    pisb_exit end = {false, 99};
    pisb_stop(&process, &end);
    expect(end.was_signalled == cases[i].was_signalled && end.code == cases[i].code, "%s: %d %d",
           cases[i].role, end.was_signalled, end.code);
    expect(process.process == 0 && process.socket == -1 && process.process_handle == -1, "closed");
    pisb_stop(&process, &end), pisb_stop(&process, NULL);
    expect(!end.was_signalled && end.code == 0, "second stop");
  }
  pisb_process zero = {0};
  pisb_stop(&zero, NULL);
  expect(fcntl(0, F_GETFD) >= 0, "a structure of zeros closes nothing");
}

// Other code of the program waits for the process, or ignores SIGCHLD.
static void test_foreign_waits(void) {
  for (int without_handle = 0; without_handle < 2; without_handle++) {
    pisb_process process = start("child:exit");
    if (without_handle) close(process.process_handle), process.process_handle = -1;
    while (waitpid(process.process, NULL, 0) < 0 && errno == EINTR) {
    }
    pisb_exit end = {true, 99};
    pisb_stop(&process, &end);
    expect(!end.was_signalled && end.code == 0, "foreign wait: %d", end.code);

    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGCHLD, &ignore, &old);
    process = start("child:loop");
    if (without_handle) close(process.process_handle), process.process_handle = -1;
    expect(!has_ended(&process), "runs while SIGCHLD is ignored");
    end = (pisb_exit){true, 99};
    pid_t id = process.process;
    pisb_stop(&process, &end);
    expect(!end.was_signalled && end.code == 0, "ignored SIGCHLD: %d", end.code);
    expect(kill(id, 0) < 0 && errno == ESRCH, "the process has ended");
    sigaction(SIGCHLD, &old, NULL);

    process = start("child:loop");
    if (without_handle) close(process.process_handle), process.process_handle = -1;
    pisb_stop(&process, &end);
    expect(end.was_signalled && end.code == SIGKILL, "without handle %d", without_handle);
  }
}

static void check_report(pisb_process *process, int niceness, const char *name) {
  child_report report;
  size_t count;
  memset(&report, 0, sizeof report);
  pisb_status status = pisb_receive(process->socket, &report, sizeof report, &count, NULL, LONG);
  expect(status == PISB_OK && count == sizeof report, "%s: status %d", name, status);
  for (int i = 0; i < 5; i++)
    expect(report.descriptors[i] == (i < 4 ? i : -1), "%s: descriptor %d", name,
           report.descriptors[i]);
  expect(report.variables == 0, "%s: %d variables", name, report.variables);
  expect(report.blocked_signals == 0, "%s: %d blocked signals", name, report.blocked_signals);
  expect(report.handled_signals == 0, "%s: %d handled signals", name, report.handled_signals);
  expect(report.niceness == niceness, "%s: niceness %d", name, report.niceness);
  expect(report.size_of_empty == 0 && (report.seals_of_empty & PISB_SEALED) == PISB_SEALED &&
             report.error_of_write == EPERM,
         "%s: standard error: %d", name, report.error_of_write);
  pisb_exit end;
  await_end(process);
  while (!has_ended(process)) {
  }
  pisb_stop(process, &end);
  expect(!end.was_signalled && end.code == 0, "%s: end %d", name, end.code);
}

static void test_inheritance(void) {
  int own = getpriority(PRIO_PROCESS, 0), leaked[40];
  for (int i = 0; i < 40; i++) leaked[i] = dup(0); // not close-on-exec
  int high = fcntl(0, F_DUPFD, 900);
  sigset_t all, old;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old);
  struct sigaction ignore = {.sa_handler = SIG_IGN}, pipe_action, user_action;
  sigaction(SIGPIPE, &ignore, &pipe_action), sigaction(SIGUSR1, &ignore, &user_action);
  for (int niceness = -1; niceness <= 25; niceness++) {
    pisb_process process;
    expect(pisb_start(program, "child:report", niceness, &process) == PISB_OK, "start");
    int sum = own + (niceness > 0 ? niceness : 0);
    // The niceness is set after the start: a fast child reports the old one.
    int expected = sum > 19 ? 19 : sum;
    expect(getpriority(PRIO_PROCESS, (id_t)process.process) == expected, "niceness %d", niceness);
    if (niceness > 0)
      pisb_stop(&process, NULL);
    else
      check_report(&process, own, "report");
  }
  sigaction(SIGPIPE, &pipe_action, NULL), sigaction(SIGUSR1, &user_action, NULL);
  sigprocmask(SIG_SETMASK, &old, NULL);
  for (int i = 0; i < 40; i++) close(leaked[i]);
  close(high);
}

// The descriptors 0 to 3 of the parent are free in each combination, so that the socket and the
// memfd receive these numbers.
static int start_with_free(const void *argument) {
  int mask = *(const int *)argument;
  for (int descriptor = 0; descriptor < 4; descriptor++) {
    if (mask & 1 << descriptor)
      close(descriptor);
    else
      dup2(mask ? 1 : 0, descriptor);
  }
  pisb_process process;
  child_report report;
  size_t count;
  if (pisb_start(program, "child:report", 0, &process) != PISB_OK) return 1;
  if (pisb_receive(process.socket, &report, sizeof report, &count, NULL, LONG) != PISB_OK) return 2;
  for (int i = 0; i < 5; i++)
    if (report.descriptors[i] != (i < 4 ? i : -1)) return 3;
  if (report.error_of_write != EPERM || report.size_of_empty != 0) return 4;
  pisb_stop(&process, NULL);
  return 0;
}

static void test_echo(void) {
  static uint8_t bytes[PISB_MAX_MESSAGE], answer[PISB_MAX_MESSAGE];
  pisb_process process = start("child:echo");
  for (size_t size = 1; size <= PISB_MAX_MESSAGE;
       size = size < 65536 - 9973 ? size + 9973 : 65536) {
    size_t count;
    int input = pisb_sealed_copy(bytes, size), descriptor;
    memset(bytes, (int)size, size);
    expect(pisb_send(process.socket, bytes, size, input, LONG) == PISB_OK, "send %zu", size);
    expect(pisb_receive(process.socket, answer, sizeof answer, &count, &descriptor, LONG) ==
                   PISB_OK &&
               count == size && memcmp(bytes, answer, size) == 0,
           "echo %zu", size);
    struct stat a, b;
    expect(fstat(input, &a) == 0 && fstat(descriptor, &b) == 0 && a.st_ino == b.st_ino, "file");
    close(input), close(descriptor);
    if (size == PISB_MAX_MESSAGE) break;
  }
  pisb_stop(&process, NULL);
}

static int oom_score(pid_t process) {
  char path[40], text[16] = "";
  snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)process);
  int file = open(path, O_RDONLY);
  ssize_t count = file < 0 ? -1 : read(file, text, sizeof text - 1);
  pisb_close(file);
  return count > 0 ? atoi(text) : -9999;
}

static bool set_oom_score(int value) {
  int file = open("/proc/self/oom_score_adj", O_WRONLY);
  bool is_set = file >= 0 && dprintf(file, "%d", value) > 0;
  pisb_close(file);
  return is_set;
}

// In a fork: only a privileged process may lower the value again.
static int start_with_oom_score(const void *argument) {
  int own = *(const int *)argument;
  if (!set_oom_score(own))
    return own < oom_score(getpid()) ? 0 : 1; // lower values need a privilege
  pisb_process process;
  if (pisb_start(program, "child:loop", 0, &process) != PISB_OK) return 2;
  int value = oom_score(process.process);
  pisb_stop(&process, NULL);
  return value == (own >= 0 ? 1000 : own + 1000) && oom_score(getpid()) == own ? 0 : 3;
}

static void *signal_later(void *argument) {
  usleep(1000);
  pisb_signal_alarm(*(int *)argument);
  return NULL;
}

static void test_waits(void) {
  int first = open_descriptors(), alarm = pisb_create_alarm();
  pisb_process a = start("child:loop"), b = start("child:loop");
  const int sockets[] = {a.socket, -1, b.socket};
  pisb_wait(alarm, sockets, 3, 1); // the time passes
  expect(!pisb_has_ended(a.socket) && !pisb_has_ended(b.socket), "both run");
  // A signal before the wait ends this wait only, also when it was sent several times.
  for (int i = 0; i < 3; i++) pisb_signal_alarm(alarm);
  pisb_wait(alarm, sockets, 3, -1);
  pthread_t thread;
  pthread_create(&thread, NULL, signal_later, &alarm);
  pisb_wait(alarm, sockets, 3, -1);
  pthread_join(thread, NULL);

  kill(b.process, SIGKILL);
  pisb_wait(alarm, sockets, 3, -1);
  expect(pisb_has_ended(b.socket) && !pisb_has_ended(a.socket), "one has ended");
  pisb_wait(alarm, sockets, 3, -1); // as long as the socket is among the sockets
  pisb_stop(&b, NULL);
  pisb_wait(alarm, (const int[]){a.socket, sockets[2]}, 2, -1); // a closed descriptor
  pisb_wait(alarm, NULL, 0, 0);
  // A message that was not read is no end.
  pisb_process echo = start("child:echo");
  expect(pisb_send(echo.socket, "x", 1, -1, LONG) == PISB_OK, "send");
  char byte;
  while (recv(echo.socket, &byte, 1, MSG_PEEK) != 1) {
  }
  expect(!pisb_has_ended(echo.socket), "a message");
  pisb_stop(&echo, NULL), pisb_stop(&a, NULL);
  expect(!pisb_has_ended(-1), "no socket");
  pisb_signal_alarm(-1);
  pisb_wait(-1, NULL, 0, 1);
  pisb_close_alarm(alarm), pisb_close_alarm(-1);
  expect(open_descriptors() == first, "descriptors");
}

void test_processes(void) {
  // posix_spawn reports no failure under valgrind, which runs vfork as fork.
  if (!is_emulated()) test_failures();
  if (!is_emulated()) test_shortage();
  test_ends();
  test_waits();
  const int oom_scores[] = {-1000, -500, -1, 0, 1, 500, 999, 1000};
  for (int i = 0; i < 8 && !is_emulated(); i++) {
    int result = in_fork(start_with_oom_score, &oom_scores[i]);
    expect(result == 0, "oom_score_adj %d: %d", oom_scores[i], result);
  }
  test_foreign_waits();
  test_inheritance();
  for (int mask = 0; mask < 16 && !is_emulated(); mask++) {
    int result = in_fork(start_with_free, &mask);
    expect(result == 0, "free descriptors %d: %d", mask, result);
  }
  test_echo();
}
