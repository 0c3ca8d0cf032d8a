#include "rma/window_hints.hpp"

#include <charconv>

namespace ranklet::rma {

namespace {

struct Switch {
  const char* key;
  bool Hints::*hint;
  bool only_at_birth;
};

constexpr Switch switches[] = {
    {"no_locks", &Hints::no_locks, true},
    {"alloc_shared_noncontig", &Hints::noncontiguous, true},
    {"same_size", &Hints::same_size, true},
    {"same_disp_unit", &Hints::same_disp_unit, true},
};

// Leaves the target alone unless the whole text is a number that is not negative.
void read_number(const Info& info, const char* key, Count& target)
{
  const std::string* const text = info.find(key);
  if (!text) return;
  Count value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error == std::errc() && end == text->data() + text->size() && value >= 0) target = value;
}

bool is_power_of_two(Count value)
{
  return value > 0 && (value & (value - 1)) == 0;
}

}  // namespace

void Hints::set(const Info& info, bool making)
{
  for (const auto& [key, hint, only_at_birth] : switches) {
    const std::string* const value = info.find(key);
    if (value && (making || !only_at_birth) && (*value == "true" || *value == "false"))
      this->*hint = *value == "true";
  }
  if (const std::string* const value = info.find("accumulate_ordering")) ordering = *value;
  if (const std::string* const value = info.find("accumulate_ops")) {
    if (*value == "same_op" || *value == "same_op_no_op") accumulate_ops = *value;
  }
  if (const std::string* const value = info.find("ranklet_win_sync")) {
    if (*value == "full" || *value == "rules") full_sync = *value == "full";
  }
  if (!making) return;
  read_number(info, "mpi_accumulate_granularity", granularity);
  Count wanted = alignment;
  read_number(info, "mpi_minimum_memory_alignment", wanted);
  if (is_power_of_two(wanted) && wanted > alignment) alignment = wanted;
}

Info Hints::info() const
{
  Info info;
  for (const auto& [key, hint, only_at_birth] : switches) info.set(key, this->*hint ? "true" : "false");
  info.set("accumulate_ordering", ordering.empty() ? "none" : ordering);
  info.set("accumulate_ops", accumulate_ops);
  info.set("mpi_accumulate_granularity", std::to_string(granularity));
  info.set("mpi_minimum_memory_alignment", std::to_string(alignment));
  info.set("ranklet_win_sync", full_sync ? "full" : "rules");
  return info;
}

}  // namespace ranklet::rma
