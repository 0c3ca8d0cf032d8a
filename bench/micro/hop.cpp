// The cost of moving one cache line from core to core: the unit in which message latencies are judged.
// Two threads on two cores hand a line to and fro; half a round trip is one hop. On virtual machines it
// changes by a factor of five with the placement of the virtual cores, so it is measured beside every
// other figure. Prints one line: hop median_ns=... min_ns=... cores=a,b

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

// Takes every second turn. Acquire and release pair between the two threads, as they do in a mailbox.
void play(Line& line, unsigned mine, unsigned rounds)
{
  for (unsigned i = 0; i < rounds; ++i) {
    while (line.turn.load(std::memory_order_acquire) != 2 * i + mine) relax();
    line.turn.store(2 * i + mine + 1, std::memory_order_release);
  }
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

  std::vector<double> hop;
  for (int r = 0; r < repetitions; ++r) {
    Line line;
    std::thread peer([&] {
      pin(cores[1]);
      play(line, 1, rounds + 1);
    });
    pin(cores[0]);
    play(line, 0, 1);  // the peer's thread has started when its first turn is over
    while (line.turn.load(std::memory_order_acquire) != 2) relax();
    const auto start = std::chrono::steady_clock::now();
    for (unsigned i = 1; i <= rounds; ++i) {
      line.turn.store(2 * i + 1, std::memory_order_release);
      while (line.turn.load(std::memory_order_acquire) != 2 * i + 2) relax();
    }
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    peer.join();
    hop.push_back(time.count() / rounds / 2);
  }
  std::sort(hop.begin(), hop.end());
  std::printf("hop median_ns=%.1f min_ns=%.1f cores=%d,%d\n", hop[repetitions / 2], hop.front(), cores[0],
              cores[1]);
}
