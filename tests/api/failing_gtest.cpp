// Tests that fail on purpose; test_frameworks.py reads what GoogleTest says about them.
#include <ranklet/gtest.hpp>

#include <atomic>
#include <cstdio>
#include <ostream>
#include <stdexcept>
#include <thread>

RANKLET_TEST(Ranks, Pass, 3)
{
  ranklet::out() << "nobody wants to read this";
  EXPECT_LT(rank, size);
}

RANKLET_TEST(Ranks, Expect, 3)
{
  ranklet::out() << "check output of " << rank;
  EXPECT_NE(rank, 1);
  MPI_Barrier(comm);
}

RANKLET_TEST(Ranks, Assert, 3)
{
  SCOPED_TRACE("further information");
  ASSERT_NE(rank, 2);
  MPI_Barrier(comm);
}

// The others would wait for ever.
RANKLET_TEST(Ranks, Skip, 3)
{
  if (rank == 1) GTEST_SKIP() << "no reason";
  MPI_Barrier(comm);
  std::puts("nobody wants a test to go on");
}

RANKLET_TEST(Ranks, SkipAll, 2)
{
  MPI_Barrier(comm);
  GTEST_SKIP();
}

// The message would be written to a variable that is gone.
std::atomic<bool> gone{false}, tried{false};
RANKLET_TEST(Ranks, PendingAssert, 2)
{
  struct Buffer {
    int value = 0;
    ~Buffer()
    {
      gone = true;
      while (!tried) std::this_thread::yield();
    }
  };
  if (rank == 0) {
    Buffer buffer;
    MPI_Request request;
    MPI_Irecv(&buffer.value, 1, MPI_INT, 1, 0, comm, &request);
    ASSERT_TRUE(false) << "an operation is pending";
  }
  struct Try {
    ~Try() { tried = true; }
  } const end;
  while (!gone) std::this_thread::yield();
  MPI_Send(&rank, 1, MPI_INT, 0, 0, comm);
  std::puts("nobody wants the message to be sent");
}

RANKLET_TEST(Ranks, Exception, 3)
{
  if (rank == 2) throw std::runtime_error("thrown on purpose");
  MPI_Barrier(comm);
}

RANKLET_TEST(Ranks, Deadlock, 2)
{
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
}

RANKLET_TEST(Ranks, Leak, 2)
{
  MPI_Comm copy;
  MPI_Comm_dup(comm, &copy);
}
