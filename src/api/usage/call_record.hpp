// A call of the interface as the usage checks remember it.
#pragma once

#include <array>

#include "api/entry/call.hpp"
#include "check/check.hpp"
#include "terms/recorded_call.hpp"

namespace ranklet::api {

// `count` elements of `type`; null: there is none.
struct Amount {
  Count count = 0;
  Ref<const Datatype> type;
};

class CallRecord final : public RecordedCall {
 public:
  explicit CallRecord(const Rank& rank, const Call& call) noexcept;

  const FunctionInfo& function() const noexcept { return function_; }
  // Of the table's parameter `index`; one that the form does not have is 0.
  Word word_of(int index) const noexcept;
  // Objects without a constant are shown by their names on a thread of the rank, elsewhere as numbers.
  std::string text() const override;
  // The same function, with the same arguments.
  bool is_like(const CallRecord& other) const noexcept
  {
    return &function_ == &other.function_ && large_ == other.large_ && words_ == other.words_;
  }

  // What a point-to-point call sends and has room for; set before others see the record.
  Amount sent;
  Amount room;
  // From its sends to their receives.
  check::Token sending;

 private:
  static constexpr std::size_t most_words = 16;

  const FunctionInfo& function_;
  const bool large_;
  const bool fortran_;  // a routine of Fortran has made it
  std::array<Word, most_words> words_;
};

using CallRecordRef = Ref<const CallRecord>;

}  // namespace ranklet::api
