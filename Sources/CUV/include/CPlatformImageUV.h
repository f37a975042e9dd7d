// CPlatformImageUV: an event loop over libuv 1.42 or newer, and the socket calls of the HTTP
// server.
//
// The functions of a loop are called on the thread that runs it, except piuv_loop_wake. Callbacks
// run on that thread, too. A watch is identified by a number of its owner, so that no pointer to an
// object of the caller is stored for it.
//
// Functions that return int32_t return a negative value of piuv_status or a negative errno on
// failure.

#ifndef CPLATFORMIMAGEUV_H
#define CPLATFORMIMAGEUV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Results of the calls that move bytes and accept connections. errno values are smaller than
// PIUV_STATUS_BASE.
enum {
  PIUV_STATUS_BASE = 100000,
  // Nothing can be read, written or accepted now.
  PIUV_WOULD_BLOCK = -100001,
  // The connection is unusable.
  PIUV_BROKEN = -100002,
  // No descriptor or no memory is free for another connection.
  PIUV_NO_DESCRIPTORS = -100003,
};

// Events of a watch.
enum {
  PIUV_READABLE = 1,
  PIUV_WRITABLE = 2,
  // The peer closed its sending side.
  PIUV_DISCONNECTED = 4,
  // Only in callbacks: the descriptor is unusable.
  PIUV_FAILED = 8,
};

typedef struct piuv_loop piuv_loop;
typedef struct piuv_watch piuv_watch;

typedef struct piuv_callbacks {
  // A watched descriptor has events.
  void (*ready)(void *context, uint64_t number, int32_t events);
  // Before the loop waits for events. True makes the loop continue without waiting.
  bool (*before_wait)(void *context);
  // After the loop has waited.
  void (*after_wait)(void *context);
  // The time of piuv_timer_start has passed.
  void (*timer)(void *context);
} piuv_callbacks;

// Text of a negative errno.
const char *piuv_error_text(int32_t error);
// The version of the linked library, such as "1.44.2".
const char *piuv_version(void);

int32_t piuv_loop_open(piuv_loop **result, const piuv_callbacks *callbacks, void *context);
// Runs the loop until piuv_loop_stop.
void piuv_loop_run(piuv_loop *loop);
// Handles the events that are there, without waiting.
void piuv_loop_turn(piuv_loop *loop);
void piuv_loop_stop(piuv_loop *loop);
// Closes the handles of the loop and frees it. All watches must be closed before.
void piuv_loop_close(piuv_loop *loop);
// Milliseconds of a clock that only advances; read once per iteration.
uint64_t piuv_loop_now(const piuv_loop *loop);
// Ends the wait of the loop; `loop` is the address of a loop that is not closed. Any thread.
void piuv_loop_wake(uintptr_t loop);
// Calls `timer` once, after a number of milliseconds; replaces an earlier time.
void piuv_timer_start(piuv_loop *loop, uint64_t milliseconds);

// Watches a non-blocking descriptor. `events` may be 0.
int32_t piuv_watch_open(piuv_loop *loop, int32_t descriptor, uint64_t number, int32_t events,
                        piuv_watch **result);
int32_t piuv_watch_change(piuv_watch *watch, int32_t events);
// Ends the watch and frees it. The descriptor may be closed afterwards.
void piuv_watch_close(piuv_watch *watch);

// An address of TCP, or that of a Unix socket, which has no bytes.
typedef struct piuv_address {
  uint8_t bytes[16];
  uint32_t scope;
  uint16_t port;
  // 4, 6, or 0 for a Unix socket.
  uint8_t family;
} piuv_address;

// The first address of an IP address in text form or of a host name. May wait for a name server.
// On failure `*message` is set.
int32_t piuv_resolve(const char *host, uint16_t port, piuv_address *result, const char **message);
// A socket that is bound to an address.
int32_t piuv_bind(const piuv_address *address, bool shares_port);
// Lets other sockets of this user be bound to the port of a bound socket.
int32_t piuv_share_port(int32_t descriptor);
// A socket at a path; a socket file on which no process listens is replaced.
int32_t piuv_bind_path(const char *path);
// Removes the file of a socket; other files are left.
void piuv_remove_socket(const char *path);
int32_t piuv_listen(int32_t descriptor);
// The port of a bound socket; 0 for a Unix socket.
int32_t piuv_local_port(int32_t descriptor);
// Accepts a connection; the descriptor does not block and is closed by exec.
int32_t piuv_accept(int32_t listener, piuv_address *peer);
// A connected pair of Unix sockets that do not block.
int32_t piuv_socket_pair(int32_t descriptors[2]);

// Bytes read; 0 at the end.
int64_t piuv_receive(int32_t descriptor, uint8_t *bytes, size_t size);
// Writes the bytes of two buffers, in one call. Returns the bytes written.
int64_t piuv_send(int32_t descriptor, const uint8_t *first, size_t first_size,
                  const uint8_t *second, size_t second_size);
// Writes bytes of a file. Returns the bytes written; 0 if the file has none at the offset.
int64_t piuv_send_file(int32_t descriptor, int32_t file, int64_t offset, size_t size);
void piuv_shut_down_output(int32_t descriptor);
// Makes close discard unsent bytes and reset the connection.
void piuv_reset_on_close(int32_t descriptor);
void piuv_close(int32_t descriptor);
// Opens a regular file for reading, and sets its size. Follows no symbolic link in the last part.
int32_t piuv_open_file(const char *path, int64_t *size);

// Starts a thread that receives no signals.
int32_t piuv_thread_start(void (*run)(void *context), void *context);
// Nanoseconds since 1970-01-01.
int64_t piuv_wall_clock(void);

#ifdef __cplusplus
}
#endif

#endif
