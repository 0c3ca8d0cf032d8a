/* Children of a rank, while the other ranks make and wait for theirs. The rank is in the variable RANK. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

extern char** environ;

static pid_t child_that_exits(int code)
{
  const pid_t child = fork();
  if (child == 0) _exit(code);
  return child;
}

/* A child that lives until it is killed. (Not until a pipe is closed: the other ranks' children have that, too.) */
static pid_t child_that_stays(void)
{
  const pid_t child = fork();
  if (child == 0)
    for (;;) pause();
  return child;
}

static int is_killed(int status)
{
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void any_child(void)
{
  int status;
  CHECK(wait(&status) == -1 && errno == ECHILD);
  CHECK(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
  CHECK(waitpid(0, &status, 0) == -1 && errno == ECHILD);
  CHECK(waitpid(1, &status, 0) == -1 && errno == ECHILD);
  CHECK(waitpid(-1, &status, 12345) == -1 && errno == EINVAL);

  for (int i = 0; i < 10; ++i) {
    pid_t children[4];
    int codes = 0;
    for (int k = 0; k < 4; ++k) children[k] = child_that_exits(k + 1);
    for (int k = 0; k < 4; ++k) {
      const pid_t ended = k % 2 ? wait(&status) : waitpid(0, &status, 0);
      int known = -1;
      for (int j = 0; j < 4; ++j)
        if (children[j] == ended) known = j;
      CHECK(known >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == known + 1);
      codes += WEXITSTATUS(status);
    }
    CHECK(codes == 10);
    CHECK(wait(&status) == -1 && errno == ECHILD);
    CHECK(system("exit 7") == 7 << 8);
    FILE* const pipe = popen("exit 9", "r");
    CHECK(pipe && pclose(pipe) == 9 << 8);
  }

  const pid_t living = child_that_stays();
  CHECK(waitpid(-1, &status, WNOHANG) == 0);
  const pid_t dead = child_that_exits(4);
  CHECK(wait(&status) == dead && WEXITSTATUS(status) == 4);
  struct rusage usage;
  kill(living, SIGKILL);
  CHECK(wait3(&status, 0, &usage) == living && is_killed(status));
}

static void states(void)
{
  siginfo_t info;
  int status;
  pid_t child = child_that_exits(5);
  CHECK(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0 && info.si_pid == child && info.si_status == 5);
  CHECK(waitid(P_PID, (id_t)child, &info, WEXITED) == 0 && info.si_pid == child && info.si_code == CLD_EXITED);
  CHECK(waitid(P_PID, (id_t)child, &info, WEXITED) == -1 && errno == ECHILD);
  CHECK(waitid(P_ALL, 0, &info, 0) == -1 && errno == EINVAL);

  child = child_that_stays();
  const pid_t other = child_that_stays();
  kill(child, SIGSTOP);
  CHECK(waitpid(-1, &status, WUNTRACED) == child && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
  kill(child, SIGCONT);
  CHECK(waitpid(-1, &status, WCONTINUED) == child && WIFCONTINUED(status));
  kill(child, SIGKILL);
  CHECK(waitpid(-1, &status, 0) == child && is_killed(status));
  kill(other, SIGKILL);
  CHECK(wait4(other, &status, 0, NULL) == other && is_killed(status));

  child = fork();
  if (child == 0) {
    setpgid(0, 0);
    _exit(0);
  }
  setpgid(child, child);
  CHECK(waitpid(-child, &status, 0) == child);
}

/* One thread waits for any child while another makes one. */
static void* make_second(void* unused)
{
  (void)unused;
  child_that_exits(8);
  return NULL;
}

static void threads(void)
{
  int status;
  pthread_t thread;
  const pid_t first = child_that_stays();
  CHECK(pthread_create(&thread, NULL, make_second, NULL) == 0);
  const pid_t second = wait(&status);
  CHECK(second != first && WEXITSTATUS(status) == 8);
  pthread_join(thread, NULL);
  kill(first, SIGKILL);
  CHECK(wait(&status) == first);
}

static void spawning(void)
{
  posix_spawn_file_actions_t actions;
  int ends[2], status;
  pid_t child;
  char text[16] = "";
  char* arguments[] = {"sh", "-c", "echo $RANK; exit 3", NULL};
  CHECK(pipe(ends) == 0);
  CHECK(posix_spawn_file_actions_init(&actions) == 0);
  CHECK(posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0);
  CHECK(posix_spawn_file_actions_addclose(&actions, ends[0]) == 0);
  CHECK(posix_spawn_file_actions_addclose(&actions, -1) == EBADF);
  CHECK(posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environ) == 0);
  CHECK(posix_spawn_file_actions_destroy(&actions) == 0);
  close(ends[1]);
  CHECK(read(ends[0], text, sizeof text) > 0 && atoi(text) == atoi(getenv("RANK")));
  close(ends[0]);
  CHECK(waitpid(-1, &status, 0) == child && WEXITSTATUS(status) == 3);

  char* quiet[] = {"sh", "-c", "read line; exit 4", NULL};
  CHECK(posix_spawnp(&child, "sh", NULL, NULL, quiet, environ) == 0);
  CHECK(wait(&status) == child && WEXITSTATUS(status) == 4);
  CHECK(posix_spawn(&child, "/no/such/file", NULL, NULL, quiet, environ) == ENOENT);
  CHECK(wait(&status) == -1 && errno == ECHILD);
}

static volatile sig_atomic_t told;
static void on_signal(int signal)
{
  (void)signal;
  ++told;
}

/* Children that tell their parent's thread something: the first two make it go on waiting or not. */
static pid_t parent_thread;
static pid_t child_that_pokes(int signal)
{
  const pid_t parent = getpid();
  parent_thread = gettid();
  const pid_t child = fork();
  if (child == 0)
    for (;;) {
      usleep(2000);
      if (tgkill(parent, parent_thread, signal) != 0) _exit(1);
    }
  return child;
}

static void* kill_later(void* child)
{
  while (told < 3) usleep(1000);
  kill(*(pid_t*)child, SIGKILL);
  return NULL;
}

static void signals(void)
{
  int status;
  pthread_t thread;
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  pid_t first = child_that_stays();
  const pid_t poker = child_that_pokes(SIGUSR1);
  /* A handler that restarts calls does not end the wait. */
  pthread_create(&thread, NULL, kill_later, &first);
  CHECK(wait(&status) == first && told >= 3);
  pthread_join(thread, NULL);
  /* One that does not ends it. */
  action.sa_flags = 0;
  sigaction(SIGUSR1, &action, NULL);
  first = child_that_stays();
  CHECK(wait(&status) == -1 && errno == EINTR);
  action.sa_handler = SIG_IGN;
  sigaction(SIGUSR1, &action, NULL);
  kill(poker, SIGKILL);
  kill(first, SIGKILL);
  CHECK(waitpid(poker, &status, 0) == poker);
  CHECK(wait(&status) == first);

  /* SIGCHLD comes to the rank that made the child. */
  told = 0;
  signal(SIGCHLD, on_signal);
  child_that_exits(0);
  CHECK(wait(&status) > 0);
  signal(SIGCHLD, SIG_DFL);

  /* Who ignores SIGCHLD has no child to wait for when all have ended. */
  signal(SIGCHLD, SIG_IGN);
  child_that_exits(1);
  CHECK(wait(&status) == -1 && errno == ECHILD);
  signal(SIGCHLD, SIG_DFL);
}

/* A child of a rank is an ordinary process: it waits for its own children. */
static void grandchildren(void)
{
  int status;
  const pid_t other = child_that_exits(0);
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = child_that_exits(9);
    const int right = wait(&status) == grandchild && WEXITSTATUS(status) == 9 && wait(&status) == -1;
    _exit(right && system("exit 2") == 2 << 8 ? 0 : 1);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(waitpid(other, &status, 0) == other);
}

int main(void)
{
  any_child();
  states();
  threads();
  spawning();
  signals();
  grandchildren();
  return check_failures != 0;
}
