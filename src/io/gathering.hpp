// A collective access: all members' parts are one plan, sorted by place and carried out by whoever is there.
//
// Members come in any order and say what they want to move (join). The last one cuts the range of the file
// into slices; each is done by one thread, straight from and to all members' buffers: a member that waits, or
// a thread of the job (JobFiles) where the members' calls do not wait. In atomic mode members' parts are done
// one after the other, under locks.
//
// Thread safety: join() by one thread of each member, help() by any thread.
#pragma once

#include <memory>
#include <vector>

#include "io/work.hpp"

namespace ranklet::io {

// What the members must agree on.
struct Kind {
  Direction direction;
  bool ordered;
  bool blocking;
  friend bool operator==(const Kind&, const Kind&) = default;
};

class Gathering : public std::enable_shared_from_this<Gathering> {
 public:
  Gathering(std::shared_ptr<FileShared> shared, int members);

  // The access with that number of the file, made by whoever comes first.
  static std::shared_ptr<Gathering> find(const std::shared_ptr<FileShared>& shared, std::uint64_t number,
                                         int members);

  // A member's part. work: null if it is in error, then the others go on without it. request: null if the
  // member waits. True: it was the last one.
  bool join(int member, const Kind& kind, Work* work, FileRequest* request);

  // By the last one, with the number that the access was found by: makes the plan.
  void plan(std::uint64_t number);
  // After that, where the members do not wait: lets the job's threads do it.
  void start_threads(Rank& self);

  // Does slices until none is left that nobody works at.
  void help();
  bool has_work() const noexcept { return planned_.is_set() && next_.value() < slices_; }
  bool complete() const noexcept { return complete_.is_set(); }

  alignas(64) memmodel::Parking<> parking;  // members that wait

 private:
  struct Member {
    Kind kind{};
    Work* work = nullptr;
    FileRequest* request = nullptr;
  };

  void cut();
  void place_in_order();
  void refuse(const Error& error);
  void run_slice(int slice);
  void settle() noexcept;

  const std::shared_ptr<FileShared> shared_;
  std::vector<Member> members_;
  std::vector<int> active_;  // members with data
  memmodel::Counter<> missing_;
  int slices_ = 1;
  bool serial_ = false;            // members' parts one after the other
  std::vector<Portion> portions_;  // by slice, then by active_
  std::vector<int> errors_;        // by slice
  memmodel::Counter<> next_{0};    // slice that nobody has begun
  memmodel::Counter<> unfinished_{0};
  memmodel::Flag<> planned_;
  memmodel::Flag<> complete_;
};

}  // namespace ranklet::io
