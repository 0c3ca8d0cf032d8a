#include "launch/wrapper_sanitizers.hpp"

#include <algorithm>
#include <string_view>

#include <unistd.h>

#include "launch/wrapper_children.hpp"

namespace ranklet::launch {
namespace {

bool is_clang(const std::vector<std::string>& compiler)
{
  return std::ranges::any_of(compiler, [](const std::string& word) {
    return word.find("clang", word.rfind('/') + 1) != word.npos;  // npos + 1 is 0
  });
}

// The first line that `compiler option` prints.
std::string answer(std::vector<std::string> compiler, const std::string& option)
{
  compiler.push_back(option);
  const std::string text = run_child(compiler).text;
  return text.substr(0, text.find('\n'));
}

// The sanitizers that the options ask for in the end, with commas around each.
std::string wanted(const std::vector<std::string>& arguments)
{
  constexpr std::string_view on = "-fsanitize=";
  constexpr std::string_view off = "-fno-sanitize=";
  std::string names = ",";
  for (const std::string& word : arguments) {
    if (word.starts_with(on)) names += word.substr(on.size()) + ",";
    if (word == "-fno-sanitize=all") names = ",";
    if (!word.starts_with(off)) continue;
    const std::string name = "," + word.substr(off.size()) + ",";
    for (std::size_t at; (at = names.find(name)) != names.npos;) names.erase(at, name.size() - 1);
  }
  return names;
}

}  // namespace

SanitizerFlags sanitizer_flags(const std::vector<std::string>& compiler,
                               const std::vector<std::string>& arguments)
{
  SanitizerFlags flags;
  const std::string names = wanted(arguments);
  if (names == "," || !is_clang(compiler)) return flags;
  const auto has = [&names](std::string_view name) {
    return names.find("," + std::string(name) + ",") != names.npos;
  };
  const char* const runtime = has("address")     ? "asan"
                              : has("thread")    ? "tsan"
                              : has("undefined") ? "ubsan_standalone"
                                                 : nullptr;
  if (runtime == nullptr) {
    if (has("leak"))
      flags.error =
          "clang has LeakSanitizer only as a static library, which ranks cannot share: "
          "use -fsanitize=address, which finds leaks too, or gcc";
    return flags;
  }
  const std::string library = std::string("libclang_rt.") + runtime + "-x86_64.so";
  const std::string path = answer(compiler, "-print-file-name=" + library);
  if (path.find('/') == path.npos || ::access(path.c_str(), R_OK) != 0)
    flags.error =
        "this clang has no " + library + ", which ranks can share: install its runtime libraries, or use gcc";
  else
    flags.link = {"-shared-libsan", "-Wl,-rpath," + path.substr(0, path.rfind('/'))};
  return flags;
}

}  // namespace ranklet::launch
