// The cost of moving one cache line from core to core: the unit in which message latencies are judged.
// Two threads on two cores hand a line to and fro; half a round trip is one hop. On virtual machines it
// changes by a factor of five with the placement of the virtual cores, so it is measured beside every
// other figure.
//
// And the least that a message takes: the same with a line for each direction, as a mailbox has, which one
// side writes while the other looks at it. Its writer, who has to have it for itself, first takes it from
// the one who looks; a line that both write comes with the message before. So one way is up to two hops.
//
// Prints one line: hop median_ns=... min_ns=... message_ns=... cores=a,b
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace {

struct alignas(128) Line {
  std::atomic<unsigned> turn{0};
};

std::vector<int> allowed_cores()
{
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

void pin(int core)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

void relax()
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Acquire and release pair between the two threads, as they do in a mailbox.
void await(const Line& line, unsigned turn)
{
  while (line.turn.load(std::memory_order_acquire) != turn) relax();
}

// Answers each turn of `from`, which are odd, in `to`.
void answer(const Line& from, Line& to, unsigned rounds)
{
  for (unsigned i = 0; i < rounds; ++i) {
    await(from, 2 * i + 1);
    to.turn.store(2 * i + 2, std::memory_order_release);
  }
}

// Nanoseconds of one way.
double one_way(Line& to, Line& from, const std::vector<int>& cores, unsigned rounds)
{
  std::thread peer([&] {
    pin(cores[1]);
    answer(to, from, rounds + 1);
  });
  pin(cores[0]);
  std::chrono::steady_clock::time_point start;
  for (unsigned i = 0; i <= rounds; ++i) {
    // The peer's thread has started when the first turn is over.
    if (i == 1) start = std::chrono::steady_clock::now();
    to.turn.store(2 * i + 1, std::memory_order_release);
    await(from, 2 * i + 2);
  }
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  peer.join();
  return time.count() / rounds / 2;
}

}  // namespace

int main(int argc, char** argv)
{
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const unsigned rounds = quick ? 20'000 : 100'000;
  const int repetitions = 9;
  const auto cores = allowed_cores();
  if (cores.size() < 2) {
    std::fprintf(stderr, "hop: needs two cores\n");
    return 77;
  }

  std::vector<double> hops, messages;
  for (int r = 0; r < repetitions; ++r) {
    Line line, there, back;
    hops.push_back(one_way(line, line, cores, rounds));
    messages.push_back(one_way(there, back, cores, rounds));
  }
  std::sort(hops.begin(), hops.end());
  std::sort(messages.begin(), messages.end());
  std::printf("hop median_ns=%.1f min_ns=%.1f message_ns=%.1f cores=%d,%d\n", hops[repetitions / 2],
              hops.front(), messages[repetitions / 2], cores[0], cores[1]);
}
