/* System calls on descriptors 0 to 2, and signals that a rank sends to itself, in all ranks at once. The rank is in the
   variable RANK; rank 0 has the input "one two three". */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

extern char** environ;
static int rank;

static void waiting_for_input(void)
{
  struct pollfd entry = {0, POLLIN, 0};
  char text[64];
  CHECK(poll(&entry, 1, rank == 0 ? -1 : 0) == 1 && (entry.revents & POLLIN));
  fd_set set;
  FD_ZERO(&set);
  FD_SET(0, &set);
  struct timeval time = {60, 0};
  CHECK(select(1, &set, NULL, NULL, &time) == 1 && FD_ISSET(0, &set) && time.tv_sec >= 1);
  FD_ZERO(&set);
  FD_SET(1, &set);
  CHECK(pselect(2, NULL, &set, NULL, NULL, NULL) == 1 && FD_ISSET(1, &set));
  struct iovec pieces[2] = {{text, 4}, {text + 4, sizeof text - 4}};
  CHECK(readv(0, pieces, 2) == (rank == 0 ? 14 : 0));
  if (rank == 0) CHECK(!memcmp(text, "one two three\n", 14));
  const struct timespec none = {0, 0};
  CHECK(read(0, text, 1) == 0);
  CHECK(ppoll(&entry, 1, &none, NULL) == 1 && (entry.revents & (POLLIN | POLLHUP)));
}

static void flags(void)
{
  CHECK(fcntl(1, F_GETFD) == 0);
  CHECK(fcntl(1, F_SETFD, FD_CLOEXEC) == 0 && fcntl(1, F_GETFD) == FD_CLOEXEC);
  CHECK(system("echo not to be seen 2>/dev/null") != 0);
  CHECK(ioctl(1, FIONCLEX) == 0 && fcntl(1, F_GETFD) == 0);
  /* The streams are all ranks'. */
  const int before = fcntl(1, F_GETFL);
  int yes = 1;
  CHECK(before >= 0 && fcntl(1, F_SETFL, before | O_NONBLOCK) == 0 && ioctl(2, FIONBIO, &yes) == 0);
  CHECK(fcntl(1, F_GETFL) == before);
  CHECK(pwrite(1, "x", 1, 0) == -1 && errno == ESPIPE);
  CHECK(ftruncate(1, 0) == -1 && errno == EINVAL);
  const int copy = fcntl(1, F_DUPFD_CLOEXEC, 10);
  CHECK(copy >= 10 && fcntl(copy, F_GETFD) == FD_CLOEXEC && write(copy, "", 0) == 0 && close(copy) == 0);
  const int opened = openat(AT_FDCWD, "/dev/stdout", O_WRONLY);
  CHECK(opened > 2 && write(opened, "", 0) == 0 && close(opened) == 0);
}

static void numbers(void)
{
  char name[64], text[16] = "";
  const int out = dup(1);
  snprintf(name, sizeof name, "/tmp/ranklet-calls-%d-%d", (int)getpid(), rank);
  /* What is closed is what the next open gets. */
  CHECK(close(1) == 0 && write(1, "x", 1) == -1 && errno == EBADF);
  struct pollfd entry = {1, POLLOUT, 0};
  CHECK(poll(&entry, 1, 0) == 1 && entry.revents == POLLNVAL);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(1, &set);
  struct timeval at_once = {0, 0};
  CHECK(select(2, NULL, &set, NULL, &at_once) == -1 && errno == EBADF);
  CHECK(fcntl(1, F_GETFL) == -1 && errno == EBADF && ioctl(1, FIOCLEX) == -1);
  CHECK(open(name, O_RDWR | O_CREAT | O_TRUNC, 0600) == 1);
  CHECK(write(1, "0123456789", 10) == 10);
  CHECK(pread(1, text, 3, 4) == 3 && !strcmp(text, "456"));
  CHECK(pwrite(1, "ab", 2, 4) == 2);
  struct iovec piece = {text, 3};
  CHECK(preadv(1, &piece, 1, 4) == 3 && !strcmp(text, "ab6"));
  piece.iov_base = "cd";
  piece.iov_len = 2;
  CHECK(pwritev(1, &piece, 1, 0) == 2 && pread(1, text, 3, 0) == 3 && !strcmp(text, "cd2"));
  CHECK(ftruncate(1, 5) == 0 && lseek(1, 0, SEEK_END) == 5 && fdatasync(1) == 0);
  CHECK(system("echo by a child") == 0 && lseek(1, 0, SEEK_END) == 16);
  CHECK(fcntl(1, F_SETFL, O_APPEND) == 0 && (fcntl(1, F_GETFL) & O_APPEND));
  CHECK(close(0) == 0 && fcntl(1, F_DUPFD, 0) == 0 && lseek(0, 0, SEEK_CUR) == 16);
  CHECK(close(0) == 0 && dup(out) == 0 && write(0, "", 0) == 0);
  int ends[2], available = 0;
  CHECK(pipe(ends) == 0 && write(ends[1], "abc", 3) == 3 && dup2(ends[0], 0) == 0);
  CHECK(ioctl(0, FIONREAD, &available) == 0 && available == 3);
  CHECK(poll(&(struct pollfd){0, POLLIN, 0}, 1, 0) == 1 && read(0, text, 16) == 3);
  CHECK(poll(&(struct pollfd){0, POLLIN, 0}, 1, 0) == 0);
  CHECK(dup2(out, 1) == 1 && close(out) == 0);
  /* Others' descriptors are not this rank's to close. */
  CHECK(close_range(3, ~0U, 0) == 0 && write(ends[1], "d", 1) == 1 && read(0, text, 16) == 1);
  close(ends[0]);
  close(ends[1]);
  unlink(name);
}

static pthread_t main_thread;
static volatile sig_atomic_t handled_by;
static void handler(int signal)
{
  (void)signal;
  handled_by = pthread_equal(pthread_self(), main_thread) ? 1 : 2;
}

static volatile sig_atomic_t calls;
static void sends_again(int signal)
{
  if (++calls == 1) kill(getpid(), signal);
}

static void* wait_for_signal(void* set)
{
  int got = 0;
  return sigwait(set, &got) == 0 && got == SIGUSR1 ? set : NULL;
}

static pthread_barrier_t together;
static void* unblock_and_stay(void* set)
{
  pthread_sigmask(SIG_UNBLOCK, set, NULL);
  pthread_barrier_wait(&together);
  pthread_barrier_wait(&together);
  return NULL;
}

static void signals(void)
{
  sigset_t set, pending;
  siginfo_t info;
  void* result;
  pthread_t thread;
  const struct timespec none = {0, 0};
  main_thread = pthread_self();
  signal(SIGUSR1, handler);
  CHECK(raise(SIGUSR1) == 0 && handled_by == 1);
  handled_by = 0;
  CHECK(kill(getpid(), SIGUSR1) == 0 && handled_by == 1);
  handled_by = 0;

  /* What a handler sends, and blocks, comes when it has returned. */
  signal(SIGUSR2, sends_again);
  CHECK(raise(SIGUSR2) == 0 && calls == 2);

  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGRTMIN);
  CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  CHECK(sigtimedwait(&set, &info, &none) == -1 && errno == EAGAIN);
  for (int i = 0; i < 20; ++i) {
    /* Sent before or after the thread waits. */
    CHECK(pthread_create(&thread, NULL, wait_for_signal, &set) == 0);
    CHECK(kill(getpid(), SIGUSR1) == 0);
    pthread_join(thread, &result);
    CHECK(result == &set);
  }
  CHECK(handled_by == 0);
  const union sigval value = {.sival_int = 1000 + rank};
  CHECK(sigqueue(getpid(), SIGRTMIN, value) == 0);
  CHECK(sigqueue(getpid(), SIGRTMIN, value) == 0);
  CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGRTMIN) && !sigismember(&pending, SIGUSR1));
  for (int i = 0; i < 2; ++i)
    CHECK(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_value.sival_int == 1000 + rank);
  CHECK(sigpending(&pending) == 0 && !sigismember(&pending, SIGRTMIN));

  /* A thread that does not block it gets it. */
  pthread_barrier_init(&together, NULL, 2);
  CHECK(pthread_create(&thread, NULL, unblock_and_stay, &set) == 0);
  pthread_barrier_wait(&together);
  CHECK(kill(getpid(), SIGUSR1) == 0);
  pthread_barrier_wait(&together);
  pthread_join(thread, NULL);
  CHECK(handled_by == 2);
  /* Nobody: it stays until somebody unblocks it. */
  handled_by = 0;
  CHECK(kill(getpid(), SIGUSR1) == 0 && kill(getpid(), SIGUSR1) == 0 && handled_by == 0);
  CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0 && handled_by == 1);
  CHECK(kill(getpid(), 0) == 0 && kill(getpid(), 12345) == -1 && errno == EINVAL);
}

static char alternate[65536];
static volatile sig_atomic_t on_alternate;
static void on_stack(int signal)
{
  char here;
  (void)signal;
  char* volatile place = &here;
  on_alternate = place >= alternate && place < alternate + sizeof alternate;
}

static void stacks_and_limits(void)
{
  stack_t before, mine = {.ss_sp = alternate, .ss_size = sizeof alternate};
  CHECK(sigaltstack(&mine, &before) == 0);
  struct sigaction action = {.sa_handler = on_stack, .sa_flags = SA_ONSTACK};
  CHECK(sigaction(SIGUSR2, &action, NULL) == 0 && raise(SIGUSR2) == 0 && on_alternate);
  CHECK(sigaltstack(&before, NULL) == 0);
  struct rlimit limit, again;
  CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0 && setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(getrlimit(RLIMIT_NOFILE, &again) == 0 && again.rlim_cur == limit.rlim_cur);

  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    char* const arguments[] = {"true", NULL};
    fexecve(open("/bin/true", O_RDONLY), arguments, environ);
    _exit(1);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
  rank = atoi(getenv("RANK"));
  waiting_for_input();
  flags();
  numbers();
  signals();
  stacks_and_limits();
  printf("%d end\n", rank);
  return check_failures != 0;
}
