// What the headers of ranklet::run call in the library.
#include <stdexcept>

#include "api/impl/job_setup.hpp"
#include "api/testing/run.hpp"
#include "api/testing/run_ranks.hpp"

namespace ranklet {

namespace api {

namespace {

// A rank that may have any number of threads.
constexpr std::int64_t unknown_threads = std::int64_t{1} << 20;

RunMember* member_of(const Rank* rank) noexcept
{
  return rank && rank->api ? rank->api->run : nullptr;
}

}  // namespace

void check_layout(std::uint64_t of_program, std::uint64_t own)
{
  if (of_program != own)
    throw std::logic_error(
        "the program was compiled with the headers of another version of Ranklet than its libmpi_abi.so");
}

Report run_ranks(int ranks, ranklet::detail::Body body, void* closure, const Options& options,
                 std::shared_ptr<Arbiter> arbiter, const Config& settings)
{
  if (ranks < 1)
    throw std::invalid_argument("ranklet::run needs at least one rank, not " + std::to_string(ranks));
  if (member_of(current_rank()))
    throw std::logic_error("ranklet::run was called by a rank of another run, but runs do not nest");
  if (hosts_ranks())
    throw std::logic_error("ranklet::run was called by a rank of mpiexec: start the program without mpiexec");
  return Run(ranks, body, closure, options, std::move(arbiter), settings).go();
}

}  // namespace api

namespace detail {

Report run_ranks(int ranks, Body body, void* closure, const Options& options, std::uint64_t program_layout)
{
  api::check_layout(program_layout, run_layout);
  return options.every_way ? api::run_every_way(ranks, body, closure, options)
                           : api::run_ranks(ranks, body, closure, options, nullptr);
}

bool run_is_stopping() noexcept
{
  const Rank* const rank = current_rank();
  return rank && rank->job.cancelled();
}

void stop_run() noexcept
{
  Rank* const rank = current_rank();
  if (const api::RunMember* const member = api::member_of(rank)) member->run->stop_for(*rank);
}

std::ostream& rank_output()
{
  api::RunMember* const member = api::member_of(current_rank());
  if (!member)
    throw std::logic_error("ranklet::out() belongs to ranks of ranklet::run, and this thread is none");
  if (!member->output) member->output.emplace();
  return *member->output;
}

// The caller may give the rank any number of further threads.
void* thread_rank() noexcept
{
  Rank* const rank = current_rank();
  if (api::RunMember* const member = api::member_of(rank)) member->threads.add(api::unknown_threads);
  return rank;
}

void* bind_thread(void* rank) noexcept
{
  return bind_current_rank(static_cast<Rank*>(rank));
}

void* thread_starts() noexcept
{
  Rank* const rank = current_rank();
  if (api::RunMember* const member = api::member_of(rank)) member->threads.add(1);
  return rank;
}

void thread_ends(void* rank) noexcept
{
  if (api::RunMember* const member = api::member_of(static_cast<Rank*>(rank))) member->threads.add(-1);
}

void run_thread(void* rank, void (*function)(void*), void* closure)
{
  Rank* const self = static_cast<Rank*>(rank);
  const api::RunMember* const member = api::member_of(self);
  if (!member) return function(closure);
  member->run->run_thread(*self, function, closure);
  thread_ends(rank);
}

}  // namespace detail
}  // namespace ranklet
