#include "libc/signals.hpp"

#include <sys/wait.h>

#include <atomic>
#include <barrier>
#include <cerrno>

#include "libc/fake_job.hpp"

using namespace ranklet::loader;

namespace {

const Overriding<int(int, const struct sigaction*, struct sigaction*)> rank_sigaction{"sigaction"};
const Overriding<sighandler_t(int, sighandler_t)> rank_sysv_signal{"__sysv_signal"};
const Overriding<unsigned(unsigned)> rank_alarm{"alarm"};
const Overriding<int(__itimer_which_t, const itimerval*, itimerval*)> rank_setitimer{"setitimer"};
const Overriding<int(pid_t, int)> rank_kill{"kill"};

// Which rank's handler ran on which rank's thread.
std::atomic<int> calls[3][3];

template <int owner>
void handler(int)
{
  calls[owner][current_process()->rank].fetch_add(1, std::memory_order_relaxed);
}

constexpr sighandler_t handlers[] = {&handler<0>, &handler<1>, &handler<2>};

void forget_calls()
{
  for (auto& row : calls)
    for (auto& count : row) count.store(0, std::memory_order_relaxed);
}

}  // namespace

TEST_CASE("each rank has its own handler")
{
  forget_calls();
  FakeJob job(3);
  std::barrier<> together(3);
  job.run([&](FakeRank& rank) {
    CHECK((rank_signal(SIGUSR1, handlers[rank.rank()]) == SIG_DFL));
    together.arrive_and_wait();
    ::raise(SIGUSR1);
    CHECK(rank_kill(::getpid(), SIGUSR1) == 0);
    struct sigaction now {};
    CHECK(rank_sigaction(SIGUSR1, nullptr, &now) == 0);
    CHECK((now.sa_handler == handlers[rank.rank()]));
    CHECK((rank_signal(SIGUSR1, SIG_IGN) == handlers[rank.rank()]));
    ::raise(SIGUSR1);
  });
  for (int owner = 0; owner < 3; ++owner)
    for (int rank = 0; rank < 3; ++rank) CHECK(calls[owner][rank].load() == (owner == rank ? 2 : 0));
  std::signal(SIGUSR1, SIG_DFL);
}

TEST_CASE("flags: SA_SIGINFO gets the details, System V handlers run once")
{
  forget_calls();
  FakeJob job(1);
  job.run([](FakeRank&) {
    static std::atomic<int> code;
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t* info, void*) { code.store(info->si_code); };
    CHECK(rank_sigaction(SIGUSR2, &action, nullptr) == 0);
    ::raise(SIGUSR2);
    CHECK(code.load() == SI_TKILL);

    rank_sysv_signal(SIGUSR2, handlers[0]);
    ::raise(SIGUSR2);
    CHECK((rank_signal(SIGUSR2, SIG_IGN) == SIG_DFL));

    CHECK((rank_signal(SIGKILL, SIG_IGN) == SIG_ERR));
    CHECK(errno == EINVAL);
    CHECK((rank_signal(0, SIG_IGN) == SIG_ERR));
  });
  CHECK(calls[0][0].load() == 1);
  std::signal(SIGUSR2, SIG_DFL);
}

TEST_CASE("alarm and ITIMER_REAL reach the rank that set them")
{
  forget_calls();
  FakeJob job(3);
  std::barrier<> together(3);
  job.run([&](FakeRank& rank) {
    rank_signal(SIGALRM, handlers[rank.rank()]);
    together.arrive_and_wait();
    const int mine = rank.rank();
    if (mine == 0) {
      CHECK(rank_alarm(100) == 0);
      CHECK(rank_alarm(0) == 100);
      CHECK(rank_alarm(0) == 0);
    } else {
      const itimerval soon{{0, 0}, {0, 1000 * mine}};
      CHECK(rank_setitimer(ITIMER_REAL, &soon, nullptr) == 0);
      while (calls[mine][mine].load(std::memory_order_relaxed) == 0) std::this_thread::yield();
    }
    together.arrive_and_wait();
  });
  for (int owner = 0; owner < 3; ++owner)
    for (int rank = 0; rank < 3; ++rank)
      CHECK(calls[owner][rank].load() == (owner == rank && owner != 0 ? 1 : 0));
  std::signal(SIGALRM, SIG_DFL);
}

TEST_CASE("the default action of a rank without a handler ends the process")
{
  FakeJob job(2);
  const pid_t child = ::fork();
  if (child == 0) {
    {
      FakeRank other(1, job.output, job.input);
      rank_signal(SIGTERM, handlers[1]);
      host_thread().process = nullptr;
      FakeRank rank(0, job.output, job.input);
      ::raise(SIGTERM);
    }
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
}
