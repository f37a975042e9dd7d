// The seccomp filter, built from the allow-list as a program of classic BPF (seccomp(2), bpf(4)).

#include "kernel.h"

#ifdef __linux__

#include <sys/mman.h>
#include <sys/prctl.h>

// AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. Both are little-endian: the low half of an argument is
// the first.
#if defined(__x86_64__)
#define THIS_ARCHITECTURE 0xc000003eu
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define THIS_ARCHITECTURE 0xc00000b7u
#endif

#ifndef __NR_seccomp
#define __NR_seccomp (-1)
#endif

enum { SET_MODE_FILTER = 1, MODE_FILTER = 2 };

bool pisb_seccomp_is_available(void) {
#ifdef THIS_ARCHITECTURE
  // The kernel reads the program before it checks privileges: EFAULT means that filters exist.
  // EINVAL: CONFIG_SECCOMP_FILTER is not set. EPERM: the filter of a container forbids the call.
  if (syscall(__NR_seccomp, SET_MODE_FILTER, 0, NULL) != 0 && errno == EFAULT) return true;
  return errno == ENOSYS && prctl(PR_SET_SECCOMP, MODE_FILTER, NULL) != 0 && errno == EFAULT;
#else
  return false;
#endif
}

#ifndef THIS_ARCHITECTURE

int pisb_seccomp_apply(void) { return ENOSYS; }

#else

// struct sock_filter and struct sock_fprog of linux/filter.h.
typedef struct instruction {
  uint16_t code;
  uint8_t if_true, if_false; // instructions to skip
  uint32_t value;
} instruction;

typedef struct program {
  unsigned short count;
  instruction *instructions;
} program;

// BPF_LD|BPF_W|BPF_ABS, BPF_ALU|BPF_AND|BPF_K, BPF_JMP|BPF_K with BPF_JEQ and
// BPF_JSET, BPF_RET|BPF_K.
enum { LOAD = 0x20, AND = 0x54, IF_EQUAL = 0x15, IF_SET = 0x45, RETURN = 0x06 };

// SECCOMP_RET_*. Before Linux 4.14, KILL_PROCESS ends the thread, which is the only one.
#define KILL_PROCESS 0x80000000u
#define ALLOW 0x7fff0000u

// Offsets in struct seccomp_data.
enum { NUMBER = 0, ARCHITECTURE = 4, ARGUMENTS = 16 };

// Each call has at most 11 instructions.
enum { MOST_CALLS = 64, MOST_INSTRUCTIONS = 16 + MOST_CALLS * 11 };

static void emit(program *filter, uint16_t code, uint32_t value, uint8_t if_true,
                 uint8_t if_false) {
  filter->instructions[filter->count++] = (instruction){code, if_true, if_false, value};
}

// The kernel uses only the low 32 bits of each argument that is tested here (int, unsigned int), or
// the tested bit is one of them (PROT_EXEC).
static void load_argument(program *filter, int index) {
  emit(filter, LOAD, (uint32_t)(ARGUMENTS + 8 * index), 0, 0);
}

// Allows the call when the loaded value is one of the list.
static void allow_one_of(program *filter, const uint32_t *values, int count) {
  for (int i = 0; i < count; i++) emit(filter, IF_EQUAL, values[i], (uint8_t)(count - i), 0);
  emit(filter, RETURN, KILL_PROCESS, 0, 0);
  emit(filter, RETURN, ALLOW, 0, 0);
}

#define ALLOW_ONE_OF(filter, ...)                                                                  \
  allow_one_of(filter, (const uint32_t[]){__VA_ARGS__},                                            \
               sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

// Emits the condition of a call, which ends with a result for every value: the text is in calls.c.
static void emit_condition(program *filter, int number) {
  switch (number) {
  case __NR_write:
  case __NR_writev:
    load_argument(filter, 0);
    ALLOW_ONE_OF(filter, 0, 1, 2);
    break;
  case __NR_mmap:
  case __NR_mprotect:
    load_argument(filter, 2);
    emit(filter, IF_SET, PROT_EXEC, 0, 1);
    emit(filter, RETURN, KILL_PROCESS, 0, 0);
    emit(filter, RETURN, ALLOW, 0, 0);
    break;
  case __NR_madvise: load_argument(filter, 2);
#ifdef PISB_IS_SANITIZED
    ALLOW_ONE_OF(filter, MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP);
#else
    ALLOW_ONE_OF(filter, MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE);
#endif
    break;
  case __NR_fcntl:
    load_argument(filter, 1);
    ALLOW_ONE_OF(filter, F_GET_SEALS);
    break;
  case __NR_futex:
    // Without the flags FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME.
    load_argument(filter, 1);
    emit(filter, AND, 0x7f, 0, 0);
    ALLOW_ONE_OF(filter, 0, 1, 9, 10);
    break;
  case __NR_tgkill:
  case __NR_tkill:
    // The id of the process is also the id of its only thread.
    load_argument(filter, 0);
    ALLOW_ONE_OF(filter, (uint32_t)getpid());
    break;
  default: emit(filter, RETURN, ALLOW, 0, 0);
  }
}

static void emit_call(program *filter, int number) {
  unsigned short jump = filter->count;
  emit(filter, IF_EQUAL, (uint32_t)number, 0, 0);
  emit_condition(filter, number);
  filter->instructions[jump].if_false = (uint8_t)(filter->count - jump - 1);
}

int pisb_seccomp_apply(void) {
  instruction instructions[MOST_INSTRUCTIONS];
  program filter = {0, instructions};
  emit(&filter, LOAD, ARCHITECTURE, 0, 0);
  emit(&filter, IF_EQUAL, THIS_ARCHITECTURE, 1, 0);
  emit(&filter, RETURN, KILL_PROCESS, 0, 0);
  // The numbers of x32 on x86-64 have bit 30 set; the comparisons below do not match them.
  emit(&filter, LOAD, NUMBER, 0, 0);
  size_t count = 0;
  const pisb_allowed_call *calls = pisb_allowed_calls(&count);
  if (count > MOST_CALLS) return E2BIG;
  for (size_t i = 0; i < count; i++) emit_call(&filter, calls[i].number);
  emit(&filter, RETURN, KILL_PROCESS, 0, 0);

  if (syscall(__NR_seccomp, SET_MODE_FILTER, 0, &filter) == 0) return 0;
  if (errno != ENOSYS) return errno;
  return prctl(PR_SET_SECCOMP, MODE_FILTER, &filter) == 0 ? 0 : errno;
}

#endif
#endif
