#include "terms/info.hpp"

#include <algorithm>

#include "terms/error.hpp"

namespace ranklet {
namespace {

void check_key(std::string_view key)
{
  if (key.empty()) fail(ErrorClass::info_key, "the key is empty");
  if (key.size() > max_info_key)
    fail(ErrorClass::info_key, "the key has %zu characters, more than %zu", key.size(), max_info_key);
}

}  // namespace

void Info::set(std::string_view key, std::string_view value)
{
  check_key(key);
  if (value.size() > max_info_value)
    fail(ErrorClass::info_value, "the value of '%.*s' has %zu characters, more than %zu",
         static_cast<int>(key.size()), key.data(), value.size(), max_info_value);
  for (auto& [name, text] : entries_) {
    if (name == key) {
      text = value;
      return;
    }
  }
  entries_.emplace_back(key, value);
}

void Info::remove(std::string_view key)
{
  check_key(key);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.first == key; });
  if (found == entries_.end())
    fail(ErrorClass::info_nokey, "there is no key '%.*s'", static_cast<int>(key.size()), key.data());
  entries_.erase(found);
}

const std::string* Info::find(std::string_view key) const
{
  check_key(key);
  for (const auto& [name, text] : entries_)
    if (name == key) return &text;
  return nullptr;
}

const std::string& Info::key(int n) const
{
  if (n < 0 || n >= size()) fail(ErrorClass::arg, "n is %d, but the info object has %d keys", n, size());
  return entries_[static_cast<std::size_t>(n)].first;
}

}  // namespace ranklet
