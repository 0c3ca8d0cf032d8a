// getopt, getopt_long and getopt_long_only with a parse state per rank.
#pragma once

#include <getopt.h>

#include <cstddef>

namespace ranklet::loader {

struct LibcVariables;

// GNU behaviour: permutation of argv unless POSIXLY_CORRECT or '+', "-" for options in order, "::" optional
// arguments, abbreviated long options, "W;", the messages of glibc. Reads and writes the program's optarg,
// optind, opterr, optopt; optind = 0 starts anew.
class Getopt {
 public:
  enum class Mode { short_only, long_too, long_only };

  explicit Getopt(const LibcVariables& variables);
  Getopt(const Getopt&) = delete;
  Getopt& operator=(const Getopt&) = delete;

  int next(int argc, char* const* argv, const char* short_options, const option* long_options,
           int* long_index, Mode mode, bool posix);

 private:
  enum class OperandOrder { permute, stop_at_operand, in_order };
  struct Call;

  void begin(const Call& call);
  void skip_operands(const Call& call);
  void move_operands_behind(const Call& call);
  int next_long(const Call& call, const char* prefix);
  int next_short(const Call& call);
  const option* find_long(const Call& call, std::size_t length, bool& ambiguous) const;
  void complain_ambiguous(const Call& call, std::size_t length, const char* prefix) const;

  char*& argument_;
  int& index_;
  const int& print_errors_;
  int& bad_option_;

  bool begun_ = false;
  OperandOrder order_ = OperandOrder::permute;
  const char* rest_ = nullptr;  // unread characters of the current element
  int first_operand_ = 1;       // argv[first_operand_, last_operand_) are operands that were skipped
  int last_operand_ = 1;
};

}  // namespace ranklet::loader
