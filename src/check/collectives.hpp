// Whether the members of a communicator call the same collectives, in the same order, and give each other
// what they expect (MPI 5.0 §6.2, §6.14).
//
// Every member says what it calls before it does so; it is compared with what others have said of their call
// of the same number. So a mismatch is found whatever the algorithm moves.
//
// Thread safety: any threads, under a lock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/guarded.hpp"
#include "comm/communicator.hpp"
#include "datatype/datatype.hpp"
#include "terms/recorded_call.hpp"

namespace ranklet::check {

// The signatures of what a member gives or takes: one for all peers, or one for each.
struct Portions {
  static constexpr int all = -1;
  static constexpr int none = -2;

  int peer = none;              // whom it concerns: that member only, or all
  std::vector<Signature> each;  // one for all, or by peer

  const Signature* of(int member) const
  {
    if (peer == none || (peer != all && peer != member) || each.empty()) return nullptr;
    return &each[each.size() == 1 ? 0 : static_cast<std::size_t>(member)];
  }
};

struct CollectiveCall {
  static constexpr int no_root = -1;
  static constexpr int no_op = -1;

  std::string name;       // calls of different names do not match, unless both
  bool is_last = false;   // give the communicator back, or close MPI while it is there
  const char* rule = "";  // what says that the arguments are to agree
  int root = no_root;
  int op = no_op;          // its OpKind
  std::string assertions;  // by name, those that all must give or none
  Portions gives;
  Portions takes;
  std::optional<Signature> operands;  // that all must have alike
  Ref<const RecordedCall> call;
};

// Two calls that do not go together.
struct Mismatch {
  std::string what;
  const char* rule;
  Ref<const RecordedCall> other;
  // In what they differ. Of more members that differ in it at the same two places nothing more is said.
  enum class Subject { call, root, op, assertions, operands, data } subject;
};

class Collectives {
 public:
  // The member's next collective on the communicator; what is wrong with it, the first of each kind, unless
  // another member has told of it. `call.call` is the one that tells: by tell(mismatch), before anybody else
  // learns that it has, as who fails with the mismatch may end the job.
  using Tell = std::function<void(const Mismatch&)>;
  std::vector<Mismatch> add(Communicator& comm, CollectiveCall call, const Tell& tell = {});
  // The rank that has told of the mismatch with which collectives on the communicator fail, "rank 3"; empty:
  // none has.
  // is_last: it is the calling member's last one that fails, not an earlier one that has gone on.
  std::string told_by(Communicator& comm, bool is_last);
  // A collective has failed, so that the members' numbers may differ: they are not compared any more.
  // was_told: why it did.
  void give_up(const Communicator& comm, bool was_told);

 private:
  // Of one collective.
  struct MemberCalls {
    std::vector<std::optional<CollectiveCall>> by_member;
    int come = 0;
    int first = 0;
    bool differs = false;
  };
  // Of a mismatch: its subject and the places of both calls, the lesser one first.
  using Told = std::tuple<Mismatch::Subject, std::string, std::string>;
  struct State {
    std::weak_ptr<CommShared> comm;
    std::vector<std::uint64_t> next;                 // number, by member
    std::map<std::uint64_t, MemberCalls> under_way;  // by number
    bool given_up = false;
    std::map<Told, std::string> told;  // and by whom
    std::uint64_t last_told = 0;       // number of the last collective that had a mismatch
    std::string last_told_by;          // empty: none had, or what fails now is something else
  };
  // Whether nobody has told of it yet.
  static bool is_news(State& state, std::uint64_t number, const CollectiveCall& call,
                      const Mismatch& mismatch);
  State& state_of(const Communicator& comm) RANKLET_REQUIRES(lock_);

  Mutex lock_;
  std::map<const CommShared*, State> states_ RANKLET_GUARDED_BY(lock_);
  std::size_t next_sweep_ RANKLET_GUARDED_BY(lock_) = 64;
};

}  // namespace ranklet::check
