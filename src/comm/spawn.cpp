#include "comm/spawn.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "comm/comm_state.hpp"
#include "comm/follow.hpp"
#include "ranks/arbiter.hpp"
#include "terms/error.hpp"

namespace ranklet::comm {

namespace {

// What all members get of the root. The hold counts as a foreign communicator of the children's job until
// every member has its own: they may end at any time.
struct Started {
  std::shared_ptr<CommShared> shared;
  std::shared_ptr<Job> hold;
};

struct Outcome {
  Started started;
  std::vector<Spawned::RankCount> counts;
  std::optional<Error> error;
};

// On the thread that makes the children's job: each of them finds who has started it.
std::shared_ptr<CommShared> join_families(Job& children, const GroupPtr& parents)
{
  const auto shared = std::make_shared<CommShared>(children, parents, children.rank(0).comm->world->group());
  for (int i = 0; i < children.size(); ++i) {
    Rank& child = children.rank(i);
    CommRef parent = CommRef::adopt(new Communicator(child, shared));
    parent->name = "MPI_COMM_PARENT";
    parent->is_parent = true;
    parent->inherit(*child.comm->world);
    child.comm->parent = std::move(parent);
  }
  return shared;
}

Started start(Communicator& local, std::vector<SpawnRequest> requests,
              const std::function<void(Rank&, std::size_t)>& prepare)
{
  Rank& self = local.self();
  const StartPrograms& start_programs = self.job.options().start_programs;
  if (!start_programs)
    fail(ErrorClass::spawn, "nobody here can start programs as ranks: start this one by mpiexec -n 1");
  if (const auto& arbiter = self.job.options().arbiter; arbiter && arbiter->holds_receives()) {
    arbiter->wants_job(self);
    fail(ErrorClass::spawn, "a job whose matches are explored cannot start others");
  }
  std::vector<ProgramToStart> programs;
  for (SpawnRequest& request : requests) programs.push_back(std::move(request.program));
  if (std::ranges::all_of(programs, [](const auto& program) { return program.ranks == 0; }))
    fail(ErrorClass::spawn, "no process is to be started");
  Started started;
  const auto introduce = [&](Job& children) {
    children.foreign_communicators.add(1);
    started.hold = std::shared_ptr<Job>(&children, [](Job* job) { job->foreign_communicators.add(-1); });
    int rank = 0;
    for (std::size_t i = 0; i < programs.size(); ++i)
      for (int left = programs[i].ranks; left > 0; --left) prepare(children.rank(rank++), i);
    started.shared = join_families(children, local.group());
  };
  start_programs({self, programs, introduce});
  const Job& job = *started.hold;
  wait_until(self, self.parking, [&] { return job.is_complete(); });
  if (job.is_incomplete_for_ever())
    fail(ErrorClass::spawn, "a process that was started has ended without MPI_Init");
  return started;
}

bool parse(std::string_view text, int& number)
{
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// The text before `mark`; both are taken off.
std::string_view take_part(std::string_view& text, char mark)
{
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace

Spawned spawn(Communicator& local, int root, const std::function<std::vector<SpawnRequest>()>& plan,
              const std::function<void(Rank&, std::size_t program)>& prepare)
{
  if (local.is_inter()) fail(ErrorClass::comm, "the communicator is an intercommunicator");
  Outcome outcome = follow_result<Outcome>(local, root, "root", [&] {
    Outcome result;
    try {
      std::vector<SpawnRequest> requests = plan();
      for (const SpawnRequest& request : requests)
        result.counts.push_back({request.most, request.program.ranks});
      result.started = start(local, std::move(requests), prepare);
    } catch (const Error& error) {
      result.error = error;
    }
    return result;
  });
  Spawned result{{}, std::move(outcome.counts), std::move(outcome.error)};
  if (result.error) return result;
  result.comm = CommRef::adopt(new Communicator(local.self(), outcome.started.shared));
  result.comm->inherit(local);
  return result;
}

int choose_from_soft(std::string_view text, int most)
{
  int best = -1;
  std::string spaceless;
  std::ranges::copy_if(text, std::back_inserter(spaceless), [](char c) { return c != ' '; });
  for (std::string_view rest = spaceless; !rest.empty();) {
    std::string_view triplet = take_part(rest, ',');
    int numbers[3] = {0, 0, 1};
    int count = 0;
    bool good = true;
    while (good && !triplet.empty() && count < 3) good = parse(take_part(triplet, ':'), numbers[count++]);
    if (!good || count == 0 || !triplet.empty() || (count == 3 && numbers[2] == 0))
      fail(ErrorClass::info_value, "soft is \"%.*s\", not triplets first:last:step with commas between them",
           static_cast<int>(text.size()), text.data());
    const long long first = numbers[0], end = count > 1 ? numbers[1] : first, step = numbers[2];
    if (step > 0 ? first > end : first < end) continue;
    // The row's members in ascending order.
    const long long last = first + (end - first) / step * step, width = step > 0 ? step : -step;
    const long long low = std::min(first, last), high = std::max(first, last);
    if (low > most) continue;
    const long long nearest = low + (std::min<long long>(high, most) - low) / width * width;
    best = std::max(best, static_cast<int>(nearest));
  }
  if (best < 0)
    fail(ErrorClass::spawn, "soft is \"%.*s\": no number of it is at most %d, which maxprocs is",
         static_cast<int>(text.size()), text.data(), most);
  return best;
}

}  // namespace ranklet::comm
