// A rank's time zone: what TZ says in its environment.
//
// libc has one zone for the process, which it reads from the process's environment. So calls that depend on
// the zone run under one lock (as they do inside libc anyway), and when the zone that is loaded is another
// rank's, the rank's own is loaded first. Ranks with one and the same zone never load anything.
#pragma once

#include <string>

#include "base/guarded.hpp"
#include "process/process.hpp"

namespace ranklet::loader {

class Environment;

// Thread-safe.
class TimeZone {
 public:
  // The places of tzname[2], timezone and daylight are the program's.
  TimeZone(const Environment& environment, const LibcVariables& variables)
      : environment_(environment), variables_(variables)
  {
  }
  TimeZone(const TimeZone&) = delete;
  TimeZone& operator=(const TimeZone&) = delete;

  // refresh: looks at TZ again, as tzset(3) does; keep: only at the first call, as localtime_r(3) does.
  enum class Look { refresh, keep };
  // Calls a function of libc in the rank's zone and brings the variables up to date.
  template <class Function>
  auto with(Look look, Function function)
  {
    const Holder hold(process_zone);
    load(look);
    struct Publish {
      TimeZone& zone;
      ~Publish() { zone.publish(); }
    } const publish{*this};
    return function();
  }

  // Of libc's zone. The thread that forks holds it meanwhile, so that no other does in the child.
  static Mutex process_zone;

 private:
  void load(Look look) RANKLET_REQUIRES(process_zone);
  void publish() const;

  const Environment& environment_;
  const LibcVariables& variables_;
  bool known_ RANKLET_GUARDED_BY(process_zone) = false;
  std::string name_ RANKLET_GUARDED_BY(process_zone);  // as in TZ
};

}  // namespace ranklet::loader
