#include "ranks/job.hpp"

#include <algorithm>
#include <utility>

#include "terms/error.hpp"

namespace ranklet {

namespace {

// The thread is in let_others_go_first().
[[gnu::tls_model("initial-exec")]] constinit thread_local bool ends_job = false;

}  // namespace

Job::Job(int size, JobOptions options)
    : universe(options.spawner ? options.spawner->job.universe : std::make_shared<Universe>()),
      findings(options.on_finding),
      options_(std::move(options)),
      short_way_limit_(options_.checks ? -1 : static_cast<Count>(options_.eager_limit)),
      spawner_(options_.spawner ? options_.spawner->job.ranks_alone() : nullptr),
      phases_(static_cast<std::size_t>(size < 1 ? 0 : size))
{
  if (size < 1) fail(ErrorClass::arg, "a job needs at least one rank, not %d", size);
  if (options_.spawner) {
    checks = options_.spawner->job.checks;
    files = options_.spawner->job.files;
  }
  ranks_->reserve(static_cast<std::size_t>(size));
  const int first_number = deadlocks.reserve(size);
  for (int i = 0; i < size; ++i) ranks_->push_back(std::make_unique<Rank>(*this, i, first_number + i));
  for (const Extension& extension : options_.extensions)
    for (auto& rank : *ranks_) extension.create(*rank);
  deadlocks.add(*this);
}

Job::~Job()
{
  deadlocks.remove(*this);
  for (auto extension = options_.extensions.rbegin(); extension != options_.extensions.rend(); ++extension)
    for (auto& rank : *ranks_) extension->destroy(*rank);
}

void Job::let_others_go_first(Rank& self)
{
  if (!options_.arbiter) return;
  struct Leaving {
    Leaving() { ends_job = true; }
    ~Leaving() { ends_job = false; }
  } const leaving;
  options_.arbiter->fails(self);
}

void Job::abort(Rank* who, int code, const std::string& why)
{
  // Nobody is to blame for a deadlock, which is found when nothing happens any more.
  if (Rank* const self = current_rank(); self && who) let_others_go_first(*self);
  if (options_.on_abort) {
    std::string remark = options_.arbiter ? options_.arbiter->remark() : std::string();
    if (!options_.remark.empty()) remark += "under " + options_.remark + "\n";
    const bool whole = remark.empty() || why.ends_with('\n');
    options_.on_abort(who, code, why + (whole ? "" : "\n") + remark);
  }
  cancel();
  stop();
}

void Job::stop()
{
  await_rest();
  throw JobCancelled{};
}

bool Job::enter(Rank& self) noexcept
{
  if (detail::inside) return false;
  detail::inside = &self;
  memmodel::Presence<>::enter(self.inside);
  return true;
}

void Job::leave_mpi() noexcept
{
  Rank* const self = std::exchange(detail::inside, nullptr);
  if (!self) return;
  Job& job = self->job;
  job.inside_mpi_.leave(
      self->inside, [&] { return job.cancelled(); }, [&] { return job.is_at_rest(); });
}

bool Job::is_at_rest() const noexcept
{
  return std::ranges::all_of(*ranks_, [](const auto& rank) { return rank->inside.value() == 0; });
}

void Job::await_rest(std::chrono::milliseconds longest) noexcept
{
  leave_mpi();
  const auto begin = std::chrono::steady_clock::now();
  while (inside_mpi_.await_empty([this] { return is_at_rest(); }, 50))
    if (longest.count() > 0 && std::chrono::steady_clock::now() - begin > longest) return;
}

void Job::wait_by(const WaitPolicy& policy) noexcept
{
  if (!being_told_.set_first()) return;
  other_wait_ = policy;
  waits_otherwise_.set();
}

void Job::cancel() noexcept
{
  cancelled_.set();
  // Ranks that sleep elsewhere (boards) are known to the watch, or sleep for a short time.
  for (auto& rank : *ranks_) rank->parking.notify();
  deadlocks.wake_all();
}

void Job::end(Rank& rank) noexcept
{
  if (options_.arbiter && !cancelled()) options_.arbiter->ends(rank);
  set_phase(rank, Phase::left);
  deadlocks.note_end();
}

void Job::leave(Rank& rank, int exit_code) noexcept
{
  // One that never came to MPI_Init is missed as well.
  if (phase(rank.world_rank) != Phase::finalized) {
    const Holder guard(deserter_lock_);
    if (deserter_ < 0) {
      deserter_ = rank.world_rank;
      deserter_code_ = exit_code;
      deserted_.set();
    }
  }
  end(rank);
}

void Job::look_around(Rank& self)
{
  if (cancelled()) stop();
  // The rank that ends the job does not wait for the one that has left.
  if (deserted_.is_set() && !ends_job) end_for_deserter(self);
}

void Job::end_for_deserter(const Rank& self)
{
  abort(&rank(deserter_), deserter_code_ != 0 ? deserter_code_ : 1,
        "left without MPI_Finalize while " + self.name() + " still waits");
}

void Job::note_start(bool ended) noexcept
{
  if (ended) lost_.set();
  // The last one sees what the others have set before (Counter), and publishes it to who finds us complete.
  if (come_.add(1) < size()) return;
  // Behind complete_ the spawner may end, and its job go, at any time.
  complete_.set();
  options_.spawner->wake();
}

const std::vector<Place>& Job::places()
{
  const Holder guard(places_lock_);
  if (!places_found_ && options_.places) places_ = options_.places();
  places_found_ = true;
  return places_;
}

std::string Job::label_of(int world_rank) const
{
  return std::to_string(world_rank) +
         (options_.world > 1 ? " of world " + std::to_string(options_.world) : "");
}

Phase Job::phase(int world_rank) const noexcept
{
  return static_cast<Phase>(phases_[static_cast<std::size_t>(world_rank)].value());
}

void Job::set_phase(Rank& rank, Phase phase) noexcept
{
  const bool first = this->phase(rank.world_rank) == Phase::before_init;
  phases_[static_cast<std::size_t>(rank.world_rank)].publish(static_cast<std::uint64_t>(phase));
  if (first && options_.spawner) note_start(phase == Phase::left);
  // A rank that has ended wakes nobody, so wake the sleepers here.
  if (phase >= Phase::finalized && options_.arbiter && options_.arbiter->holds_receives())
    deadlocks.wake_all();
}

}  // namespace ranklet
