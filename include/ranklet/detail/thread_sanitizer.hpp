// ThreadSanitizer (gcc's) asks the program's executable whether to keep quiet of what it has found. Races of
// accesses that MPI makes are told in the run's report instead, with the names of the calls.
#pragma once

extern "C" bool ranklet_race_found(const void* report);

namespace __tsan {

class ReportDesc;

// A program that has its own is not overruled.
[[gnu::weak, gnu::used, gnu::visibility("default")]] bool OnReport(const ReportDesc* report, bool suppressed);
inline bool OnReport(const ReportDesc* report, bool suppressed)
{
  return suppressed || ranklet_race_found(report);
}

}  // namespace __tsan
