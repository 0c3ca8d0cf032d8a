// What several runs of one job have found, each thing once (--check=all).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ranks/findings.hpp"

namespace ranklet::launch {

class Problems {
 public:
  // way: mpiexec's options for such a run. Ranks with the same at the same place are told together.
  void add(const check::Finding& finding, const std::string& way);
  // A run has failed: `what` in one line, and what it said of that, which names the places. again: the
  // options that repeat it, if these are not those of the way. shown: people have seen the report.
  void add_failure(const std::string& what, const std::string& report, const std::string& way,
                   const std::string& again, bool shown);

  int count() const { return static_cast<int>(list_.size()); }
  // How many of them one way has shown.
  int count(std::string_view way) const;
  // Those that are not only advice.
  int errors() const;
  // Numbered: errors, failures, leaks, advice; whole lines.
  std::string text() const;
  // Those that are findings, from all ranks.
  const std::vector<check::Finding>& findings() const { return findings_; }

 private:
  enum class Kind { error, failure, leak, advice };
  struct Problem {
    Kind kind;
    std::string key;
    std::string text;
    std::vector<int> ranks;  // of a finding; the text names the first
    std::vector<std::string> ways;
    std::string again;
  };
  Problem& find(Kind kind, const std::string& key, const std::string& text, const std::string& way);

  std::vector<Problem> list_;
  std::vector<check::Finding> findings_;
};

}  // namespace ranklet::launch
