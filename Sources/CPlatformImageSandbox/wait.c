// Waiting for the end of idle workers.

#include "kernel.h"

#ifdef __linux__

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>

int pisb_create_alarm(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void pisb_close_alarm(int alarm) { pisb_close(alarm); }

void pisb_signal_alarm(int alarm) {
  if (alarm < 0) return;
  const uint64_t one = 1;
  // EAGAIN: the alarm was signalled 2^64 - 2 times and nothing has waited, so it is signalled.
  while (write(alarm, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void pisb_wait(int alarm, const int *sockets, size_t count, int timeout_ms) {
  // Events of 0: only POLLHUP, which poll always reports, is of interest. Negative descriptors are
  // ignored.
  struct pollfd one = {.fd = alarm, .events = POLLIN};
  struct pollfd *items = calloc(count + 1, sizeof *items);
  if (items) {
    items[0] = one;
    for (size_t i = 0; i < count; i++) items[i + 1].fd = sockets[i];
    poll(items, count + 1, timeout_ms);
    free(items);
  } else
    poll(&one, 1, timeout_ms);
  uint64_t value;
  if (alarm >= 0)
    while (read(alarm, &value, sizeof value) < 0 && errno == EINTR) {
    }
}

bool pisb_has_ended(int socket) {
  struct pollfd item = {.fd = socket};
  int result;
  do result = poll(&item, 1, 0);
  while (result < 0 && errno == EINTR);
  return result > 0 && (item.revents & POLLHUP) != 0;
}

#endif
