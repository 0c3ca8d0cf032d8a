// The arbiter of one run of an exploration: nothing that is open is decided before nothing else moves, so
// that all that may come out is known then.
//
// A script says the first decisions; each is made when it is possible. Then, with nothing of the script left
// that is possible, the first open choice gets its first outcome, and the log gets a line with its other
// ones. An event after the decision of a choice that does not follow from it could have been its outcome as
// well, "late": a message for a receive or probe, the completion of a request.
// search.hpp makes the scripts of other runs from the logs.
//
// These follow from a decision: all that happens until the next one, since nothing else moved; and decisions
// on choices that came up meanwhile. This misses some dependences, never invents one, so the worst is a run
// whose script turns out to be impossible.
//
// A test that could find something (but for what its own program has completed) also finds nothing, once, and
// then finds it, so that loops of tests end. One that cannot find anything returns when nothing else moves;
// too many in a row, for too long, are a livelock. Outcomes that such a test could have had if others that
// failed with it had failed earlier are not tried; the log says so.
//
// A rank that is about to end the job waits until nothing else can happen: the others could all have been
// faster, and what they do may show what else was possible before.
//
// The log, line by line as things happen:
//
//     0 0 receive 1 7 | 2 7      a decision of this run, and what else was possible
//     late 0 0 receive 0 7       what also was, of that choice
//     note look                  an outcome was not a choice: look, cancel, tests (search.cpp says of what)
//     note spawn                 a rank wanted to start another job
//     impossible                 the script cannot be followed
//     deadlock                   nothing can go on
//     livelock
//     failed                     nothing but what a rank does that ends the job
//     end                        all ranks' programs have ended
//
// Locks: resolve() has the deadlock watch's, takes ranks' tokens, then lock_, and with it tokens again, which
// is safe as nobody else holds one while nothing moves. All others take a token before lock_ or not at all:
// arrived() is called by a token's holder.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/guarded.hpp"
#include "explore/script.hpp"
#include "ranks/ranks.hpp"

namespace ranklet {

class Explorer final : public Arbiter {
 public:
  using Log = std::function<void(const std::string& line)>;

  // log may be null.
  Explorer(const Script& script, Log log);

  Ruling begin(Rank& self, Question& question) override;
  void end(Rank& rank, int index, const Outcome& outcome) override;
  void ends(Rank& rank) override;
  void fails(Rank& self) override;
  void ended(Request& request, bool complete) override;
  void wants_job(Rank& self) override;
  bool holds_receives() const noexcept override { return true; }
  void arrived(Rank& to, std::uint32_t context, int source, int tag) override;
  Resolution resolve(bool outside) override;
  std::string headline() override;
  std::string remark() override;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int none = -1;

  // A thread that waits for the answer to its question.
  struct Asker {
    Rank& rank;
    Question& question;
    int index;
    Outcome outcome;
    memmodel::Flag<> decided;
  };
  // A choice that has come up.
  struct RankChoice {
    ChoiceKind kind;
    std::uint32_t context;
    int source, tag;             // what is asked for
    int after;                   // it follows from this decision and those before it
    int decision = none;         // its number, when it is decided
    std::uint64_t vain = 0;      // the round in which it found nothing as there was nothing
    std::vector<Outcome> known;  // outcomes that the log holds
  };
  struct OfRank {
    std::vector<RankChoice> choices;
    bool found_nothing = false;   // the last test that could have found something
    std::uint64_t last_vain = 0;  // the last round in which a test found nothing
    bool ended = false;
  };
  // A choice that is open now.
  struct Point {
    Rank* rank;
    int index;
    ChoiceKind kind;
    std::vector<Outcome> options;
    Asker* asker;  // null: a posted receive
  };
  // A choice that has been made while this could still have come out.
  struct Missed {
    int rank;
    int index;
    Outcome outcome;
  };
  // A rank that is about to end the job.
  struct Failing {
    Rank& rank;
    memmodel::Flag<> may_go;
  };

  // What nothing else moves for.
  std::vector<Point> points() RANKLET_EXCLUDES(lock_);
  bool follow_script(const std::vector<Point>& points) RANKLET_REQUIRES(lock_);
  bool decide_freely(const std::vector<Point>& points) RANKLET_REQUIRES(lock_);
  bool let_tests_fail(const std::vector<Point>& points, bool outside) RANKLET_REQUIRES(lock_);
  bool vain_for_too_long() RANKLET_REQUIRES(lock_);
  bool is_reserved(const Point& point) const RANKLET_REQUIRES(lock_);
  bool is_followed() const RANKLET_REQUIRES(lock_);
  void apply(const Point& point, const Outcome& outcome) RANKLET_REQUIRES(lock_);
  void answer(const Point& point) RANKLET_REQUIRES(lock_);
  void set_present(int decision) RANKLET_REQUIRES(lock_);
  RankChoice& choice(int rank, int index) RANKLET_REQUIRES(lock_);
  RankChoice& choice(const Point& point) RANKLET_REQUIRES(lock_)
  {
    return choice(point.rank->world_rank, point.index);
  }
  void write(const std::string& line) RANKLET_REQUIRES(lock_);
  void note(const std::string& what) RANKLET_REQUIRES(lock_);

  // How it ends (explorer_end.cpp).
  bool let_fail() RANKLET_REQUIRES(lock_);
  std::string misfit() const RANKLET_REQUIRES(lock_);

  // What comes late (explorer_late.cpp).
  void watch_pending(const Point& point) RANKLET_REQUIRES(lock_);
  void look_at_watched() RANKLET_REQUIRES(lock_);
  void came_late(int rank, int index, const Outcome& outcome) RANKLET_REQUIRES(lock_);
  bool could_have_been_earlier(int rank, std::uint64_t round) const RANKLET_REQUIRES(lock_);

  const std::vector<Decision> script_;
  std::vector<bool> followed_;  // the script's decisions that are made
  const Log log_;
  Job* job_ = nullptr;  // known from the first choice on

  Mutex lock_;
  std::vector<OfRank> ranks_ RANKLET_GUARDED_BY(lock_);
  std::vector<Asker*> askers_ RANKLET_GUARDED_BY(lock_);
  std::vector<Failing*> failing_ RANKLET_GUARDED_BY(lock_);
  std::map<Request*, std::vector<Missed>> watched_ RANKLET_GUARDED_BY(lock_);
  std::set<std::string> noted_ RANKLET_GUARDED_BY(lock_);
  // Decisions by number: which one each has followed from.
  std::vector<int> after_ RANKLET_GUARDED_BY(lock_);
  // The decision from which, with those before it, present events follow.
  int present_ RANKLET_GUARDED_BY(lock_) = none;
  std::vector<bool> in_present_ RANKLET_GUARDED_BY(lock_);  // by number: whether it is one of these
  memmodel::Counter<> vain_rounds_;                         // in a row in which all tests have failed
  Clock::time_point vain_since_ RANKLET_GUARDED_BY(lock_);
  std::uint64_t round_ RANKLET_GUARDED_BY(lock_) = 0;  // of failing tests, ever
  // The last one while something outside could have come.
  std::uint64_t outside_round_ RANKLET_GUARDED_BY(lock_) = 0;
  std::string state_ RANKLET_GUARDED_BY(lock_);  // for the report
  bool told_ RANKLET_GUARDED_BY(lock_) = false;  // headline() was in it
};

}  // namespace ranklet
