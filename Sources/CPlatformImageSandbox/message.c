// Messages with at most one descriptor over a SOCK_SEQPACKET socket.
//
// Every message has at least one byte: on this type of socket, a result of 0 bytes is also the end
// of the connection.

#include "kernel.h"

#ifdef __linux__

#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

// A descriptor and its header; the union aligns the buffer.
enum { MOST_DESCRIPTORS = 4 };
typedef union control {
  struct cmsghdr header;
  char one[CMSG_SPACE(sizeof(int))];
  char several[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
} control;

// The end of a waiting time; -1 for none.
typedef int64_t deadline;

static deadline deadline_after(int timeout_ms);
static pisb_status wait_until(int socket, short events, deadline end);
static bool collect(struct msghdr *message, int *descriptor);

pisb_status pisb_send(int socket, const void *bytes, size_t count, int descriptor, int timeout_ms) {
  if (count == 0 || count > PISB_MAX_MESSAGE) return PISB_INVALID;
  control control;
  memset(&control, 0, sizeof control);
  struct iovec part = {(void *)bytes, count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = control.one;
    message.msg_controllen = sizeof control.one;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  deadline end = deadline_after(timeout_ms);
  // Without a time limit the call itself waits on a blocking socket. So a worker needs no poll.
  int flags = MSG_NOSIGNAL | (timeout_ms < 0 ? 0 : MSG_DONTWAIT);
  for (;;) {
    if (sendmsg(socket, &message, flags) >= 0) return PISB_OK;
    if (errno == EPIPE || errno == ECONNRESET) return PISB_CLOSED;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return PISB_FAILED;
    pisb_status status = wait_until(socket, POLLOUT, end);
    if (status != PISB_OK) return status;
  }
}

pisb_status pisb_receive(int socket, void *bytes, size_t capacity, size_t *count, int *descriptor,
                         int timeout_ms) {
  *count = 0;
  if (descriptor) *descriptor = -1;
  control control;
  deadline end = deadline_after(timeout_ms);
  int flags = MSG_CMSG_CLOEXEC | (timeout_ms < 0 ? 0 : MSG_DONTWAIT);
  for (;;) {
    struct iovec part = {bytes, capacity};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    // Without a control buffer, the kernel discards descriptors and sets MSG_CTRUNC: a hostile peer
    // cannot use up the descriptors of this process.
    if (descriptor) {
      message.msg_control = control.several;
      message.msg_controllen = sizeof control.several;
    }
    ssize_t size = recvmsg(socket, &message, flags);
    if (size >= 0) {
      bool is_valid = collect(&message, descriptor);
      if (is_valid && size > 0) {
        *count = (size_t)size;
        return PISB_OK;
      }
      if (descriptor && *descriptor >= 0) {
        close(*descriptor);
        *descriptor = -1;
      }
      return is_valid ? PISB_CLOSED : PISB_INVALID;
    }
    // ECONNRESET: the peer closed its socket and had not read every message. It is reported once,
    // and before the messages that the peer sent earlier.
    if (errno == EINTR || errno == ECONNRESET) continue;
    if (errno != EAGAIN) return PISB_FAILED;
    pisb_status status = wait_until(socket, POLLIN, end);
    if (status != PISB_OK) return status;
  }
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static deadline deadline_after(int timeout_ms) {
  // No clock is read for the most frequent times.
  return timeout_ms <= 0 ? timeout_ms < 0 ? -1 : 0 : now() + (int64_t)timeout_ms * 1000000;
}

static pisb_status wait_until(int socket, short events, deadline end) {
  struct pollfd item = {.fd = socket, .events = events};
  for (;;) {
    int timeout_ms = -1;
    if (end >= 0) {
      int64_t rest = end == 0 ? 0 : end - now();
      if (rest <= 0) return PISB_TIMED_OUT;
      rest = (rest + 999999) / 1000000;
      timeout_ms = rest > INT_MAX ? INT_MAX : (int)rest;
    }
    int result = poll(&item, 1, timeout_ms);
    if (result > 0) return PISB_OK;
    if (result < 0 && errno != EINTR) return PISB_FAILED;
  }
}

// Stores the one descriptor of a message. False when the message or its descriptors are truncated,
// or when it has several descriptors or other control data; then all descriptors are closed.
static bool collect(struct msghdr *message, int *descriptor) {
  bool is_valid = (message->msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
  int received[MOST_DESCRIPTORS + 1], total = 0;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
       header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
      is_valid = false;
      continue;
    }
    int count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    for (int i = 0; i < count && total <= MOST_DESCRIPTORS; i++)
      memcpy(&received[total++], CMSG_DATA(header) + (size_t)i * sizeof(int), sizeof(int));
  }
  if (total > 1) is_valid = false;
  if (is_valid && total == 1)
    *descriptor = received[0];
  else
    for (int i = 0; i < total; i++) close(received[i]);
  return is_valid;
}

#endif
