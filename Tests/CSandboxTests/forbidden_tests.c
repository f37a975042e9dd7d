// Forbidden system calls: every number outside of the allow-list, every value of a condition
// outside of its set, and attempts by name. Each one ends a confined process with SIGSYS.

#include "tests.h"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

typedef struct call {
  long number, arguments[4];
} call;

static int make_call(const void *argument) {
  const call *c = argument;
  pisb_confine(NULL);
  syscall(c->number, c->arguments[0], c->arguments[1], c->arguments[2], c->arguments[3], 0, 0);
  _exit(0);
}

static bool is_allowed(long number) {
  size_t count;
  const pisb_allowed_call *calls = pisb_allowed_calls(&count);
  for (size_t i = 0; i < count; i++)
    if (calls[i].number == number) return true;
  return false;
}

static void expect_death(call c, const char *name) {
  int result = in_fork(make_call, &c);
  expect(result == -SIGSYS, "%s %ld(%ld, %ld, %ld): %d", name, c.number, c.arguments[0],
         c.arguments[1], c.arguments[2], result);
}

// uretprobe and uprobe of x86-64: Linux 6.14 and later run them without filter. They only work when
// the kernel has inserted a probe into the program.
static bool is_unfiltered(long number) {
#ifdef __x86_64__
  return number == 335 || number == 336;
#else
  return (void)number, false;
#endif
}

static void test_numbers(void) {
  // 600: above the newest number. The others: x32, and the ranges of other architectures.
  for (long number = 0; number < 600; number++)
    if (!is_allowed(number) && !is_unfiltered(number)) expect_death((call){number, {0}}, "number");
  const long others[] = {1023, 4096, 0x0fffffff, 0x7fffffff, -1, -2};
  for (int i = 0; i < 6; i++) expect_death((call){others[i], {0}}, "number");
  for (long number = 0; number < 600; number += is_allowed(number) ? 1 : 13)
    expect_death((call){number | 0x40000000, {0}}, "x32");
}

static void test_conditions(void) {
  for (int bits = 4; bits < 8; bits++) {
    expect_death((call){__NR_mprotect, {0, 0, bits, 0}}, "executable");
    expect_death((call){__NR_mmap, {0, 4096, bits, MAP_PRIVATE | MAP_ANONYMOUS}}, "executable");
    expect_death((call){__NR_mprotect, {0, 0, bits | 0x7fffff0000000000, 0}}, "executable");
  }
  for (int advice = -1; advice < 128; advice++)
    if (advice != MADV_DONTNEED && advice != MADV_FREE && advice != MADV_HUGEPAGE &&
        !(IS_SANITIZED && (advice == MADV_NOHUGEPAGE || advice == MADV_DONTDUMP)))
      expect_death((call){__NR_madvise, {0, 0, advice, 0}}, "advice");
  for (int command = 0; command < 40; command++)
    expect_death((call){__NR_fcntl, {PISB_WORKER_SOCKET, command, 0, 0}}, "command");
  for (int command = 1024; command < 1050; command++)
    if (command != F_GET_SEALS) expect_death((call){__NR_fcntl, {3, command, 0, 0}}, "command");
  for (int operation = 0; operation < 32; operation++)
    if (operation != 0 && operation != 1 && operation != 9 && operation != 10)
      expect_death((call){__NR_futex, {0, operation | 128, 0, 0}}, "operation");
  for (int descriptor = -1; descriptor < 20; descriptor++)
    if (descriptor < 0 || descriptor > 2) {
      expect_death((call){__NR_write, {descriptor, 0, 0, 0}}, "descriptor");
      expect_death((call){__NR_writev, {descriptor, 0, 0, 0}}, "descriptor");
    }
  const int processes[] = {0, 1, -1, getpid(), getppid()};
  for (int i = 0; i < 5; i++) {
    expect_death((call){__NR_tgkill, {processes[i], processes[i], 0, 0}}, "process");
    expect_death((call){__NR_tkill, {processes[i], 0, 0, 0}}, "process");
  }
}

static void do_open(void) { open("/etc/passwd", O_RDONLY); }
static void do_openat(void) { openat(AT_FDCWD, "etc", O_RDONLY); }
static void do_socket(void) { socket(AF_INET, SOCK_STREAM, 0); }
static void do_connect(void) { connect(PISB_WORKER_SOCKET, NULL, 0); }
static void do_fork(void) { _exit(fork() == 0); }
static void do_exec(void) { execl("/bin/true", "true", NULL); }
static void do_ptrace(void) { ptrace(PTRACE_TRACEME, 0, NULL, NULL); }
static void do_prctl(void) { prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); }
static void do_ioctl(void) { ioctl(0, TIOCSTI, "x"); }
static void do_kill(void) { kill(getppid(), 0); }
static void do_kill_self(void) { kill(getpid(), 0); }
static void do_read_memory(void) {
  char byte;
  struct iovec local = {&byte, 1}, remote = {&byte, 1};
  process_vm_readv(getppid(), &local, 1, &remote, 1, 0);
}
static void do_io_uring(void) { syscall(425, 1, NULL); }
static void do_unshare(void) { unshare(CLONE_NEWUSER); }
static void do_memfd(void) { pisb_memfd("x"); }
static void do_truncate(void) { (void)!ftruncate(0, 0); }
static void do_sendfile(void) { sendfile(1, 0, NULL, 1); }
static void do_read(void) { (void)!read(0, NULL, 0); }
static void do_pipe(void) {
  int ends[2];
  (void)!pipe(ends);
}
static void do_exec_mapping(void) {
  mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
#ifdef __x86_64__
// System call 20 (getpid) of the 32-bit table.
static void do_int80(void) {
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
}
#endif

static const struct {
  const char *name;
  void (*run)(void);
} attempts[] = {
    {"open", do_open},           {"openat", do_openat},
    {"socket", do_socket},       {"connect", do_connect},
    {"fork", do_fork},           {"execve", do_exec},
    {"ptrace", do_ptrace},       {"prctl", do_prctl},
    {"ioctl", do_ioctl},         {"kill parent", do_kill},
    {"kill self", do_kill_self}, {"process_vm_readv", do_read_memory},
    {"io_uring", do_io_uring},   {"unshare", do_unshare},
    {"memfd", do_memfd},         {"ftruncate", do_truncate},
    {"sendfile", do_sendfile},   {"read", do_read},
    {"pipe", do_pipe},           {"PROT_EXEC", do_exec_mapping},
#ifdef __x86_64__
    {"int 0x80", do_int80},
#endif
};

static int attempt(const void *run) {
  pisb_confine(NULL);
  (*(void (*const *)(void))run)();
  _exit(0);
}

void test_forbidden_calls(void) {
  pisb_support support;
  pisb_read_support(&support);
  if (!support.seccomp_filter) return;
  for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
    int result = in_fork(attempt, &attempts[i].run);
    expect(result == -SIGSYS, "%s: %d", attempts[i].name, result);
  }
  test_conditions();
  test_numbers();
}
