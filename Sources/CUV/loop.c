// The event loop: libuv's loop with one handle of each kind and a poll handle for each watch.

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

#include "CPlatformImageUV.h"

struct piuv_loop {
  uv_loop_t loop;
  uv_async_t wake;
  uv_timer_t timer;
  uv_prepare_t prepare;
  uv_check_t check;
  // Active while the loop must not wait.
  uv_idle_t busy;
  piuv_callbacks callbacks;
  void *context;
};

struct piuv_watch {
  uv_poll_t poll;
  uint64_t number;
};

const char *piuv_error_text(int32_t error) { return uv_strerror(error); }

const char *piuv_version(void) { return uv_version_string(); }

static void on_wake(uv_async_t *handle) { (void)handle; }

static void on_busy(uv_idle_t *handle) { (void)handle; }

static void on_timer(uv_timer_t *handle) {
  piuv_loop *loop = handle->data;
  loop->callbacks.timer(loop->context);
}

static void on_prepare(uv_prepare_t *handle) {
  piuv_loop *loop = handle->data;
  if (loop->callbacks.before_wait(loop->context))
    uv_idle_start(&loop->busy, on_busy);
  else
    uv_idle_stop(&loop->busy);
}

static void on_check(uv_check_t *handle) {
  piuv_loop *loop = handle->data;
  loop->callbacks.after_wait(loop->context);
}

int32_t piuv_loop_open(piuv_loop **result, const piuv_callbacks *callbacks, void *context) {
  piuv_loop *loop = calloc(1, sizeof *loop);
  if (!loop) return UV_ENOMEM;
  int error = uv_loop_init(&loop->loop);
  if (error) {
    free(loop);
    return error;
  }
  error = uv_async_init(&loop->loop, &loop->wake, on_wake);
  if (error) {
    uv_loop_close(&loop->loop);
    free(loop);
    return error;
  }
  loop->loop.data = loop;
  loop->callbacks = *callbacks;
  loop->context = context;
  uv_timer_init(&loop->loop, &loop->timer);
  uv_prepare_init(&loop->loop, &loop->prepare);
  uv_check_init(&loop->loop, &loop->check);
  uv_idle_init(&loop->loop, &loop->busy);
  loop->timer.data = loop->prepare.data = loop->check.data = loop;
  uv_prepare_start(&loop->prepare, on_prepare);
  uv_check_start(&loop->check, on_check);
  *result = loop;
  return 0;
}

void piuv_loop_run(piuv_loop *loop) { uv_run(&loop->loop, UV_RUN_DEFAULT); }

void piuv_loop_turn(piuv_loop *loop) { uv_run(&loop->loop, UV_RUN_NOWAIT); }

void piuv_loop_stop(piuv_loop *loop) { uv_stop(&loop->loop); }

void piuv_loop_close(piuv_loop *loop) {
  uv_close((uv_handle_t *)&loop->wake, NULL);
  uv_close((uv_handle_t *)&loop->timer, NULL);
  uv_close((uv_handle_t *)&loop->prepare, NULL);
  uv_close((uv_handle_t *)&loop->check, NULL);
  uv_close((uv_handle_t *)&loop->busy, NULL);
  // Runs the close callbacks; without active handles it ends. A stop that is pending ends only the
  // first call.
  while (uv_run(&loop->loop, UV_RUN_DEFAULT) != 0) {
  }
  if (uv_loop_close(&loop->loop) == 0) free(loop);
}

uint64_t piuv_loop_now(const piuv_loop *loop) { return uv_now(&loop->loop); }

void piuv_loop_wake(uintptr_t loop) { uv_async_send(&((piuv_loop *)loop)->wake); }

void piuv_timer_start(piuv_loop *loop, uint64_t milliseconds) {
  uv_timer_start(&loop->timer, on_timer, milliseconds, 0);
}

static void on_ready(uv_poll_t *handle, int status, int events) {
  piuv_watch *watch = (piuv_watch *)handle;
  piuv_loop *loop = handle->loop->data;
  int32_t found = 0;
  if (events & UV_READABLE) found |= PIUV_READABLE;
  if (events & UV_WRITABLE) found |= PIUV_WRITABLE;
  if (events & UV_DISCONNECT) found |= PIUV_DISCONNECTED;
  if (status < 0) found = PIUV_FAILED;
  loop->callbacks.ready(loop->context, watch->number, found);
}

int32_t piuv_watch_open(piuv_loop *loop, int32_t descriptor, uint64_t number, int32_t events,
                        piuv_watch **result) {
  piuv_watch *watch = malloc(sizeof *watch);
  if (!watch) return UV_ENOMEM;
  int error = uv_poll_init(&loop->loop, &watch->poll, descriptor);
  if (error) {
    free(watch);
    return error;
  }
  watch->number = number;
  error = piuv_watch_change(watch, events);
  if (error) {
    piuv_watch_close(watch);
    return error;
  }
  *result = watch;
  return 0;
}

int32_t piuv_watch_change(piuv_watch *watch, int32_t events) {
  int wanted = 0;
  if (events & PIUV_READABLE) wanted |= UV_READABLE;
  if (events & PIUV_WRITABLE) wanted |= UV_WRITABLE;
  if (events & PIUV_DISCONNECTED) wanted |= UV_DISCONNECT;
  return wanted ? uv_poll_start(&watch->poll, wanted, on_ready) : uv_poll_stop(&watch->poll);
}

static void on_closed(uv_handle_t *handle) { free(handle); }

void piuv_watch_close(piuv_watch *watch) { uv_close((uv_handle_t *)&watch->poll, on_closed); }

struct start {
  void (*run)(void *context);
  void *context;
};

static void *thread_main(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  start.run(start.context);
  return NULL;
}

int32_t piuv_thread_start(void (*run)(void *context), void *context) {
  struct start *start = malloc(sizeof *start);
  if (!start) return UV_ENOMEM;
  *start = (struct start){run, context};
  // The thread inherits the mask. Without signals, sendfile on a closed connection returns an error
  // instead of ending the process with SIGPIPE.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int error = pthread_create(&thread, NULL, thread_main, start);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error) {
    free(start);
    return -error;
  }
  pthread_detach(thread);
  return 0;
}

int64_t piuv_wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
