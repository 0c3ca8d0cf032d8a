// Pieces of reports.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace ranklet {

// "1 rank", "3 ranks"; without `several` its plural has an s.
std::string counted(std::string number, std::string_view one, std::string_view several = {});
template <std::integral Number>
std::string counted(Number number, std::string_view one, std::string_view several = {})
{
  return counted(std::to_string(number), one, several);
}

// Each line of the text behind the margin.
std::string indented(std::string_view text, std::string_view margin);

}  // namespace ranklet
