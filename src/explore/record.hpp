// The arbiters of --record and --replay (script.hpp says what the file holds).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/guarded.hpp"
#include "explore/script.hpp"
#include "ranks/ranks.hpp"

namespace ranklet {

// Writes down what comes out, line by line as it happens, so that nothing is lost when the job ends by a
// crash.
class Recorder final : public Arbiter {
 public:
  // Errors: no_such_file.
  Recorder(const std::string& file, int ranks);
  ~Recorder() override;

  Ruling begin(Rank& self, Question& question) override;
  void end(Rank& rank, int index, const Outcome& outcome) override;
  void ends(Rank& rank) override;

 private:
  void write(const std::string& line);

  Mutex lock_;
  std::map<std::vector<int>, std::vector<ChoiceKind>> kinds_
      RANKLET_GUARDED_BY(lock_);  // by the rank's path, and index
  int file_ = -1;
};

// Makes the outcomes those of a record. What the record does not hold, because the recorded run ended there,
// comes as it comes. A rank that makes other choices than the recorded ones ends the job with a report.
class Replayer final : public Arbiter {
 public:
  // name: for reports. Errors: arg.
  Replayer(const Script& script, std::string name, int ranks);

  Ruling begin(Rank& self, Question& question) override;
  void end(Rank& rank, int index, const Outcome& outcome) override;
  void ends(Rank& rank) override;
  std::string remark() override;

 private:
  struct OfRank {
    std::map<int, Decision> decisions;  // by index
    std::map<int, Decision> awaited;    // begun and not ended
    int choices = 0;                    // made so far
    int end = -1;                       // made when the recorded rank's program ended; -1: it did not
  };
  // call: in which the rank does that; null: in none.
  [[noreturn]] void depart(Rank& self, int index, const CallNote* call, const std::string& now,
                           const std::string& recorded);

  Mutex lock_;
  std::map<std::vector<int>, OfRank> ranks_ RANKLET_GUARDED_BY(lock_);  // by path
  const std::string name_;
};

}  // namespace ranklet
