// Messages with descriptors, also from a hostile peer.

#include "tests.h"

#include <sys/resource.h>
#include <sys/stat.h>

// SCM_MAX_FD of Linux is 253; sendmsg of musl accepts at most 1 KiB of control data.
enum { MOST = 250 };

// Sends `size` bytes with `count` copies of a descriptor.
static bool send_several(int socket, int descriptor, int count, size_t size) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(MOST * sizeof(int))];
  } control;
  memset(&control, 0, sizeof control);
  char text[16] = {0};
  struct iovec part = {text, size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > 0) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
    for (int i = 0; i < count; i++)
      memcpy(CMSG_DATA(header) + (size_t)i * sizeof(int), &descriptor, sizeof descriptor);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

// Every number of descriptors, with and without a place for one, in complete, truncated and empty
// messages: a status as documented, and no descriptor remains open.
static void test_counts(const int ends[2], int file) {
  for (int count = 0; count <= MOST; count++)
    for (int place = 0; place < 2; place++)
      for (size_t size = 0; size < 3; size++) {
        char text[2];
        size_t received = 9;
        int descriptor = 99, before = open_descriptors();
        if (!send_several(ends[0], file, count, size * 2)) exit(2);
        pisb_status status =
            pisb_receive(ends[1], text, 2, &received, place ? &descriptor : NULL, -1);
        pisb_status expected = size == 2                 ? PISB_INVALID
                               : count > (place ? 1 : 0) ? PISB_INVALID
                               : size == 0               ? PISB_CLOSED
                                                         : PISB_OK;
        expect(status == expected, "%d descriptors, place %d, size %zu: %d", count, place, size,
               status);
        if (place && status == PISB_OK && count == 1) {
          expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC, "close-on-exec");
          close(descriptor);
        } else if (place)
          expect(descriptor == -1, "descriptor %d", descriptor);
        expect(open_descriptors() == before, "%d descriptors leak", open_descriptors() - before);
      }
}

static void test_same_file(const int ends[2], int file) {
  struct stat a, b;
  char text[4];
  size_t count;
  int descriptor;
  expect(pisb_send(ends[0], "abc", 3, file, 0) == PISB_OK, "send");
  expect(pisb_receive(ends[1], text, 4, &count, &descriptor, 0) == PISB_OK, "receive");
  fstat(file, &a), fstat(descriptor, &b);
  expect(a.st_ino == b.st_ino && a.st_dev == b.st_dev && count == 3, "the received file");
  close(descriptor);
  expect(pisb_send(ends[0], "abc", 3, 1000000, 0) == PISB_FAILED && errno == EBADF, "EBADF");
}

// No free descriptor in the receiver.
static void test_shortage(const int ends[2], int file) {
  struct rlimit limit, low;
  getrlimit(RLIMIT_NOFILE, &limit);
  low = limit, low.rlim_cur = 0;
  char text[4];
  size_t count;
  int descriptor;
  pisb_send(ends[0], "abc", 3, file, 0);
  setrlimit(RLIMIT_NOFILE, &low);
  pisb_status status = pisb_receive(ends[1], text, 4, &count, &descriptor, 0);
  setrlimit(RLIMIT_NOFILE, &limit);
  expect(status == PISB_INVALID && descriptor == -1, "without free descriptor: %d", status);
}

// Control data of another type: the kernel adds the credentials of the sender.
static void test_credentials(const int ends[2], int file) {
  int on = 1, off = 0;
  setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  for (int with_file = 0; with_file < 2; with_file++) {
    char text[4];
    size_t count;
    int descriptor, before = open_descriptors();
    pisb_send(ends[0], "abc", 3, with_file ? file : -1, 0);
    pisb_status status = pisb_receive(ends[1], text, 4, &count, &descriptor, 0);
    expect(status == PISB_INVALID && open_descriptors() == before, "credentials: %d", status);
  }
  setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &off, sizeof off);
}

void test_descriptors(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) exit(2);
  int file = pisb_memfd("test");
  test_counts(ends, file);
  test_same_file(ends, file);
  if (!is_emulated()) test_shortage(ends, file);
  test_credentials(ends, file);
  close(file), close(ends[0]), close(ends[1]);
}
