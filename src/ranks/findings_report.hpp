// What the usage checks find, as a file for machines (--check-report).
#pragma once

#include <sys/types.h>
#include <string>

#include "base/guarded.hpp"
#include "ranks/findings.hpp"

namespace ranklet::check {

// Thread-safe. The file is whole at any time: what follows the last finding is written behind each anew, as
// the process may end in any way.
class FindingsReport {
 public:
  // A name that ends with ".sarif" or ".sarif.json" asks for SARIF 2.1.0, any other for JSON of our own,
  // which docs/usage-checks.md describes. Throws Error (no_such_file, access, file) if it cannot be created.
  explicit FindingsReport(const std::string& path);
  ~FindingsReport();
  FindingsReport(const FindingsReport&) = delete;
  FindingsReport& operator=(const FindingsReport&) = delete;

  void add(const Finding& finding);

 private:
  void write(const std::string& text) RANKLET_REQUIRES(lock_);

  const bool sarif_;
  const int file_;
  Mutex lock_;
  bool first_ RANKLET_GUARDED_BY(lock_) = true;
  off_t end_ RANKLET_GUARDED_BY(lock_) = 0;  // where the next finding begins
};

}  // namespace ranklet::check
