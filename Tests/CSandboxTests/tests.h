// Shared by the test groups: counted checks, child processes, open descriptors.

#ifndef PISB_TESTS_H
#define PISB_TESTS_H

#include "kernel.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#ifdef PISB_IS_SANITIZED
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

#ifdef __SANITIZE_THREAD__
#define HAS_THREADS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREADS 1
#endif
#endif
#ifndef HAS_THREADS
#define HAS_THREADS 0
#endif

// Counts a check; prints the first failures. Evaluates to the value of `claim`.
#define expect(claim, ...) ((claim) ? count_success() : print_failure(__VA_ARGS__))
bool count_success(void);
__attribute__((format(printf, 1, 2))) bool print_failure(const char *format, ...);

// Path of this program.
extern const char *program;

// True with valgrind or an emulator, which do not apply filters and limits of the process.
bool is_emulated(void);

// Number of open descriptors of this process below 1024.
int open_descriptors(void);

// Runs `body` in a fork, which ends with its result as exit status, after 20 seconds with SIGALRM.
// Returns the exit status, or the negative number of the signal.
int in_fork(int (*body)(const void *), const void *argument);

// True when the process has ended and is a zombie, or when other code has waited for it.
bool has_ended(const pisb_process *process);

// Role of this program when pisb_start has started it with argument 0 "child:NAME".
int run_child(const char *name);

// The report of the child "report".
typedef struct child_report {
  int descriptors[8]; // the first open ones, then -1
  int arguments, variables, blocked_signals, handled_signals, niceness;
  int64_t size_of_empty;
  int seals_of_empty, error_of_write;
} child_report;

// Number of the allowed operations that the child "confined" tries, in allowed_operations.c.
enum { MOST_OPERATIONS = 64 };
typedef struct operation {
  const char *name;
  bool (*run)(void);
} operation;
extern const operation operations[];
extern const int operation_count;
void prepare_operations(void);

void test_messages(void);
void test_descriptors(void);
void test_processes(void);
void test_slabs(void);
void test_moves(void);
void test_inputs(void);
void test_confinement(void);
// Ends of confined processes by abort, signal and exit; a part of test_confinement.
void test_confined_ends(void);
void test_forbidden_calls(void);
void test_support(void);

#endif
