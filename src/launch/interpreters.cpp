#include "launch/interpreters.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>

#include <unistd.h>

#include "base/config.hpp"
#include "launch/install_paths.hpp"
#include "launch/interpreters_variable.hpp"
#include "loader/elf_file.hpp"
#include "loader/library_search.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

struct Row {
  std::string name;      // of the executable; '*' at its end: and what follows
  std::string library;   // with '*': what the name's one stands for
  std::string function;  // int (int, char**)
  std::string remedy;    // where the library comes from
};

// Py_BytesMain: since Python 3.8.
const Row python = {
    "python3*", "libpython3*.so.1.0", "Py_BytesMain",
    "Debian's package libpython3* has it, and a Python built from source with --enable-shared"};

std::vector<Row> table_of(const std::string& text)
{
  std::vector<Row> rows;
  if (text == "none") return rows;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string row = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = row.find('='), colon = row.rfind(':');
    if (equals == row.npos || colon == row.npos || colon < equals || equals == 0)
      fail(ErrorClass::arg, "'%s' is no row NAME=LIBRARY:FUNCTION of --interpreters", row.c_str());
    rows.push_back(
        {row.substr(0, equals), row.substr(equals + 1, colon - equals - 1), row.substr(colon + 1), ""});
  }
  rows.push_back(python);
  return rows;
}

// What '*' stands for in the name, if it is one of the row.
std::optional<std::string> match(const Row& row, const std::string& name)
{
  if (!row.name.ends_with('*')) return name == row.name ? std::optional(std::string()) : std::nullopt;
  const std::string_view start(row.name.data(), row.name.size() - 1);
  if (!name.starts_with(start)) return std::nullopt;
  return name.substr(start.size());
}

std::string replace_star(std::string text, const std::string& by)
{
  if (const std::size_t star = text.find('*'); star != text.npos) text.replace(star, 1, by);
  return text;
}

bool is_runnable(const std::string& path)
{
  return ::access(path.c_str(), X_OK) == 0;
}

std::string real_path(const std::string& path)
{
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? real.get() : path;
}

std::string directory_of(const std::string& path)
{
  return path.substr(0, path.rfind('/'));
}

// Beside the interpreter's executable, as another one of that name may be of another build; a library of a
// user's row also where the dynamic loader looks.
std::string find_library(const Row& row, const std::string& name, const std::string& real)
{
  const char* const library_path = environment_variable("LD_LIBRARY_PATH");
  const loader::LibrarySearch search(library_path != nullptr ? library_path : "");
  if (name.find('/') != name.npos) return is_runnable(name) || ::access(name.c_str(), R_OK) == 0 ? name : "";
  try {
    const auto executable = loader::ElfFile::open(real);
    for (const std::string& needed : executable->needed())
      if (needed == name) return search.find(name, {executable.get()});
  } catch (const Error&) {
    return "";  // no executable: a wrapper of this name
  }
  const std::string prefix = directory_of(directory_of(real));
  for (const char* const place : {"/lib/x86_64-linux-gnu/", "/lib/", "/lib64/"})
    if (const std::string path = prefix + place + name; ::access(path.c_str(), R_OK) == 0) return path;
  return row.remedy.empty() ? search.find(name, {}) : "";
}

// A program that is to be started, as each of its wrappers is taken off.
struct Start {
  std::string path;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
};

std::vector<std::string> split_words(const std::string& text)
{
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t", at)) != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// "#!/usr/bin/python3 -u": the interpreter with at most one argument (execve(2)), then the script's path.
bool take_off_script(Start& start)
{
  std::ifstream file(start.path, std::ios::binary);
  char mark[2] = {};
  std::string line;
  if (!file.read(mark, 2) || mark[0] != '#' || mark[1] != '!' || !std::getline(file, line)) return false;
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos || line.size() > PATH_MAX) return false;
  const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  std::vector<std::string> arguments = {line.substr(begin, end - begin)};
  if (const std::size_t first = line.find_first_not_of(" \t", end); first != line.npos)
    arguments.push_back(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
  arguments.push_back(start.path);
  arguments.insert(arguments.end(), start.arguments.begin() + 1, start.arguments.end());
  start.path = arguments[0];
  start.arguments = std::move(arguments);
  return is_runnable(start.path);
}

std::string find_in_path(const std::string& name, const std::vector<std::string>& environment)
{
  if (name.find('/') != name.npos) return is_runnable(name) ? name : "";
  for (const std::string& variable : environment) {
    if (!variable.starts_with("PATH=")) continue;
    for (std::size_t begin = 5; begin <= variable.size();) {
      const std::size_t end = std::min(variable.find(':', begin), variable.size());
      const std::string path = variable.substr(begin, end - begin) + "/" + name;
      if (path.starts_with('/') && is_runnable(path)) return path;
      begin = end + 1;
    }
  }
  return "";
}

// env(1) with assignments and -S only.
bool take_off_env(Start& start)
{
  if (base_name(start.path) != "env") return false;
  std::vector<std::string> words(start.arguments.begin() + 1, start.arguments.end());
  if (!words.empty() && words[0].starts_with("-S") &&
      words[0].find_first_of("\"'\\$#") == std::string::npos) {
    const std::vector<std::string> split = split_words(words[0].substr(2));
    words.erase(words.begin());
    words.insert(words.begin(), split.begin(), split.end());
  }
  std::size_t first = 0;
  for (; first < words.size() && words[first].find('=') != std::string::npos; ++first) {
    const std::string name = words[first].substr(0, words[first].find('=') + 1);
    std::erase_if(start.environment, [&](const std::string& known) { return known.starts_with(name); });
    start.environment.push_back(words[first]);
  }
  if (first == words.size() || words[first].starts_with('-')) return false;
  start.path = find_in_path(words[first], start.environment);
  start.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
  return !start.path.empty();
}

void set_unless_set(std::vector<std::string>& environment, const std::string& variable)
{
  const std::string name = variable.substr(0, variable.find('=') + 1);
  if (std::ranges::none_of(environment, [&](const std::string& known) { return known.starts_with(name); }))
    environment.push_back(variable);
}

}  // namespace

std::string use_interpreter(Program& program, const std::string& users_rows)
{
  const std::vector<Row> rows = table_of(users_rows);
  Start start{program.path, program.arguments, program.environment};
  // A script of a script of env: more is no use.
  for (int wrappers = 0; wrappers < 4; ++wrappers)
    if (!take_off_script(start) && !take_off_env(start)) break;
  if (start.path.empty()) return "";
  const std::string real = real_path(start.path);
  for (const Row& row : rows) {
    // The name behind links tells more: python3 is python3.11.
    std::optional<std::string> rest = match(row, base_name(real));
    if (!rest) rest = match(row, base_name(start.path));
    if (!rest) continue;
    const std::string name = replace_star(row.library, *rest);
    const std::string library = find_library(row, name, real);
    if (library.empty())
      return base_name(start.path) + " runs as ordinary processes, no ranks, as there is no " + name +
             " beside " + real + (row.remedy.empty() ? "" : ": " + replace_star(row.remedy, *rest));
    program.path = program_beside_host(interpreter_program);
    program.arguments = std::move(start.arguments);
    // From it interpreters find their own files, links unresolved: those of a virtual environment begin at
    // its own.
    if (program.arguments[0].find('/') != std::string::npos) program.arguments[0] = start.path;
    program.environment = std::move(start.environment);
    program.environment.push_back(interpreter_variable + ("=" + library + ":" + row.function));
    // A crash shows the script's line then, too.
    if (name.starts_with("libpython")) set_unless_set(program.environment, "PYTHONFAULTHANDLER=1");
    return "";
  }
  return "";
}

std::string remedy_for_late_program(const std::string& path, const std::string& users_rows)
{
  const bool is_off = users_rows == "none";
  Program program;
  program.path = path;
  program.arguments = {path};
  const std::string note = use_interpreter(program, is_off ? "" : users_rows);
  if (!note.empty()) return note;
  if (base_name(program.path) != interpreter_program) return "link it to the library";
  if (is_off) return "leave out --interpreters none";
  // Behind mpiexec may have been a script of the interpreter's name, such as pyenv's.
  return "put it directly behind mpiexec, as in mpiexec -n 4 python3 script.py, and what a script sets "
         "for it in front of mpiexec; it is " +
         path;
}

std::string set_thread_counts(const Program& program, int cores, std::vector<std::string>& environment)
{
  if (base_name(program.path) != interpreter_program) return "";
  std::string text;
  for (const char* const name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"}) {
    set_unless_set(environment, name + ("=" + std::to_string(cores)));
    text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

}  // namespace ranklet::launch
