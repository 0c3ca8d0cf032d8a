#include "api/usage/call_record.hpp"

#include "api/handles/names.hpp"
#include "base/fortran_site.hpp"

namespace ranklet::api {

CallRecord::CallRecord(const Rank& rank, const Call& call) noexcept
    : RecordedCall(rank.name(), rank.number, users_site(call.site), rank.script_place(::pthread_self())),
      function_(call.function()),
      large_(call.large()),
      fortran_(is_in_fortran_library(call.site)),
      words_{}
{
  const std::size_t count = std::min(function_.parameters.size(), most_words);
  for (std::size_t i = 0; i < count; ++i)
    if (large_ || !function_.parameters[i].large_only) words_[i] = call.word_of(static_cast<int>(i));
}

Word CallRecord::word_of(int index) const noexcept
{
  return static_cast<std::size_t>(index) < most_words ? words_[static_cast<std::size_t>(index)] : 0;
}

std::string CallRecord::text() const
{
  Rank* const here = current_rank();
  RankState* const state = here && here->number == number() ? here->api : nullptr;
  std::string text = routine_name(function_, large_, fortran_) + "(";
  const char* separator = "";
  for (std::size_t i = 0; i < function_.parameters.size() && i < most_words; ++i) {
    const ParameterInfo& parameter = function_.parameters[i];
    if (parameter.large_only && !large_) continue;
    text += separator;
    separator = ", ";
    text += parameter.name;
    // A string may be gone by now.
    text += parameter.kind->sort == ArgumentSort::string ? "=…"
                                                         : "=" + argument_text(state, parameter, words_[i]);
  }
  return text + ")";
}

}  // namespace ranklet::api
