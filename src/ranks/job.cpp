#include "ranks/job.hpp"

#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.hpp"

namespace ranklet {

Job::Job(int size, JobOptions options)
    : options_(std::move(options)), phases_(static_cast<std::size_t>(size < 1 ? 0 : size))
{
  if (size < 1) fail(ErrorClass::arg, "a job needs at least one rank, not %d", size);
  ranks_.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) ranks_.push_back(std::make_unique<Rank>(*this, i));
  for (const Extension& extension : options_.extensions)
    for (auto& rank : ranks_) extension.create(*rank);
}

Job::~Job()
{
  for (auto extension = options_.extensions.rbegin(); extension != options_.extensions.rend(); ++extension)
    for (auto& rank : ranks_) extension->destroy(*rank);
}

void Job::run(const std::function<void(Rank&)>& body)
{
  std::mutex first_lock;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  threads.reserve(ranks_.size());
  for (auto& rank : ranks_) {
    threads.emplace_back([&, &self = *rank] {
      bind_current_rank(&self);
      try {
        body(self);
      } catch (const JobCancelled&) {
        // Another rank's failure, which is kept, or cancel() from outside.
      } catch (...) {
        {
          const std::lock_guard guard(first_lock);
          if (!first) first = std::current_exception();
        }
        cancel();
      }
      bind_current_rank(nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

void Job::abort(Rank* who, int code, const std::string& why)
{
  if (options_.on_abort) options_.on_abort(who, code, why);
  cancel();
  throw JobCancelled{};
}

void Job::cancel() noexcept
{
  cancelled_.set();
  // Sleepers elsewhere (boards) look again when their sleep times out.
  for (auto& rank : ranks_) rank->parking.notify();
}

void Job::leave(Rank& rank, int exit_code) noexcept
{
  // One that never came to MPI_Init is missed as well.
  if (phase(rank.world_rank) != Phase::finalized) {
    const std::lock_guard guard(deserter_lock_);
    if (deserter_ < 0) {
      deserter_ = rank.world_rank;
      deserter_code_ = exit_code;
      deserted_.set();
    }
  }
  set_phase(rank, Phase::left);
}

void Job::look_around(Rank& self)
{
  if (cancelled()) throw JobCancelled{};
  if (deserted_.is_set()) {
    abort(&rank(deserter_), deserter_code_ != 0 ? deserter_code_ : 1,
          "left without MPI_Finalize while rank " + std::to_string(self.world_rank) + " still waits");
  }
}

const std::vector<Place>& Job::places()
{
  const std::lock_guard guard(places_lock_);
  if (!places_found_ && options_.places) places_ = options_.places();
  places_found_ = true;
  return places_;
}

Phase Job::phase(int world_rank) const noexcept
{
  return static_cast<Phase>(phases_[static_cast<std::size_t>(world_rank)].value());
}

void Job::set_phase(Rank& rank, Phase phase) noexcept
{
  phases_[static_cast<std::size_t>(rank.world_rank)].publish(static_cast<std::uint64_t>(phase));
}

}  // namespace ranklet
