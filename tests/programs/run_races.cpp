// Ranks of ranklet::run whose accesses to a window no synchronisation orders, or does: ThreadSanitizer
// watches.
#include <ranklet/run.hpp>

#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <iostream>

namespace {

class Window {
 public:
  Window()
  {
    MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_fence(0, win);
  }
  ~Window()
  {
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  int* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
};

void put_and_store(int rank, int)
{
  const int value = 1;
  Window window;
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window.win);  // put
  if (rank == 1) window.memory[0] = 5;                                       // store
}

void pending_receive(int rank, int)
{
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 1) MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);  // receive
  if (rank == 1) value = 2;                                                      // too early
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void fence_between(int rank, int)
{
  const int value = 1;
  Window window;
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window.win);
  MPI_Win_fence(0, window.win);
  if (rank == 1) ++window.memory[0];
}

// No access of MPI's: the tool's own report. Rank 0 comes first, by a directory, which orders nothing: the tool
// can miss two accesses at the very same time.
void program_alone(int rank, int)
{
  static volatile int shared;
  const char* const turn = std::getenv("CASE_TURN");
  struct stat status = {};
  while (rank == 1 && ::stat(turn, &status) != 0) continue;
  shared = rank;  // alone
  if (rank == 0) ::mkdir(turn, 0700);
}

}  // namespace

int main(int, char** argv)
{
  const auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  void (*const function)(int, int) = is("put_and_store")     ? put_and_store
                                     : is("pending_receive") ? pending_receive
                                     : is("fence_between")   ? fence_between
                                                             : program_alone;
  ranklet::Options options;
  options.checks = argv[2][0] == '1';
  const ranklet::Report report = ranklet::run(2, function, options);
  if (!report) std::cerr << report.text() << '\n';
  return report ? 0 : 1;
}
