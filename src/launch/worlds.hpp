// The worlds of a host, and how those have ended that are past: for the mpiexec that has started the host,
// and for each guest, which have those with their number (World::guest).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/guarded.hpp"
#include "launch/world.hpp"

namespace ranklet::launch {

// Thread-safe.
class Worlds {
 public:
  using List = std::vector<std::shared_ptr<World>>;
  // What is to be said in the end, and the code.
  struct End {
    std::string words;
    int code = 0;

    void add(const World& world);
  };

  void add(std::shared_ptr<World> world);
  int new_number();
  // Those that are not past, in the order of their starts.
  List list() const;
  // Those of a guest, or the host's own, whose number is 0.
  List of(int guest) const;
  // One whose ranks run, or are still to come.
  std::shared_ptr<World> running() const;
  int ranks() const;

  // The CPUs of one whose ranks have ended are for those that have none of their own.
  void pass_on_cpus(World& ended);

  // Lets go of those that are past. Returns the guests that then have none.
  std::vector<int> forget_past();

  // The end of the host's own worlds, which are over.
  End own_end() const { return end_of(0); }
  // When a world of the guest is over: the guest's end, if none of its worlds runs; once.
  std::optional<End> guest_end(int guest);

 private:
  End end_of(int guest) const;

  mutable Mutex mutex_;
  List worlds_ RANKLET_GUARDED_BY(mutex_);
  std::map<int, End> past_ RANKLET_GUARDED_BY(mutex_);  // by guest
  std::set<int> guests_ RANKLET_GUARDED_BY(mutex_);     // that have not ended
  int last_number_ RANKLET_GUARDED_BY(mutex_) = 0;
};

}  // namespace ranklet::launch
