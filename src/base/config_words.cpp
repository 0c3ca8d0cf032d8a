#include "base/config_words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/config.hpp"

namespace ranklet {
namespace {

char folded(char c)
{
  if (c == '_') return '-';
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b)
{
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return folded(x) == folded(y); });
}

bool parse_count(std::string_view text, std::int64_t& value)
{
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return false;
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (!unit.empty()) {
    constexpr std::string_view units = "kmgt";
    const std::size_t power = units.find(folded(unit[0]));
    if (power != units.npos) {
      number *= std::pow(1024.0, static_cast<double>(power + 1));
      unit.remove_prefix(1);
      if (same_name(unit, "ib")) unit = "";
    }
    if (same_name(unit, "b")) unit = "";
    if (!unit.empty()) return false;
  }
  if (!(std::fabs(number) < 9.2e18)) return false;
  // A plain integer is taken exactly, beyond what a double holds.
  if (std::from_chars(text.data(), end, value).ptr == end) return true;
  value = static_cast<std::int64_t>(number);
  return static_cast<double>(value) == number;  // half a byte is none
}

bool parse_switch(std::string_view text, bool& value)
{
  for (const std::string_view yes : {"1", "yes", "true", "on", "y"})
    if (same_name(text, yes)) return value = true, true;
  for (const std::string_view no : {"0", "no", "false", "off", "n"})
    if (same_name(text, no)) return value = false, true;
  return false;
}

std::string_view closest_word(std::string_view word, std::span<const std::string_view> candidates)
{
  std::string_view best;
  std::size_t best_distance = word.size() / 3 + 1;  // farther than this is another word, not a slip
  for (const std::string_view candidate : candidates) {
    // As far as their lengths differ they are at least; a long word is so refused at once.
    if (std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size()) >= best_distance)
      continue;
    std::vector<std::size_t> line(candidate.size() + 1);  // edit distance, one line of the matrix at a time
    for (std::size_t j = 0; j <= candidate.size(); ++j) line[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = line[0];
      line[0] = i;
      std::size_t least = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t replaced = diagonal + (folded(word[i - 1]) == folded(candidate[j - 1]) ? 0 : 1);
        diagonal = line[j];
        line[j] = std::min({replaced, line[j] + 1, line[j - 1] + 1});
        least = std::min(least, line[j]);
      }
      if (least >= best_distance) break;  // later lines have no less
    }
    if (line.back() < best_distance) {
      best_distance = line.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace ranklet
