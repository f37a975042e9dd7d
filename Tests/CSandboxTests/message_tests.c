// Messages: sizes, truncation, time limits, closed peers. descriptor_tests.c has descriptors.

#include "tests.h"

#include <sys/time.h>
#include <time.h>

static uint8_t sent[PISB_MAX_MESSAGE + 1], received[PISB_MAX_MESSAGE + 1];

static void open_pair(int ends[2], int flags) {
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0, ends) != 0) exit(2);
}

static void close_pair(int ends[2]) { close(ends[0]), close(ends[1]); }

static void test_sizes(void) {
  int ends[2];
  open_pair(ends, 0);
  for (size_t i = 0; i < sizeof sent; i++) sent[i] = (uint8_t)(i * 7 + i / 256);
  size_t step = is_emulated() ? 211 : 1;
  for (size_t size = 1; size <= PISB_MAX_MESSAGE; size += size + step > 300 ? step : 1) {
    size_t count = 0;
    bool is_sent = pisb_send(ends[0], sent, size, -1, size % 2 ? -1 : 0) == PISB_OK;
    pisb_status status =
        pisb_receive(ends[1], received, PISB_MAX_MESSAGE, &count, NULL, size % 3 ? 0 : -1);
    expect(is_sent && status == PISB_OK && count == size && memcmp(sent, received, size) == 0,
           "message of %zu bytes: sent %d, status %d, %zu bytes", size, is_sent, status, count);
  }
  size_t refused[] = {0, PISB_MAX_MESSAGE + 1, SIZE_MAX};
  for (int i = 0; i < 3; i++)
    expect(pisb_send(ends[0], sent, refused[i], -1, 0) == PISB_INVALID, "send of %zu", refused[i]);
  close_pair(ends);
}

static void test_truncation(void) {
  int ends[2];
  open_pair(ends, 0);
  for (size_t capacity = 0; capacity < 100; capacity++) {
    size_t count = 77;
    pisb_send(ends[0], sent, 100, -1, -1);
    pisb_send(ends[0], sent, 3, -1, -1);
    pisb_status status = pisb_receive(ends[1], received, capacity, &count, NULL, 0);
    expect(status == PISB_INVALID && count == 0, "capacity %zu: %d", capacity, status);
    status = pisb_receive(ends[1], received, 3, &count, NULL, 0);
    expect(status == PISB_OK && count == 3, "message after a truncated one: %d", status);
  }
  close_pair(ends);
}

static void test_closed_peer(void) {
  for (int flags = 0; flags < 2; flags++) {
    int ends[2];
    size_t count = 1;
    open_pair(ends, flags ? SOCK_NONBLOCK : 0);
    // A message that the peer has not read, and one from the peer: only the second arrives.
    pisb_send(ends[0], sent, 10, -1, 0);
    pisb_send(ends[1], sent, 20, -1, 0);
    close(ends[1]);
    pisb_status status = pisb_receive(ends[0], received, 100, &count, NULL, -1);
    expect(status == PISB_OK && count == 20, "message of a closed peer: %d, %zu", status, count);
    for (int timeout = -1; timeout < 2; timeout++) {
      status = pisb_receive(ends[0], received, 100, &count, NULL, timeout);
      expect(status == PISB_CLOSED && count == 0, "receive from a closed peer: %d", status);
      status = pisb_send(ends[0], sent, 5, -1, timeout);
      expect(status == PISB_CLOSED, "send to a closed peer: %d", status);
    }
    close(ends[0]);
  }
  size_t count;
  expect(pisb_receive(-1, received, 1, &count, NULL, 0) == PISB_FAILED && errno == EBADF, "EBADF");
  expect(pisb_send(-1, sent, 1, -1, 0) == PISB_FAILED && errno == EBADF, "EBADF");
}

static int64_t milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void ignore(int signal) { (void)signal; }

static void test_time_limits(void) {
  for (int flags = 0; flags < 2; flags++) {
    int ends[2];
    size_t count;
    open_pair(ends, flags ? SOCK_NONBLOCK : 0);
    for (int timeout = 0; timeout < 2; timeout++)
      expect(pisb_receive(ends[0], received, 9, &count, NULL, timeout) == PISB_TIMED_OUT,
             "receive without message, %d ms", timeout);
    int messages = 0;
    while (pisb_send(ends[0], sent, 1000, -1, 0) == PISB_OK && messages < 100000) messages++;
    for (int timeout = 0; timeout < 2; timeout++)
      expect(pisb_send(ends[0], sent, 1000, -1, timeout) == PISB_TIMED_OUT, "full buffer");
    for (int i = 0; i < messages; i++) pisb_receive(ends[1], received, 1000, &count, NULL, 0);
    expect(messages > 0 && pisb_send(ends[0], sent, 1000, -1, 0) == PISB_OK, "empty buffer");
    close_pair(ends);
  }
}

// A signal every 0.3 ms: the wait continues with the remaining time.
static void test_interruptions(void) {
  int ends[2];
  size_t count;
  open_pair(ends, 0);
  struct sigaction action = {.sa_handler = ignore}, old;
  sigaction(SIGALRM, &action, &old);
  struct itimerval interval = {{0, 300}, {0, 300}}, none = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &interval, NULL);
  int64_t start = milliseconds();
  pisb_status status = pisb_receive(ends[0], received, 9, &count, NULL, 20);
  int64_t time = milliseconds() - start;
  setitimer(ITIMER_REAL, &none, NULL);
  sigaction(SIGALRM, &old, NULL);
  expect(status == PISB_TIMED_OUT && time >= 19, "with signals: %d, %d ms", status, (int)time);
  close_pair(ends);
}

void test_messages(void) {
  test_sizes();
  test_truncation();
  test_closed_peer();
  test_time_limits();
  test_interruptions();
}
