// Threads that act as ranks without a program image: they call the overrides of libc's functions by name, as
// a program would.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "libc/libc_state.hpp"
#include "process/thread_record.hpp"

namespace ranklet::loader {

// The override of a libc function: Overriding<int(const char*)>{"puts"}.
template <class Function>
struct Overriding {
  const char* name;

  operator Function*() const
  {
    for (const Override& entry : libc_overrides())
      if (std::string_view(entry.name) == name) return reinterpret_cast<Function*>(entry.function);
    throw std::runtime_error(name + std::string(": no override"));
  }
  template <class... Arguments>
  auto operator()(Arguments... arguments) const
  {
    return (static_cast<Function*>(*this))(arguments...);
  }
};

// Those that several tests call.
inline const Overriding<int(const char*)> rank_puts{"puts"};
inline const Overriding<int(const char*, ...)> rank_printf{"printf"};
inline const Overriding<int(std::FILE*)> rank_fflush{"fflush"};
inline const Overriding<sighandler_t(int, sighandler_t)> rank_signal{"signal"};

// A file in memory that takes what is written to it.
class Capture {
 public:
  Capture() : descriptor_(::memfd_create("capture", MFD_CLOEXEC)) { REQUIRE(descriptor_ >= 0); }
  ~Capture() { ::close(descriptor_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  int descriptor() const { return descriptor_; }
  std::string text() const
  {
    std::string all(static_cast<std::size_t>(::lseek(descriptor_, 0, SEEK_END)), '\0');
    REQUIRE(::pread(descriptor_, all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()));
    return all;
  }
  std::vector<std::string> lines() const
  {
    std::vector<std::string> result;
    const std::string all = text();
    for (std::size_t begin = 0; begin < all.size();) {
      const std::size_t end = std::min(all.find('\n', begin), all.size());
      result.push_back(all.substr(begin, end - begin));
      begin = end + 1;
    }
    return result;
  }

 private:
  int descriptor_;
};

// A pipe whose reading end is a job's stdin.
class TypedInput {
 public:
  explicit TypedInput(std::string_view text)
  {
    REQUIRE(::pipe2(ends_, O_CLOEXEC) == 0);
    REQUIRE(::write(ends_[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    ::close(ends_[1]);
  }
  ~TypedInput() { ::close(ends_[0]); }
  TypedInput(const TypedInput&) = delete;
  TypedInput& operator=(const TypedInput&) = delete;

  int descriptor() const { return ends_[0]; }

 private:
  int ends_[2];
};

class FakeHost : public Host {
 public:
  void exited_on_other_thread(ProcessState&, int) override {}
  [[noreturn]] void end_job(ProcessState&, int code) override { ::_exit(code); }
};

// One rank's process, on the thread that constructs it.
class FakeRank {
 public:
  FakeRank(int rank, JobOutput& output, JobInput& input, const std::vector<std::string>& environment = {})
      : process(rank, host_), environment_(environment)
  {
    for (std::string& entry : environment_) pointers_.push_back(entry.data());
    pointers_.push_back(nullptr);
    environ_ = pointers_.data();
    process.variables = {&in, &out, &err, &environ_, &optarg_, &optind_, &opterr_, &optopt_,
                         &name_, &name_, zone_names, &zone_offset, &zone_has_summer};
    host_thread().process = &process;
    record_.pointer = thread_pointer();
    process.threads.push_back(&record_);
    process.libc = std::make_shared<LibcState>(process, output, input);
  }
  ~FakeRank()
  {
    process.libc->finish();
    host_thread().process = nullptr;
  }
  FakeRank(const FakeRank&) = delete;
  FakeRank& operator=(const FakeRank&) = delete;

  int rank() const { return process.rank; }
  LibcState& libc() { return *process.libc; }

 private:
  FakeHost host_;

 public:
  // What the program sees as stdin, environ, optarg and so on.
  std::FILE* in = stdin;
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  char** environ_ = nullptr;
  char* optarg_ = nullptr;
  int optind_ = 1;
  int opterr_ = 1;
  int optopt_ = '?';
  char* zone_names[2] = {};
  long zone_offset = 0;
  int zone_has_summer = 0;

  ProcessState process;

 private:
  ThreadRecord record_;
  std::vector<std::string> environment_;
  std::vector<char*> pointers_;
  char name_text_[5] = "fake";
  char* name_ = name_text_;
};

// A job whose output can be read afterwards.
struct FakeJob {
  explicit FakeJob(int ranks, int stdin_receiver = 0, int stdin_descriptor = 0)
      : FakeJob(std::vector<RankOutputSettings>(static_cast<std::size_t>(ranks)), stdin_receiver,
                stdin_descriptor)
  {
  }
  explicit FakeJob(const std::vector<RankOutputSettings>& settings, int stdin_receiver = 0,
                   int stdin_descriptor = 0)
      : output(settings, out.descriptor(), err.descriptor(), std::chrono::hours(1)),
        input(static_cast<int>(settings.size()), stdin_receiver, stdin_descriptor),
        size(static_cast<int>(settings.size()))
  {
  }

  // Runs the function as each rank, on a thread of its own.
  void run(const std::function<void(FakeRank&)>& program)
  {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        FakeRank fake(rank, output, input);
        program(fake);
      });
    for (std::thread& thread : threads) thread.join();
    output.flush();
  }

  Capture out, err;
  JobOutput output;
  JobInput input;
  const int size;
};

}  // namespace ranklet::loader
