// Decides what the standard leaves open in a job: from whom a wildcard receives, which of several
// complete requests a call returns, whether a test finds something. Mostly nobody: things come as they come,
// and a job has no arbiter. src/explore has those that record the outcomes, enforce recorded ones, or try
// all.
//
// A choice is known by its rank and its index in the rank's program order; where several threads of a rank
// make choices at once, the order is theirs and not repeatable.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "terms/types.hpp"

namespace ranklet {

class Rank;
class Request;
struct JobOptions;

// Of a receive or a probe: source and tag of the message. Of a call on requests: the indices of those that it
// completes; of MPI_Test and MPI_Testall 0 stands for all, of MPI_Cancel for its success. Of MPI_Comm_accept:
// the path (Rank::path) of the rank that has connected. Empty: nothing was found or complete, or cancelled.
using Outcome = std::vector<int>;

enum class ChoiceKind : std::uint8_t {
  receive,
  probe,
  mprobe,
  iprobe,
  improbe,
  waitany,
  waitsome,
  accept,  // whom MPI_Comm_accept meets
  test,
  testany,
  testsome,
  testall,
  look,    // whether something has happened: MPI_Parrived, MPI_Win_test, MPI_Cancel of a send
  cancel,  // MPI_Cancel of a receive
};
inline constexpr std::array<const char*, 14> choice_names = {
    "receive", "probe", "mprobe",  "iprobe",   "improbe", "waitany", "waitsome",
    "accept",  "test",  "testany", "testsome", "testall", "look",    "cancel"};
inline const char* name(ChoiceKind kind) noexcept
{
  return choice_names[static_cast<std::size_t>(kind)];
}
// Those that name messages; the others name requests, or a rank.
inline bool is_about_messages(ChoiceKind kind) noexcept
{
  return kind <= ChoiceKind::improbe;
}
// Calls that do not wait.
inline bool may_find_nothing(ChoiceKind kind) noexcept
{
  return kind == ChoiceKind::iprobe || kind == ChoiceKind::improbe || kind >= ChoiceKind::test;
}

// What is to be decided; lies on the stack of the thread that asks.
struct Question {
  explicit Question(ChoiceKind in_kind) noexcept : kind(in_kind) {}
  virtual ~Question() = default;

  // What may come out as things stand, except nothing; called by any thread while nothing moves in the job.
  virtual std::vector<Outcome> options() const { return {}; }
  // Whether a call that does not wait could as well find nothing where there is something.
  virtual bool may_miss() const { return true; }
  // Requests that are asked about and not complete, with what could come out if each were.
  struct Pending {
    Request* request;
    Outcome outcome;
  };
  virtual std::vector<Pending> pending() const { return {}; }
  // Whether the call could have this outcome, at some time.
  virtual bool allows(const Outcome& outcome) const
  {
    if (outcome.empty()) return may_find_nothing(kind);
    if (!is_about_messages(kind)) return outcome == Outcome{0};
    return outcome.size() == 2 && (source == any_source || source == outcome[0]) &&
           (tag == any_tag || tag == outcome[1]);
  }
  // Progress while the asker waits for the answer: by its own thread, and whether there is some to be made.
  virtual void advance() {}
  virtual bool ready_to_advance() const noexcept { return false; }

  ChoiceKind kind;
  // Of messages: what is asked for, wildcards included.
  std::uint32_t context = 0;
  int source = 0;
  int tag = 0;
};

// Thread safety: any thread of any rank.
class Arbiter {
 public:
  Arbiter() = default;
  virtual ~Arbiter() = default;
  Arbiter(const Arbiter&) = delete;
  Arbiter& operator=(const Arbiter&) = delete;

  struct Ruling {
    int index;                      // of the choice in its rank
    std::optional<Outcome> forced;  // what has to come out; nullopt: as it comes
  };
  // The rank's next choice, on its thread. May wait, except for a receive, which is posted.
  virtual Ruling begin(Rank& self, Question& question) = 0;
  // What has come out; of a receive when it is matched, by any thread.
  virtual void end(Rank& rank, int index, const Outcome& outcome) = 0;
  // A rank's program has ended, and the job was not cancelled: no choices follow. Not MPI_Finalize, as
  // sessions may come after it.
  virtual void ends(Rank&) {}
  // Before a rank ends the job, on its thread, which may wait: what else happens in the job, happens first.
  // By Job::let_others_go_first.
  virtual void fails(Rank&) {}
  // A request that was watched (Request::watch) ends: because it is complete, or freed. By its owner.
  virtual void ended(Request&, bool /*complete*/) {}

  // The rank wants to start another job, which is refused where receives are held.
  virtual void wants_job(Rank&) {}

  // Whether receives from any source wait for resolve().
  virtual bool holds_receives() const noexcept { return false; }
  // With held receives: a message has come, by the holder of the receiver's token.
  virtual void arrived(Rank&, std::uint32_t /*context*/, int /*source*/, int /*tag*/) {}
  // Nothing moves in the job: all ranks' threads sleep or have ended. outside: something outside the job may
  // move it (Rank::outside_events). Called under the lock of the deadlock watch, so by one thread at a time,
  // and while no other thread holds a rank's token.
  enum class Resolution { moves, waits, dead };
  virtual Resolution resolve(bool outside) { return outside ? Resolution::waits : Resolution::dead; }
  // Before and after reports of what ends the job; empty or whole lines.
  virtual std::string headline() { return {}; }
  virtual std::string remark() { return {}; }
};

}  // namespace ranklet
