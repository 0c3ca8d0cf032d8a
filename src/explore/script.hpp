// Outcomes of choices as text: the file of --record and --replay, the log of an exploring run, and tokens.
//
// One line for each choice, in any order: the rank, the index of the choice in the rank's program order, the
// kind of call, and what came out.
//
//     ranks 3
//     0 0 receive 2 7        rank 0's first choice: a receive (or a probe) got the message from 2, tag 7
//     1 0 waitany 1          request 1 of the array was completed; waitsome and testsome name several
//     1 1 test none          a test that found nothing
//     end 1 2                rank 1's program ended after two choices
//     0:1:2 0 receive 0 7    rank 2 of the second job that rank 0 has started, and so on (Rank::path)
//     0 1 accept 0 1 2       MPI_Comm_accept met that rank
//
// A receive that was never matched has no line. '#' begins a comment.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/arbiter.hpp"

namespace ranklet {

struct Decision {
  int rank = 0;
  int index = 0;
  ChoiceKind kind = ChoiceKind::receive;
  Outcome outcome;
  std::vector<int> job = {};  // of the rank (JobOptions::path)

  std::vector<int> path() const;
};

struct Script {
  int ranks = 0;      // 0: not said
  std::string modes;  // of the job it comes from (matching_modes() in arbiters.hpp); in tokens only
  std::vector<Decision> decisions;
  std::map<std::vector<int>, int> ends;  // by path: how many choices the rank had made at its end

  // "0 0 receive 2 7"
  static std::string line(const Decision& decision);
  // Throws Error{arg} that names the line.
  static Script parse(std::string_view text);
  // Throws Error{no_such_file} as well.
  static Script read(const std::string& file);

  // All but the ends in one word, for people to copy: "explored:3,check/0.0r2.7/1.0y1". And back; throws
  // Error{arg}.
  std::string token() const;
  static bool is_token(std::string_view text);
  static Script of_token(std::string_view text);
};

// "0:1:2"
std::string path_text(const std::vector<int>& path);
// "2 7", "none"
std::string outcome_text(const Outcome& outcome);
// Throws Error{arg}.
Outcome parse_outcome(std::string_view text);
bool contains(const std::vector<Outcome>& outcomes, const Outcome& wanted);
// "a message from 2 with tag 7", "request 1", "nothing": for reports.
std::string describe(ChoiceKind kind, const Outcome& outcome);

}  // namespace ranklet
