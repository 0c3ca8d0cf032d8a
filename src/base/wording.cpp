#include "base/wording.hpp"

#include <algorithm>

namespace ranklet {

std::string counted(std::string number, std::string_view one, std::string_view several)
{
  const bool is_one = number == "1";
  number += ' ';
  number += is_one || several.empty() ? one : several;
  return !is_one && several.empty() ? number + "s" : number;
}

std::string indented(std::string_view text, std::string_view margin)
{
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result.append(margin).append(text.substr(0, end)).append("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace ranklet
