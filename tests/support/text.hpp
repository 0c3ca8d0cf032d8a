// What tests do with texts and files.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace ranklet::test {

inline bool contains(const std::string& text, const std::string& part)
{
  return text.find(part) != std::string::npos;
}

// The whole file; empty if there is none.
inline std::string contents_of(const std::string& path)
{
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace ranklet::test
