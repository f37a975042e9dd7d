// The steps of the confinement, and what this machine supports.

#include "tests.h"

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { LONG = 20000 }; // ms

// A field of /proc/PID/status in base 16; the numbers of the tested fields have the same digits in
// base 10.
static uint64_t status_field(pid_t process, const char *name) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", (int)process);
  FILE *file = fopen(path, "re");
  uint64_t value = UINT64_MAX;
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0) value = strtoull(line + strlen(name), NULL, 16);
  if (file) fclose(file);
  return value;
}

static void test_confined_child(const pisb_support *support) {
  pisb_process process;
  pisb_confinement result = {0};
  size_t count;
  if (pisb_start(program, "child:confined", 0, &process) != PISB_OK) exit(2);
  expect(pisb_receive(process.socket, &result, sizeof result, &count, NULL, LONG) == PISB_OK &&
             count == sizeof result,
         "result of the confinement");
  int newest = support->landlock > 7 ? 7 : support->landlock;
  expect(result.no_new_privileges && result.seccomp && result.limits && result.error == 0 &&
             result.landlock == newest,
         "confinement: %d %d %d, landlock %d, error %d", result.no_new_privileges, result.seccomp,
         result.limits, result.landlock, result.error);
  for (int i = 0; i < operation_count; i++) {
    uint8_t works = 0;
    pisb_status status = pisb_receive(process.socket, &works, 1, &count, NULL, LONG);
    expect(status == PISB_OK && works == 1, "%s: status %d", operations[i].name, status);
  }
  expect(status_field(process.process, "Seccomp:") == 2, "Seccomp");
  expect(status_field(process.process, "NoNewPrivs:") == 1, "NoNewPrivs");
  expect(status_field(process.process, "CapEff:") == 0, "CapEff");
  expect(status_field(process.process, "CapPrm:") == 0, "CapPrm");
  uint8_t byte = 0;
  pisb_exit end;
  pisb_send(process.socket, &byte, 1, -1, LONG);
  expect(pisb_receive(process.socket, &byte, 1, &count, NULL, LONG) == PISB_CLOSED, "end");
  while (!has_ended(&process)) {
  }
  pisb_stop(&process, &end);
  expect(!end.was_signalled && end.code == 9, "end: %d %d", end.was_signalled, end.code);
}

static int abort_confined(const void *how) {
  pisb_confine(NULL);
  if (*(const int *)how == 0) abort();
  if (*(const int *)how == 1) __builtin_trap();
  if (*(const int *)how == 2) raise(SIGTERM);
#if defined(__GLIBC__) && !IS_SANITIZED
  // glibc prints a message and aborts.
  if (*(const int *)how == 4) {
    void *volatile block = malloc(64);
    void *volatile same = block;
    free(block), free(same);
  }
#endif
  _exit(5);
}

void test_confined_ends(void) {
#ifdef __aarch64__
  const int trap = -SIGTRAP;
#else
  const int trap = -SIGILL;
#endif
#if defined(__GLIBC__) && !IS_SANITIZED
  const int double_free = -SIGABRT;
#else
  const int double_free = 5;
#endif
  const int expected[] = {-SIGABRT, trap, -SIGTERM, 5, double_free};
  for (int how = 0; how < 5; how++) {
    int result = in_fork(abort_confined, &how);
    expect(result == expected[how], "end %d of a confined process: %d", how, result);
  }
}

// Landlock alone.
static int try_landlock(const void *unused) {
  (void)unused;
  int version;
  pid_t parent = getppid();
  int socket_before = socket(AF_INET, SOCK_STREAM, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || pisb_landlock_apply(&version) != 0) return 1;
  if (version == 0) return 0;
  if (open("/proc/self/status", O_RDONLY) >= 0 || errno != EACCES) return 2;
  if (open("/", O_RDONLY | O_DIRECTORY) >= 0 || errno != EACCES) return 3;
  if (open("/tmp/pisb-test", O_RDWR | O_CREAT, 0600) >= 0 || errno != EACCES) return 4;
  if (mkdir("/tmp/pisb-test", 0700) == 0 || errno != EACCES) return 5;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (version >= 4 && socket_before >= 0 &&
      (connect(socket_before, (struct sockaddr *)&address, sizeof address) == 0 || errno != EACCES))
    return 6;
  if (version >= 6 && (kill(parent, 0) == 0 || errno != EPERM)) return 7;
  return 0;
}

// Descriptors of the program that are not close-on-exec are closed, so that a limit below them
// holds.
static int try_limits(const void *limits) {
  for (int descriptor = 4; descriptor < 30; descriptor++) dup2(1, descriptor);
  pisb_close_others();
  pisb_confinement result = pisb_confine(limits);
  if (!result.limits || result.error != 0) return 1;
  for (int descriptor = 4; descriptor < 30; descriptor++)
    if (fcntl(descriptor, F_GET_SEALS) >= 0 || errno != EBADF) return 2;
  return 0;
}

static void test_limits(void) {
  const pisb_limits cases[] = {{0, 0}, {(uint64_t)1 << 32, 0}, {0, 4}, {UINT64_MAX, UINT64_MAX}};
  for (int i = 0; i < 4; i++) {
    int result = in_fork(try_limits, &cases[i]);
    expect(result == 0, "limits %d: %d", i, result);
  }
}

// A second confinement: its first calls are forbidden.
static int confine_twice(const void *unused) {
  (void)unused;
  pisb_confine(NULL), pisb_confine(NULL);
  return 0;
}

void test_confinement(void) {
  pisb_support support;
  pisb_read_support(&support);
  if (!support.seccomp_filter) {
    printf("confinement: skipped, this machine has no seccomp filter\n");
    return;
  }
  test_confined_child(&support);
  test_confined_ends();
  int result = in_fork(try_landlock, NULL);
  expect(result == 0, "landlock: %d", result);
  test_limits();
  result = in_fork(confine_twice, NULL);
  expect(result == -SIGSYS, "second confinement: %d", result);
}

void test_support(void) {
  pisb_support support;
  memset(&support, 0xff, sizeof support);
  pisb_read_support(&support);
  expect(support.kernel[0] >= '3' && support.kernel[0] <= '9', "kernel %s", support.kernel);
  expect(support.memfd, "memfd");
  expect(support.landlock >= 0 && support.seccomp_mode >= 0, "numbers");
  printf("support: kernel %s, filter %d, landlock %d, handles %d, mode %d, no new privileges %d\n",
         support.kernel, support.seccomp_filter, support.landlock, support.process_handles,
         support.seccomp_mode, support.no_new_privileges);
  size_t count;
  const pisb_allowed_call *calls = pisb_allowed_calls(&count);
  for (size_t i = 0; i < count; i++) {
    expect(i == 0 || calls[i - 1].number < calls[i].number, "order at %s", calls[i].name);
    expect(calls[i].reason && strlen(calls[i].reason) > 10, "reason of %s", calls[i].name);
  }
}
