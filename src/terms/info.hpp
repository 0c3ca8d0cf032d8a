// An info object (MPI 5.0 chapter 10): keys with values in the order in which the keys were first set.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "terms/types.hpp"

namespace ranklet {

// Lengths without the final zero: MPI_MAX_INFO_KEY - 1 and MPI_MAX_INFO_VAL - 1 of the ABI.
inline constexpr std::size_t max_info_key = 255;
inline constexpr std::size_t max_info_value = 1023;

// Thread safety: like a standard container.
class Info {
 public:
  // Replaces the value of a key that exists. Errors: info_key, info_value (empty or too long).
  void set(std::string_view key, std::string_view value);
  // Errors: info_key (empty or too long), info_nokey (no such key).
  void remove(std::string_view key);

  // Null if there is no such key. Errors: info_key.
  const std::string* find(std::string_view key) const;
  int size() const noexcept { return static_cast<int>(entries_.size()); }
  // Errors: arg, if n is not in 0..size()-1.
  const std::string& key(int n) const;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace ranklet
