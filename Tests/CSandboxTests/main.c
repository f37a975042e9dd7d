// Tests of CPlatformImageSandbox. Prints one line per group; exit status 1 when a check fails.

#include "tests.h"

#include <stdarg.h>

static uint64_t checks, failures;
const char *program;

bool count_success(void) {
  checks++;
  return true;
}

bool print_failure(const char *format, ...) {
  checks++;
  if (failures++ < 20) {
    va_list arguments;
    va_start(arguments, format);
    printf("  failed: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
  }
  return false;
}

bool is_emulated(void) {
  const char *value = getenv("PISB_TESTS_EMULATED");
  return value && *value;
}

int open_descriptors(void) {
  int count = 0;
  for (int descriptor = 0; descriptor < 1024; descriptor++)
    count += fcntl(descriptor, F_GETFD) >= 0;
  return count;
}

int in_fork(int (*body)(const void *), const void *argument) {
  fflush(stdout);
  pid_t process = fork();
  if (process == 0) {
    alarm(20);
    _exit(body(argument));
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

bool has_ended(const pisb_process *process) {
  siginfo_t info = {.si_pid = 0};
  const int options = WEXITED | WNOHANG | WNOWAIT;
  return waitid(P_PID, (id_t)process->process, &info, options) != 0 || info.si_pid != 0;
}

static void run_group(const char *name, void (*group)(void)) {
  uint64_t first = checks;
  int descriptors = open_descriptors();
  group();
  expect(open_descriptors() == descriptors, "%s: %d descriptors remain, %d expected", name,
         open_descriptors(), descriptors);
  printf("%s: %llu checks\n", name, (unsigned long long)(checks - first));
  fflush(stdout);
}

static void print_calls(void) {
  size_t count;
  const pisb_allowed_call *calls = pisb_allowed_calls(&count);
  for (size_t i = 0; i < count; i++)
    printf("%d\t%s\t%s\t%s\t%s\n", calls[i].number, calls[i].name,
           calls[i].is_observed ? "observed" : "-", calls[i].condition ? calls[i].condition : "-",
           calls[i].reason);
}

int main(int count, char **arguments) {
  if (count > 0 && strncmp(arguments[0], "child:", 6) == 0) return run_child(arguments[0] + 6);
  if (count > 1 && strcmp(arguments[1], "calls") == 0) return print_calls(), 0;
  if (count > 1 && strcmp(arguments[1], "ends") == 0) return test_confined_ends(), failures > 0;
  program = arguments[0];
  run_group("messages", test_messages);
  run_group("descriptors", test_descriptors);
  run_group("processes", test_processes);
  run_group("slabs", test_slabs);
  run_group("moves", test_moves);
  run_group("inputs", test_inputs);
  run_group("support", test_support);
  if (is_emulated()) {
    printf("confinement: skipped with an emulator\n");
  } else if (HAS_THREADS) {
    printf("confinement: skipped, the thread sanitizer starts a second thread\n");
  } else {
    run_group("confinement", test_confinement);
    run_group("forbidden calls", test_forbidden_calls);
  }
  printf("%llu checks, %llu failures\n", (unsigned long long)checks, (unsigned long long)failures);
  return failures > 0;
}
