// ranklet-info: which library this is, how it is set up here, and what of MPI it implements.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "api/handles/functions.hpp"
#include "base/config.hpp"
#include "base/version.hpp"
#include "machine/core_pairs.hpp"
#include "machine/topology.hpp"

namespace {

using namespace ranklet;
using namespace ranklet::api;

constexpr const char* help =
    "usage: ranklet-info [OPTION]\n"
    "Without an option: version, settings, hardware, and how many of the MPI functions are implemented.\n"
    "  --missing       the functions that are not implemented\n"
    "  --functions     all functions and what they are for; + marks those that are implemented\n"
    "  --core-pairs    for each nearness of two hardware threads, one pair of them\n"
    "  --help-options  the settings: their variables, defaults and meaning\n"
    "  --version       the version\n"
    "  --help          this text\n";

struct Totals {
  int functions = 0;
  int implemented = 0;

  void add(const FunctionInfo& function)
  {
    // A large-count twin is a function of its own.
    const int forms = function.twin ? 2 : 1;
    functions += forms;
    implemented += function.implemented ? forms : 0;
  }
};

void print_settings()
{
  std::printf("Settings (* differs from the default)\n");
  const Config defaults;
  for (const ConfigOption& option : config_options()) {
    const std::string value = option.get(config());
    std::printf("%c %-34s %s\n", value == option.get(defaults) ? ' ' : '*', option.variable().c_str(),
                value.empty() ? "(none)" : value.c_str());
  }
  for (const std::string& warning : config().warnings) std::printf("  warning: %s\n", warning.c_str());
}

void print_functions_by_chapter()
{
  std::printf("MPI functions, large-count forms included\n");
  Totals all;
  for (const ChapterInfo& chapter : all_chapters()) {
    Totals totals;
    for (const FunctionInfo& function : all_functions())
      if (function.chapter->number == chapter.number) totals.add(function);
    std::printf("  %2d  %-46s %3d of %3d\n", chapter.number, chapter.title, totals.implemented,
                totals.functions);
    all.implemented += totals.implemented;
    all.functions += totals.functions;
  }
  std::printf("      %-46s %3d of %3d\n", "total", all.implemented, all.functions);
}

void print_overview()
{
  std::printf("%s\n\nHardware\n  %s\n\n", std::string(library_version()).c_str(),
              Topology::machine().summary().c_str());
  print_settings();
  std::printf("\n");
  print_functions_by_chapter();
}

void print_missing()
{
  for (const FunctionInfo& function : all_functions()) {
    if (function.implemented) continue;
    std::printf("%s\n", function.name);
    if (function.twin) std::printf("%s_c\n", function.name);
  }
}

void print_functions()
{
  for (const ChapterInfo& chapter : all_chapters()) {
    std::printf("%d %s\n", chapter.number, chapter.title);
    for (const FunctionInfo& function : all_functions()) {
      if (function.chapter->number != chapter.number) continue;
      std::printf("  %c %s%s: %s\n", function.implemented ? '+' : ' ', function.name,
                  function.twin ? "[_c]" : "", function.purpose);
    }
  }
}

void print_core_pairs()
{
  for (const CorePair& pair : core_pairs(Topology::machine()))
    std::printf("%d,%d %s\n", pair.first, pair.second, std::string(pair.nearness).c_str());
}

}  // namespace

int main(int argc, char** argv)
{
  const std::string option = argc > 1 ? argv[1] : "";
  if (argc > 2) {
    std::fputs(help, stderr);
    return 2;
  }
  if (option.empty())
    print_overview();
  else if (option == "--missing")
    print_missing();
  else if (option == "--functions")
    print_functions();
  else if (option == "--core-pairs")
    print_core_pairs();
  else if (option == "--help-options")
    std::fputs(config_help().c_str(), stdout);
  else if (option == "--version")
    std::printf("Ranklet %s\n", std::string(version()).c_str());
  else if (option == "--help" || option == "-h")
    std::fputs(help, stdout);
  else {
    std::fprintf(stderr, "ranklet-info: unknown option '%s'\n%s", option.c_str(), help);
    return 2;
  }
  return 0;
}
