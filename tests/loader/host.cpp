// A small host: runs `ranks` images of a program in this process, without MPI.
//   loader_host [-q] [-share=name] [-preload=path] ranks program arguments...
// Each rank gets the arguments and its rank as the last one. Prints "rank R exited with C" per rank to stderr
// (not with -q) and exits with the greatest code. -t prints the time from the first thread's start to the
// last load.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "loader/loader.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using namespace ranklet::loader;

namespace {

class TestHost : public Host {
 public:
  void thread_starts(ProcessState&) override { threads_.fetch_add(1, std::memory_order_relaxed); }
  void thread_ends(ProcessState&) override { threads_.fetch_sub(1, std::memory_order_relaxed); }
  void process_exits(ProcessState&, int) override { std::fflush(stdout); }
  void exited_on_other_thread(ProcessState& process, int code) override { finish(process.rank, code); }
  void end_job(ProcessState&, int code) override
  {
    std::fflush(stdout);
    _exit(code);
  }

  void finish(int rank, int code)
  {
    if (!quiet) std::fprintf(stderr, "rank %d exited with %d\n", rank, code);
    int greatest = greatest_.load(std::memory_order_relaxed);
    while (code > greatest && !greatest_.compare_exchange_weak(greatest, code, std::memory_order_relaxed)) {
    }
    // Release pairs with the acquire in wait(): the codes are seen.
    left.fetch_sub(1, std::memory_order_release);
    left.notify_all();
  }

  int wait()
  {
    for (int now = left.load(std::memory_order_acquire); now != 0; now = left.load(std::memory_order_acquire))
      left.wait(now);
    return greatest_.load(std::memory_order_relaxed);
  }

  bool quiet = false;
  std::atomic<int> left{0};

 private:
  std::atomic<int> threads_{0};
  std::atomic<int> greatest_{0};
};

struct RankStart {
  Program* program;
  TestHost* host;
  ProcessState* process;
  std::vector<std::string> arguments;
  std::atomic<long>* loaded_after;
  std::chrono::steady_clock::time_point begin;
};

void* run_rank(void* start_object)
{
  auto& start = *static_cast<RankStart*>(start_object);
  int code = 127;
  try {
    Image image(*start.program, *start.process);
    const auto passed = std::chrono::steady_clock::now() - start.begin;
    const long microseconds = std::chrono::duration_cast<std::chrono::microseconds>(passed).count();
    long latest = start.loaded_after->load(std::memory_order_relaxed);
    while (microseconds > latest &&
           !start.loaded_after->compare_exchange_weak(latest, microseconds, std::memory_order_relaxed)) {
    }
    code = image.run(start.arguments);
  } catch (const Error& error) {
    std::fprintf(stderr, "loader_host: %s\n", error.what());
  }
  start.host->finish(start.process->rank, code);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv)
{
  restore_host_environment();
  static TestHost host;
  LoaderOptions options;
  bool timing = false;
  int next = 1;
  for (; next < argc && argv[next][0] == '-'; ++next) {
    const std::string option = argv[next];
    if (option == "-q")
      host.quiet = true;
    else if (option == "-t")
      timing = true;
    else if (option.starts_with("-share="))
      options.shared_libraries.push_back(option.substr(7));
    else if (option.starts_with("-preload="))
      options.preload.push_back(option.substr(9));
  }
  if (argc - next < 2) return 64;
  const int ranks = std::atoi(argv[next++]);
  const std::string path = argv[next];
  int code = 0;
  try {
    const auto begin = std::chrono::steady_clock::now();
    auto* program = new Program(path, options);
    const auto analysed = std::chrono::steady_clock::now();
    ensure_thread_storage(program->thread_storage(), argv);
    std::atomic<long> loaded_after{0};
    host.left.store(ranks, std::memory_order_relaxed);
    for (int rank = 0; rank < ranks; ++rank) {
      auto* start = new RankStart{program, &host, new ProcessState(rank, host), {}, &loaded_after, begin};
      for (int i = next; i < argc; ++i) start->arguments.emplace_back(argv[i]);
      start->arguments.push_back(std::to_string(rank));
      pthread_t thread;
      pthread_create(&thread, nullptr, run_rank, start);
      pthread_detach(thread);
    }
    code = host.wait();
    if (timing)
      std::fprintf(
          stderr, "analysis %ld us, last rank loaded after %ld us, all done after %ld us\n",
          static_cast<long>(std::chrono::duration_cast<std::chrono::microseconds>(analysed - begin).count()),
          loaded_after.load(std::memory_order_relaxed),
          static_cast<long>(
              std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin)
                  .count()));
  } catch (const Error& error) {
    std::fprintf(stderr, "loader_host: %s\n", error.what());
    code = 126;
  }
  std::fflush(stdout);
  _exit(code);  // ranks may have left threads behind
}
