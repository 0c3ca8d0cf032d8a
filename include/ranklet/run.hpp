// MPI ranks inside a test, or any other function: ranklet::run starts n ranks, each a thread of the calling
// process, and says afterwards how they fared.
//
//     ranklet::Report report = ranklet::run(4, [&](int rank, int size) {
//       int sum = 0;
//       MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
//       results[rank] = sum;  // the ranks share the caller's memory
//     });
//     if (!report) std::cerr << report.text();
//
// MPI is initialized when the function starts and finalized after it; a first MPI_Init, MPI_Init_thread and
// MPI_Finalize inside are accepted. MPI_COMM_WORLD is the run's. Global variables are shared by the ranks:
// protect what they write.
//
// When a rank fails (an exception leaves the function, MPI_Abort, an error under MPI_ERRORS_ARE_FATAL), when
// the ranks can only wait for each other, or when the time is over, the other ranks are stopped: an exception
// of a type of its own, which is no std::exception, leaves the MPI call that a rank is in, or its next one,
// and unwinds its stack. Calls made in the meantime by destructors, and calls that free something, return
// MPI_ERR_PROC_ABORTED instead. Stacks are unwound only when no thread is inside MPI any more, so that none
// reads or writes the buffers of another one that are gone, and one after another. Frames of C functions are
// unwound like others; one that was built without unwind tables (-fno-asynchronous-unwind-tables) ends the
// process. A rank that never calls MPI again cannot be stopped: run() waits for it, and after some seconds
// says so on stderr; long loops can ask ranklet::stopping().
//
// run() may be called any number of times, and by several threads at once. It needs C++17 and libstdc++, as
// objects of the standard library pass between the program and libmpi_abi.so.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#include <ranklet/detail/thread_sanitizer.hpp>
#endif

#if defined(_LIBCPP_VERSION)
#error \
    "libmpi_abi.so uses libstdc++: a program that includes ranklet/run.hpp is to be compiled without -stdlib=libc++"
#elif defined(_GLIBCXX_DEBUG)
#error "containers of the debug mode are no containers of libmpi_abi.so: compile without -D_GLIBCXX_DEBUG"
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#error "libmpi_abi.so has strings of the new ABI: compile without -D_GLIBCXX_USE_CXX11_ABI=0"
#endif

namespace ranklet {

struct Options {
  // After so long the ranks are stopped; zero: never.
  std::chrono::milliseconds timeout{0};
  // What MPI_Query_thread tells until the function calls MPI_Init_thread itself.
  int thread_level = MPI_THREAD_SINGLE;
  // Whether ranks that can only wait for each other are stopped with a report.
  bool deadlocks = true;
  // Whether handles and requests that a rank has not freed or completed make the run fail.
  bool leaks = true;
  // Whether every call is checked for wrong usage (docs/usage-checks.md).
  bool checks = true;
  // Whether the function is run several times, each in another way in which MPI may do what the standard
  // leaves open: as it is, with sends and collectives that wait for all members, with ones that wait for
  // nobody, and then once for each way in which its messages can match (ranklet/explore.hpp; at most 200
  // runs, and none begins after 30 seconds). The first run that fails is reported, with what it takes to
  // repeat it; else the run as it is. The function must do the same in every run, as far as its messages are
  // the same.
  bool every_way = false;
  // What a function like main gets: argv, argv[0] first.
  std::vector<std::string> arguments{"rank"};
};

// Something wrong that was found.
struct Finding {
  enum class Kind {
    error,     // a call failed and its error handler ended the job, or MPI_Abort was called
    deadlock,  // the ranks could only wait for each other
    timeout,   // the time was over
    leak,      // something was not freed or completed
    check,     // a wrong use of MPI that no error code tells
    advice,    // a use that is permitted and mostly a mistake; the run does not fail for it
  };
  Kind kind = Kind::error;
  int rank = -1;      // of MPI_COMM_WORLD; -1: of all
  std::string what;   // one or more lines
  std::string place;  // the line of the user's source, where it is known: "halo.cpp:42"
};

struct Counts {
  std::uint64_t calls = 0;     // of MPI functions
  std::uint64_t messages = 0;  // sent by calls that name a destination (MPI_Send, MPI_Isend, MPI_Sendrecv …)
  std::uint64_t bytes = 0;     // in these messages
};

// How the function ended on one rank.
struct RankResult {
  enum class End {
    returned,
    threw,    // `exception` has left it
    aborted,  // a call failed and its error handler ended the job, or MPI_Abort was called
    stopped,  // because of what happened elsewhere
  };
  End end = End::returned;
  int code = 0;                  // what a function like main returned; the code that MPI_Abort was given
  std::exception_ptr exception;  // null unless it threw
  std::string what;              // the exception's text, or why the rank aborted
  std::string output;            // what it has written to ranklet::out()
  Counts counts;
};

namespace detail {
struct ReportMaker;
struct Layout;
}  // namespace detail

// What a run has shown. Plain data; copies are cheap enough.
class Report {
 public:
  // All ranks returned (a function like main: zero), and nothing wrong was found.
  bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  bool deadlock() const noexcept { return has(Finding::Kind::deadlock); }
  bool timed_out() const noexcept { return has(Finding::Kind::timeout); }

  // What a person reads: the failures with all that is known about them, or one line about the run.
  const std::string& text() const noexcept { return text_; }

  // By rank of MPI_COMM_WORLD.
  const std::vector<RankResult>& ranks() const noexcept { return ranks_; }
  const RankResult& rank(int number) const { return ranks_.at(static_cast<std::size_t>(number)); }

  const std::vector<Finding>& findings() const noexcept { return findings_; }
  std::vector<Finding> errors() const { return of_kind(Finding::Kind::error); }
  std::vector<Finding> leaks() const { return of_kind(Finding::Kind::leak); }
  std::vector<Finding> checks() const { return of_kind(Finding::Kind::check); }

  // Of all ranks together.
  Counts counts() const noexcept
  {
    Counts sum;
    for (const RankResult& rank : ranks_) {
      sum.calls += rank.counts.calls;
      sum.messages += rank.counts.messages;
      sum.bytes += rank.counts.bytes;
    }
    return sum;
  }
  // From the start of run() to its end.
  std::chrono::nanoseconds time() const noexcept { return time_; }

  // The rank whose failure ended the run; -1 if none did.
  int first_failure() const noexcept { return first_failure_; }
  // Throws the exception of that rank, if it was one.
  void rethrow() const
  {
    if (first_failure_ >= 0 && rank(first_failure_).exception)
      std::rethrow_exception(rank(first_failure_).exception);
  }

 private:
  friend struct detail::ReportMaker;
  friend struct detail::Layout;

  bool has(Finding::Kind kind) const noexcept
  {
    for (const Finding& finding : findings_)
      if (finding.kind == kind) return true;
    return false;
  }
  std::vector<Finding> of_kind(Finding::Kind kind) const
  {
    std::vector<Finding> found;
    for (const Finding& finding : findings_)
      if (finding.kind == kind) found.push_back(finding);
    return found;
  }

  bool ok_ = true;
  int first_failure_ = -1;
  std::string text_;
  std::vector<RankResult> ranks_;
  std::vector<Finding> findings_;
  std::chrono::nanoseconds time_{0};
};

namespace detail {

// A number that differs, mostly, where the program and the library know the types by different definitions:
// of their sizes and the places of their members.
struct Layout {
  static constexpr std::uint64_t number(std::initializer_list<std::uint64_t> parts) noexcept
  {
    std::uint64_t result = 0;
    for (const std::uint64_t part : parts) result = result * 1009 + part;
    return result;
  }
  static constexpr std::uint64_t options() noexcept
  {
    return number({sizeof(Options), offsetof(Options, timeout), offsetof(Options, thread_level),
                   offsetof(Options, deadlocks), offsetof(Options, leaks), offsetof(Options, checks),
                   offsetof(Options, every_way), offsetof(Options, arguments)});
  }
  static constexpr std::uint64_t finding() noexcept
  {
    return number({sizeof(Finding), offsetof(Finding, kind), offsetof(Finding, rank), offsetof(Finding, what),
                   offsetof(Finding, place)});
  }
  static constexpr std::uint64_t rank_result() noexcept
  {
    return number({sizeof(RankResult), offsetof(RankResult, end), offsetof(RankResult, code),
                   offsetof(RankResult, exception), offsetof(RankResult, what), offsetof(RankResult, output),
                   offsetof(RankResult, counts), sizeof(Counts), offsetof(Counts, calls),
                   offsetof(Counts, messages), offsetof(Counts, bytes)});
  }
  static constexpr std::uint64_t report() noexcept
  {
    return number({sizeof(Report), offsetof(Report, ok_), offsetof(Report, first_failure_),
                   offsetof(Report, text_), offsetof(Report, ranks_), offsetof(Report, findings_),
                   offsetof(Report, time_)});
  }
};
constexpr std::uint64_t run_layout =
    Layout::number({Layout::options(), Layout::finding(), Layout::rank_result(), Layout::report()});

// These are in libmpi_abi.so. body(closure, rank, size, argc, argv) returns the rank's exit code.
using Body = int (*)(void* closure, int rank, int size, int argc, char** argv);
[[gnu::visibility("default")]] Report run_ranks(int ranks, Body body, void* closure, const Options& options,
                                                std::uint64_t program_layout);
[[gnu::visibility("default")]] bool run_is_stopping() noexcept;
// The calling rank has failed, and will tell so when its function returns: all ranks are stopped, and no
// thread works in MPI any more when this returns. Nothing outside of runs.
[[gnu::visibility("default")]] void stop_run() noexcept;
[[gnu::visibility("default")]] std::ostream& rank_output();
[[gnu::visibility("default")]] void* thread_rank() noexcept;
[[gnu::visibility("default")]] void* bind_thread(void* rank) noexcept;
// The calling rank gets one more thread, which is to call run_thread(), or ends before.
[[gnu::visibility("default")]] void* thread_starts() noexcept;
[[gnu::visibility("default")]] void thread_ends(void* rank) noexcept;
[[gnu::visibility("default")]] void run_thread(void* rank, void (*function)(void*), void* closure);

template <class Function>
int call(Function& function, int rank, int size, int argc, char** argv)
{
  if constexpr (std::is_invocable_v<Function&, int, char**>) {
    static_assert(std::is_convertible_v<std::invoke_result_t<Function&, int, char**>, int>,
                  "a function like main returns int");
    return function(argc, argv);
  } else if constexpr (std::is_invocable_v<Function&, int, int>) {
    static_cast<void>(function(rank, size));
  } else if constexpr (std::is_invocable_v<Function&, MPI_Comm>) {
    static_cast<void>(function(MPI_COMM_WORLD));
  } else if constexpr (std::is_invocable_v<Function&, int>) {
    static_cast<void>(function(rank));
  } else {
    static_assert(
        std::is_invocable_v<Function&>,
        "ranklet::run takes a function of (), (int rank), (int rank, int size), (MPI_Comm world) or "
        "(int argc, char** argv)");
    static_cast<void>(function());
  }
  return 0;
}

}  // namespace detail

// Runs function on n ranks at once and returns when all have ended. function: (), (int rank), (int rank, int
// size), (MPI_Comm world), or like main, int (int argc, char** argv). All ranks call the same object.
// Throws std::invalid_argument for n < 1, std::logic_error on a rank of a run (runs do not nest) or of a job
// of mpiexec, or if the library is of another version than this header, std::system_error if there are no
// threads left.
template <class Function>
Report run(int n, Function&& function, const Options& options = Options())
{
  using Callable = std::remove_reference_t<Function>;
  Callable* callable = &function;
  return detail::run_ranks(
      n,
      [](void* closure, int rank, int size, int argc, char** argv) {
        return detail::call(**static_cast<Callable**>(closure), rank, size, argc, argv);
      },
      &callable, options, detail::run_layout);
}

// Whether the calling rank's run is being stopped: for loops that do not call MPI.
inline bool stopping() noexcept
{
  return detail::run_is_stopping();
}

// What the calling rank writes here is kept in its RankResult and shown when the run has failed. Throws
// std::logic_error outside of a run.
inline std::ostream& out()
{
  return detail::rank_output();
}

// A thread of the calling rank, for functions whose threads call MPI (MPI_THREAD_SERIALIZED and
// MPI_THREAD_MULTIPLE):
//
//     ranklet::Thread sender([&] { MPI_Send(…); });
//
// It is joined when the object is destroyed. When the run is stopped, its next MPI call ends the thread as it
// ends the rank; an exception that leaves its function is the rank's failure.
class Thread {
 public:
  Thread() noexcept = default;
  template <class Function, class = std::enable_if_t<!std::is_same_v<std::decay_t<Function>, Thread>>>
  explicit Thread(Function&& function)
  {
    using Callable = std::decay_t<Function>;
    void* const rank = detail::thread_starts();
    try {
      thread_ = std::thread([rank, callable = Callable(std::forward<Function>(function))]() mutable {
        detail::run_thread(rank, &call<Callable>, &callable);
      });
    } catch (...) {
      detail::thread_ends(rank);
      throw;
    }
  }
  Thread(Thread&&) noexcept = default;
  Thread& operator=(Thread&& other)
  {
    if (joinable()) join();
    thread_ = std::move(other.thread_);
    return *this;
  }
  ~Thread()
  {
    if (joinable()) join();
  }

  bool joinable() const noexcept { return thread_.joinable(); }
  void join() { thread_.join(); }

 private:
  template <class Callable>
  static void call(void* callable)
  {
    (*static_cast<Callable*>(callable))();
  }

  std::thread thread_;
};

// The same for threads that something else makes, such as those of OpenMP:
//
//     ranklet::ThisRank here;
//     #pragma omp parallel
//     { ranklet::Member member(here); … }
//
// A thread belongs to the rank while its Member lives. When the run is stopped, an exception leaves its MPI
// calls, which the thread has to catch by catch (...) where it may not leave.
//
// Deadlocks: threads without a Member cannot call MPI for a rank, so nobody waits for what they do. At
// MPI_THREAD_MULTIPLE a rank that was asked for its ThisRank may have any number of threads, and one with
// Threads that are not in MPI may be woken by any thread, as all share the process's variables. Such a rank
// counts as waiting when all other threads of the process have slept for three seconds where only another
// thread wakes them: in a condition, a mutex, a semaphore, a join, std::future::get, or as OpenMP's workers.
// The report then says "suspected deadlock", as a signal's handler, of which nothing is known, might wake
// one. While any thread of the process computes, reads, polls or sleeps for a time, and while ranks of
// another run do or wait for something, such a deadlock ends by the timeout.
class ThisRank {
 public:
  ThisRank() noexcept : rank_(detail::thread_rank()) {}

 private:
  friend class Member;
  void* rank_;
};

class Member {
 public:
  explicit Member(ThisRank rank) noexcept : before_(detail::bind_thread(rank.rank_)) {}
  ~Member() { detail::bind_thread(before_); }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

 private:
  void* before_;
};

}  // namespace ranklet
