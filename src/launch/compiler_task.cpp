#include "launch/compiler_task.hpp"

#include <algorithm>
#include <string_view>

namespace ranklet::launch {
namespace {

bool takes_next_word(std::string_view option)
{
  static constexpr std::string_view options[] = {
      "-o",       "-I",       "-D",         "-U",        "-L",           "-l",
      "-include", "-imacros", "-MF",        "-MT",       "-MQ",          "-x",
      "-isystem", "-iquote",  "-idirafter", "-iprefix",  "-iwithprefix", "-isysroot",
      "-T",       "-u",       "-z",         "-Xlinker",  "-Xassembler",  "-Xpreprocessor",
      "-Xclang",  "-target",  "--param",    "-aux-info", "-e",           "-G",
      "-J",       "-arch",    "-wrapper",   "-B",        "-dumpbase",    "-dumpdir",
      "--sysroot"};
  return std::ranges::find(options, option) != std::end(options);
}

bool is_fortran_source(std::string_view file)
{
  static constexpr std::string_view suffixes[] = {".f",   ".F",   ".for", ".FOR", ".f90", ".F90",
                                                  ".f95", ".F95", ".f03", ".F03", ".f08", ".F08"};
  return std::ranges::any_of(suffixes, [&](std::string_view suffix) { return file.ends_with(suffix); });
}

}  // namespace

CompilerTask task_of(const Words& arguments)
{
  CompilerTask task;
  task.compiles = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == "-c" || word == "-S" || word == "-E" || word == "-M" || word == "-MM" ||
        word == "-fsyntax-only")
      task.links = false;
    if (word == "-shared" || word == "-r" || word == "-static" || word == "-no-pie" || word == "-nopie")
      task.shared = true;
    if (word.starts_with("-l") || !word.starts_with('-') || word == "-") task.compiles = true;
    if (is_fortran_source(word)) task.fortran_source = true;
    if (takes_next_word(word)) ++i;
  }
  if (!task.compiles) task.links = false;  // mpicc --version
  return task;
}

}  // namespace ranklet::launch
