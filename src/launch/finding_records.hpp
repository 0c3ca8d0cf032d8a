// Findings on their way from a host to its mpiexec (--check=all), in a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.hpp"
#include "ranks/findings.hpp"

namespace ranklet::launch {

// Thread-safe. Each finding is in the file at once, as the process may end in any way.
class FindingRecords {
 public:
  // The file is there. Throws Error{file}.
  explicit FindingRecords(const std::string& path);
  ~FindingRecords();
  FindingRecords(const FindingRecords&) = delete;
  FindingRecords& operator=(const FindingRecords&) = delete;

  void add(const check::Finding& finding);

 private:
  Mutex lock_;  // held for a write, so that findings do not mix
  const int file_;
};

// Without a last one that is not whole.
std::vector<check::Finding> read_findings(std::string_view bytes);

}  // namespace ranklet::launch
