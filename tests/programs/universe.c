/* Jobs of several mpiexec that meet (test_universe.py). The first argument says what a job does. */
#include <dirent.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, size;

static int count_files(void)
{
  int count = 0;
  DIR* const directory = opendir("/proc/self/fd");
  while (readdir(directory) != NULL) ++count;
  closedir(directory);
  return count;
}

/* What connected jobs do with each other: every kind of communication once. Frees the communicator. */
static int meet(MPI_Comm* inter, int high)
{
  MPI_Comm all;
  MPI_Win window;
  int together, place, sum, partner = -1;
  int* memory;
  MPI_Intercomm_merge(*inter, high, &all);
  MPI_Comm_size(all, &together);
  MPI_Comm_rank(all, &place);
  MPI_Allreduce(&place, &sum, 1, MPI_INT, MPI_SUM, all);
  if (sum != together * (together - 1) / 2) MPI_Abort(MPI_COMM_WORLD, 77);
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, all, &memory, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&place, 1, MPI_INT, (place + 1) % together, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  if (*memory != (place + together - 1) % together) MPI_Abort(MPI_COMM_WORLD, 78);
  MPI_Win_free(&window);
  MPI_Sendrecv(&place, 1, MPI_INT, (place + 1) % together, 5, &partner, 1, MPI_INT,
               (place + together - 1) % together, 5, all, MPI_STATUS_IGNORE);
  if (partner != (place + together - 1) % together) MPI_Abort(MPI_COMM_WORLD, 79);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(inter);
  return together;
}

static void say(const char* text)
{
  if (rank == 0) printf("%s\n", text);
  fflush(stdout);
}

static void serve(int clients)
{
  char port[MPI_MAX_PORT_NAME] = "";
  int files_of_fifth = 0;
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Publish_name("service", MPI_INFO_NULL, port);
  }
  say("ready");
  for (int i = 1; i <= clients; ++i) {
    MPI_Comm client;
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &client);
    const int together = meet(&client, 0);
    if (rank == 0) printf("served %d\n", together);
    /* One that is kept of each client would be 15 in the end; a few are open for a moment only. */
    if (i == 5) files_of_fifth = count_files();
    if (i == 20 && count_files() > files_of_fifth + 8) MPI_Abort(MPI_COMM_WORLD, 76);
  }
  if (rank != 0) return;
  MPI_Unpublish_name("service", MPI_INFO_NULL, port);
  MPI_Close_port(port);
}

/* Ends without giving back what others may look for. */
static void leave_names(void)
{
  char port[MPI_MAX_PORT_NAME];
  if (rank != 0) return;
  MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Publish_name("left", MPI_INFO_NULL, port);
}

static void use(void)
{
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm server;
  if (rank == 0) MPI_Lookup_name("service", MPI_INFO_NULL, port);
  MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &server);
  if (rank == 0)
    printf("together %d\n", meet(&server, 1));
  else
    meet(&server, 1);
}

/* Jobs that start at once: who publishes first serves the others. */
static void find_each_other(int jobs)
{
  char port[MPI_MAX_PORT_NAME];
  int first = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    first = MPI_Publish_name("hub", MPI_INFO_NULL, port) == MPI_SUCCESS;
    if (!first) MPI_Lookup_name("hub", MPI_INFO_NULL, port);
  }
  MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
  int together = 0;
  for (int i = first ? 1 : jobs - 1; i < jobs; ++i) {
    MPI_Comm other;
    if (first)
      MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
    else
      MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
    together += meet(&other, !first);
  }
  if (rank == 0) printf("%s %d\n", first ? "first" : "other", together);
}

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
  signalled = number;
}

static void wait_for_nobody(void)
{
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm client;
  if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
  say("ready");
  MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &client);
}

int main(int argc, char** argv)
{
  const char* const what = argc > 1 ? argv[1] : "";
  MPI_Comm parent;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_parent(&parent);
  if (strcmp(what, "serve") == 0) {
    serve(atoi(argv[2]));
  } else if (strcmp(what, "leave") == 0) {
    leave_names();
  } else if (strcmp(what, "use") == 0) {
    use();
  } else if (strcmp(what, "find") == 0) {
    find_each_other(atoi(argv[2]));
  } else if (strcmp(what, "echo") == 0) {
    char line[100] = "nothing\n";
    if (fgets(line, sizeof line, stdin) == NULL) strcpy(line, "end\n");
    const mode_t mask = umask(0);
    char here[4096];
    printf("%d %s %o %s", rank, getcwd(here, sizeof here), (unsigned)mask, line);
    fprintf(stderr, "complaint %d\n", rank);
  } else if (strcmp(what, "code") == 0) {
    MPI_Finalize();
    return rank == 0 ? atoi(argv[2]) : 0;
  } else if (strcmp(what, "wait") == 0) {
    wait_for_nobody();
  } else if (strcmp(what, "handle") == 0) {
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, &before);
    signal(SIGTERM, on_signal);
    signal(SIGUSR2, on_signal);
    MPI_Barrier(MPI_COMM_WORLD);
    say("ready");
    while (signalled == 0) sigsuspend(&before);
  } else if (strcmp(what, "abort") == 0) {
    MPI_Abort(MPI_COMM_WORLD, 9);
  } else if (strcmp(what, "connect") == 0) {
    MPI_Comm server;
    MPI_Comm_connect(argv[2], MPI_INFO_NULL, 0, MPI_COMM_WORLD, &server);
  } else if (strcmp(what, "port") == 0) {
    char port[MPI_MAX_PORT_NAME];
    MPI_Open_port(MPI_INFO_NULL, port);
    say(port);
    getchar();
  } else if (strcmp(what, "spawn") == 0) {
    char* arguments[] = {"child", NULL};
    MPI_Comm children;
    MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&children);
  } else if (strcmp(what, "child") == 0) {
    MPI_Comm_disconnect(&parent);
    printf("child %d\n", rank);
    MPI_Finalize();
    return rank == 1 ? 4 : 0;
  }
  MPI_Finalize();
  return 0;
}
