// Systems other than Linux: no function does anything.

#include "CPlatformImageSandbox.h"

#ifndef __linux__

pisb_status pisb_start(const char *path, const char *argument0, int niceness,
                       pisb_process *process) {
  (void)path, (void)argument0, (void)niceness, (void)process;
  return PISB_UNSUPPORTED;
}

void pisb_stop(pisb_process *process, pisb_exit *exit) {
  *process = (pisb_process){0, -1, -1};
  if (exit) *exit = (pisb_exit){false, 0};
}

int pisb_create_alarm(void) { return -1; }

void pisb_close_alarm(int alarm) { (void)alarm; }

void pisb_signal_alarm(int alarm) { (void)alarm; }

void pisb_wait(int alarm, const int *sockets, size_t count, int timeout_ms) {
  (void)alarm, (void)sockets, (void)count, (void)timeout_ms;
}

bool pisb_has_ended(int socket) { return (void)socket, false; }

pisb_status pisb_send(int socket, const void *bytes, size_t count, int descriptor, int timeout_ms) {
  (void)socket, (void)bytes, (void)count, (void)descriptor, (void)timeout_ms;
  return PISB_UNSUPPORTED;
}

pisb_status pisb_receive(int socket, void *bytes, size_t capacity, size_t *count, int *descriptor,
                         int timeout_ms) {
  (void)socket, (void)bytes, (void)capacity, (void)timeout_ms;
  *count = 0;
  if (descriptor) *descriptor = -1;
  return PISB_UNSUPPORTED;
}

pisb_status pisb_slab_create(size_t capacity, pisb_slab *slab) {
  (void)capacity;
  *slab = (pisb_slab){-1, 0, NULL};
  return PISB_UNSUPPORTED;
}

pisb_status pisb_slab_grow(pisb_slab *slab, size_t capacity) {
  (void)slab, (void)capacity;
  return PISB_UNSUPPORTED;
}

pisb_status pisb_slab_open(int descriptor, size_t capacity, pisb_slab *slab) {
  (void)descriptor, (void)capacity;
  *slab = (pisb_slab){-1, 0, NULL};
  return PISB_UNSUPPORTED;
}

pisb_status pisb_slab_extend(pisb_slab *slab, size_t capacity) {
  (void)slab, (void)capacity;
  return PISB_UNSUPPORTED;
}

pisb_status pisb_slab_release(pisb_slab *slab, size_t kept) {
  (void)slab, (void)kept;
  return PISB_UNSUPPORTED;
}

void pisb_slab_close(pisb_slab *slab) { *slab = (pisb_slab){-1, 0, NULL}; }

size_t pisb_slab_resident(const pisb_slab *slab) { return (void)slab, (size_t)0; }

void pisb_move(uint8_t *slab_bytes, uint8_t *copy, size_t count) {
  (void)slab_bytes, (void)copy, (void)count;
}

int pisb_sealed_copy(const void *bytes, size_t count) { return (void)bytes, (void)count, -1; }

const uint8_t *pisb_map_input(int descriptor, size_t count) {
  (void)descriptor, (void)count;
  return NULL;
}

void pisb_unmap_input(const uint8_t *bytes, size_t count) { (void)bytes, (void)count; }

void pisb_close_others(void) {}

void pisb_release_code(void) {}

void pisb_keep_freed_memory(void) {}

void pisb_release_freed_memory(void) {}

pisb_confinement pisb_confine(const pisb_limits *limits) {
  (void)limits;
  return (pisb_confinement){0};
}

const pisb_allowed_call *pisb_allowed_calls(size_t *count) {
  *count = 0;
  return NULL;
}

void pisb_read_support(pisb_support *support) { *support = (pisb_support){0}; }

#endif
