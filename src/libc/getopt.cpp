#include "libc/getopt.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

// The arguments of one call.
struct Getopt::Call {
  int argc;
  char* const* argv;
  const char* short_options;  // without the leading '+' or '-'
  const option* long_options;
  int* long_index;
  Mode mode;
  bool posix;
  bool print_errors = true;

  // What a missing argument is reported as (getopt(3)).
  int missing() const { return short_options[0] == ':' ? ':' : '?'; }
};

namespace {

bool is_operand(const char* element)
{
  return element[0] != '-' || element[1] == '\0';
}

// Two spellings of one option are no reason to doubt which one is meant.
bool are_different(Getopt::Mode mode, const option& a, const option& b)
{
  return mode == Getopt::Mode::long_only || a.has_arg != b.has_arg || a.flag != b.flag || a.val != b.val;
}

[[gnu::format(printf, 2, 3)]] void complain_if(bool wanted, const char* format, ...)
{
  if (!wanted) return;
  LibcState* const state = current_libc();
  std::va_list arguments;
  va_start(arguments, format);
  std::vfprintf(state != nullptr ? state->stdio.err() : stderr, format, arguments);
  va_end(arguments);
}

}  // namespace

Getopt::Getopt(const LibcVariables& variables)
    : argument_(*variables.optarg_),
      index_(*variables.optind_),
      print_errors_(*variables.opterr_),
      bad_option_(*variables.optopt_)
{
}

void Getopt::begin(const Call& call)
{
  if (index_ == 0) index_ = 1;
  first_operand_ = last_operand_ = index_;
  rest_ = nullptr;
  LibcState* const state = current_libc();
  const bool posixly_correct = state != nullptr && state->environment.get("POSIXLY_CORRECT") != nullptr;
  if (call.short_options[0] == '-')
    order_ = OperandOrder::in_order;
  else if (call.short_options[0] == '+' || call.posix || posixly_correct)
    order_ = OperandOrder::stop_at_operand;
  else
    order_ = OperandOrder::permute;
  begun_ = true;
}

// Brings the options read since the operands were skipped before those operands.
void Getopt::move_operands_behind(const Call& call)
{
  char** const argv = const_cast<char**>(call.argv);  // as glibc does, in spite of the prototype
  std::rotate(argv + first_operand_, argv + last_operand_, argv + index_);
  first_operand_ += index_ - last_operand_;
  last_operand_ = index_;
}

void Getopt::skip_operands(const Call& call)
{
  // The program may have set optind back.
  last_operand_ = std::min(last_operand_, index_);
  first_operand_ = std::min(first_operand_, index_);
  if (order_ == OperandOrder::permute) {
    if (first_operand_ != last_operand_ && last_operand_ != index_)
      move_operands_behind(call);
    else if (last_operand_ != index_)
      first_operand_ = index_;
    while (index_ < call.argc && is_operand(call.argv[index_])) ++index_;
    last_operand_ = index_;
  }
  if (index_ != call.argc && std::strcmp(call.argv[index_], "--") == 0) {
    ++index_;
    if (first_operand_ != last_operand_ && last_operand_ != index_)
      move_operands_behind(call);
    else if (first_operand_ == last_operand_)
      first_operand_ = index_;
    last_operand_ = index_ = call.argc;
  }
}

int Getopt::next(int argc, char* const* argv, const char* short_options, const option* long_options,
                 int* long_index, Mode mode, bool posix)
{
  if (argc < 1) return -1;
  Call call{argc, argv, short_options, long_options, long_index, mode, posix};
  argument_ = nullptr;
  if (index_ == 0 || !begun_) begin(call);
  if (*call.short_options == '-' || *call.short_options == '+') ++call.short_options;
  call.print_errors = print_errors_ != 0 && *call.short_options != ':';

  if (rest_ != nullptr && *rest_ != '\0') return next_short(call);

  skip_operands(call);
  if (index_ == argc) {
    // The operands that were skipped are what is left.
    if (first_operand_ != last_operand_) index_ = first_operand_;
    return -1;
  }
  const char* const element = argv[index_];
  if (is_operand(element)) {
    if (order_ == OperandOrder::stop_at_operand) return -1;
    argument_ = argv[index_++];
    return 1;
  }
  if (long_options != nullptr) {
    if (element[1] == '-') {
      rest_ = element + 2;
      return next_long(call, "--");
    }
    // "-abc" is a long option, but "-a" is a short one if there is such a one.
    if (mode == Mode::long_only &&
        (element[2] != '\0' || std::strchr(call.short_options, element[1]) == nullptr)) {
      rest_ = element + 1;
      const int found = next_long(call, "-");
      if (found != -1) return found;
    }
  }
  rest_ = element + 1;
  return next_short(call);
}

// The option whose name begins with the first `length` characters of rest_.
const option* Getopt::find_long(const Call& call, std::size_t length, bool& ambiguous) const
{
  const option* match = nullptr;
  ambiguous = false;
  for (const option* candidate = call.long_options; candidate->name != nullptr; ++candidate) {
    if (std::strncmp(candidate->name, rest_, length) != 0) continue;
    if (std::strlen(candidate->name) == length) {
      ambiguous = false;
      return candidate;
    }
    if (match == nullptr)
      match = candidate;
    else if (are_different(call.mode, *match, *candidate))
      ambiguous = true;
  }
  return match;
}

void Getopt::complain_ambiguous(const Call& call, std::size_t length, const char* prefix) const
{
  if (!call.print_errors) return;
  std::string possibilities;
  const option* first = nullptr;
  for (const option* candidate = call.long_options; candidate->name != nullptr; ++candidate) {
    if (std::strncmp(candidate->name, rest_, length) != 0) continue;
    if (first == nullptr || are_different(call.mode, *first, *candidate))
      possibilities += std::string(" '") + prefix + candidate->name + "'";
    if (first == nullptr) first = candidate;
  }
  complain_if(true, "%s: option '%s%s' is ambiguous; possibilities:%s\n", call.argv[0], prefix, rest_,
              possibilities.c_str());
}

int Getopt::next_long(const Call& call, const char* prefix)
{
  const std::size_t length = std::strcspn(rest_, "=");
  bool ambiguous;
  const option* const found = find_long(call, length, ambiguous);
  if (ambiguous) {
    complain_ambiguous(call, length, prefix);
    rest_ += std::strlen(rest_);
    ++index_;
    bad_option_ = 0;
    return '?';
  }
  if (found == nullptr) {
    // Under getopt_long_only it may yet be a group of short options.
    if (call.mode == Mode::long_only && call.argv[index_][1] != '-' &&
        std::strchr(call.short_options, *rest_) != nullptr)
      return -1;
    complain_if(call.print_errors, "%s: unrecognized option '%s%s'\n", call.argv[0], prefix, rest_);
    rest_ = nullptr;
    ++index_;
    bad_option_ = 0;
    return '?';
  }
  const char* const value = rest_[length] == '=' ? rest_ + length + 1 : nullptr;
  rest_ = nullptr;
  ++index_;
  if (value != nullptr) {
    if (found->has_arg == no_argument) {
      complain_if(call.print_errors, "%s: option '%s%s' doesn't allow an argument\n", call.argv[0], prefix,
                  found->name);
      bad_option_ = found->val;
      return '?';
    }
    argument_ = const_cast<char*>(value);
  } else if (found->has_arg == required_argument) {
    if (index_ >= call.argc) {
      complain_if(call.print_errors, "%s: option '%s%s' requires an argument\n", call.argv[0], prefix,
                  found->name);
      bad_option_ = found->val;
      return call.missing();
    }
    argument_ = call.argv[index_++];
  }
  if (call.long_index != nullptr) *call.long_index = static_cast<int>(found - call.long_options);
  if (found->flag == nullptr) return found->val;
  *found->flag = found->val;
  return 0;
}

int Getopt::next_short(const Call& call)
{
  const char letter = *rest_++;
  const char* const found = std::strchr(call.short_options, letter);
  if (*rest_ == '\0') ++index_;
  if (found == nullptr || letter == ':' || letter == ';') {
    complain_if(call.print_errors, "%s: invalid option -- '%c'\n", call.argv[0], letter);
    bad_option_ = letter;
    return '?';
  }
  const bool long_follows = letter == 'W' && found[1] == ';' && call.long_options != nullptr;
  if (!long_follows && found[1] != ':') return letter;
  if (!long_follows && found[2] == ':') {  // optional: only in the same element
    if (*rest_ != '\0') {
      argument_ = const_cast<char*>(rest_);
      ++index_;
    }
    rest_ = nullptr;
    return letter;
  }
  if (*rest_ == '\0' && index_ == call.argc) {
    complain_if(call.print_errors, "%s: option requires an argument -- '%c'\n", call.argv[0], letter);
    bad_option_ = letter;
    rest_ = nullptr;
    return call.missing();
  }
  if (long_follows) {  // "-W name" is "--name"
    if (*rest_ == '\0') rest_ = call.argv[index_];
    return next_long(call, "-W ");
  }
  if (*rest_ != '\0') {
    argument_ = const_cast<char*>(rest_);
    ++index_;
  } else {
    argument_ = call.argv[index_++];
  }
  rest_ = nullptr;
  return letter;
}

}  // namespace ranklet::loader
