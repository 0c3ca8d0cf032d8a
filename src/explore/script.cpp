#include "explore/script.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "terms/error.hpp"

namespace ranklet {

namespace {

constexpr std::string_view token_start = "explored:";
// A letter for each kind of choice, in their order.
constexpr std::string_view letters = "rpmiqwsnaybtlc";
static_assert(letters.size() == choice_names.size());

int number(std::string_view text)
{
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end)
    fail(ErrorClass::arg, "\"%s\" is no number", std::string(text).c_str());
  return value;
}

std::vector<std::string> split(std::string_view text, char separator)
{
  std::vector<std::string> words;
  std::istringstream stream{std::string(text)};
  for (std::string word; std::getline(stream, word, separator);)
    if (!word.empty()) words.push_back(word);
  return words;
}

ChoiceKind kind_of(std::string_view word)
{
  const auto found = std::ranges::find(choice_names, word);
  if (found == choice_names.end())
    fail(ErrorClass::arg, "\"%s\" is no kind of choice", std::string(word).c_str());
  return static_cast<ChoiceKind>(found - choice_names.begin());
}

Outcome outcome_of(const std::vector<std::string>& words, std::size_t first)
{
  Outcome outcome;
  if (words.size() == first + 1 && words[first] == "none") return outcome;
  for (std::size_t i = first; i < words.size(); ++i) outcome.push_back(number(words[i]));
  return outcome;
}

// Throws Error{arg}.
std::vector<int> path_of(const std::string& word)
{
  std::vector<int> path;
  for (const std::string& part : split(word, ':')) path.push_back(number(part));
  if (path.size() % 2 == 0 || std::ranges::any_of(path, [](int part) { return part < 0; }))
    fail(ErrorClass::arg, "\"%s\" is no rank", word.c_str());
  return path;
}

bool fits(ChoiceKind kind, std::size_t size)
{
  if (size == 0) return may_find_nothing(kind);
  if (kind == ChoiceKind::accept) return size % 2 == 1;
  return !is_about_messages(kind) || size == 2;
}

void check_shape(const Decision& decision)
{
  if (!fits(decision.kind, decision.outcome.size()) || decision.rank < 0 || decision.index < 0)
    fail(ErrorClass::arg, "\"%s\" is no outcome", Script::line(decision).c_str());
}

void add_line(Script& script, const std::string& line)
{
  const std::vector<std::string> words = split(line.substr(0, line.find('#')), ' ');
  if (words.empty()) return;
  if (words[0] == "ranks" && words.size() == 2) {
    script.ranks = number(words[1]);
  } else if (words[0] == "end" && words.size() == 3) {
    script.ends[path_of(words[1])] = number(words[2]);
  } else if (words.size() >= 4) {
    std::vector<int> job = path_of(words[0]);
    const int rank = job.back();
    job.pop_back();
    Decision decision{rank, number(words[1]), kind_of(words[2]), outcome_of(words, 3), std::move(job)};
    check_shape(decision);
    script.decisions.push_back(std::move(decision));
  } else {
    fail(ErrorClass::arg, "\"%s\" is not understood", line.c_str());
  }
}

}  // namespace

std::vector<int> Decision::path() const
{
  std::vector<int> path = job;
  path.push_back(rank);
  return path;
}

std::string path_text(const std::vector<int>& path)
{
  std::string text;
  for (const int part : path) text += (text.empty() ? "" : ":") + std::to_string(part);
  return text;
}

std::string outcome_text(const Outcome& outcome)
{
  if (outcome.empty()) return "none";
  std::string text;
  for (const int value : outcome) text += (text.empty() ? "" : " ") + std::to_string(value);
  return text;
}

Outcome parse_outcome(std::string_view text)
{
  return outcome_of(split(text, ' '), 0);
}

bool contains(const std::vector<Outcome>& outcomes, const Outcome& wanted)
{
  return std::ranges::find(outcomes, wanted) != outcomes.end();
}

std::string describe(ChoiceKind kind, const Outcome& outcome)
{
  if (outcome.empty()) return "nothing";
  if (is_about_messages(kind))
    return "a message from " + std::to_string(outcome[0]) + " with tag " + std::to_string(outcome[1]);
  if (kind == ChoiceKind::test || kind == ChoiceKind::testall) return "complete";
  if (kind == ChoiceKind::accept) return "rank " + path_text(outcome) + " has connected";
  if (kind == ChoiceKind::look) return "it has happened";
  if (kind == ChoiceKind::cancel) return "cancelled";
  std::string text = outcome.size() == 1 ? "request" : "requests";
  for (const int index : outcome) text += " " + std::to_string(index);
  return text;
}

std::string Script::line(const Decision& decision)
{
  return path_text(decision.path()) + " " + std::to_string(decision.index) + " " + name(decision.kind) + " " +
         outcome_text(decision.outcome);
}

Script Script::parse(std::string_view text)
{
  Script script;
  int line_number = 0;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    ++line_number;
    try {
      add_line(script, line);
    } catch (const Error& error) {
      fail(ErrorClass::arg, "line %d: %s", line_number, error.message().c_str());
    }
  }
  return script;
}

Script Script::read(const std::string& file)
{
  std::ifstream stream(file);
  if (!stream) fail(ErrorClass::no_such_file, "the record %s cannot be read", file.c_str());
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  try {
    return parse(text);
  } catch (const Error& error) {
    fail(ErrorClass::arg, "the record %s, %s", file.c_str(), error.message().c_str());
  }
}

std::string Script::token() const
{
  std::string text(token_start);
  if (ranks > 0) text += std::to_string(ranks) + (modes.empty() ? "" : ",") + modes;
  for (const Decision& decision : decisions) {
    if (text.size() > token_start.size()) text += '/';
    text += std::to_string(decision.rank) + "." + std::to_string(decision.index) +
            letters[static_cast<std::size_t>(decision.kind)];
    for (std::size_t i = 0; i < decision.outcome.size(); ++i)
      text += (i > 0 ? "." : "") + std::to_string(decision.outcome[i]);
  }
  return text;
}

bool Script::is_token(std::string_view text)
{
  return text.starts_with(token_start);
}

Script Script::of_token(std::string_view text)
{
  if (!is_token(text)) fail(ErrorClass::arg, "\"%s\" is no token", std::string(text).c_str());
  Script script;
  std::vector<std::string> parts = split(text.substr(token_start.size()), '/');
  if (!parts.empty() && parts[0].find('.') == std::string::npos) {
    const std::size_t comma = std::min(parts[0].find(','), parts[0].size());
    script.ranks = number(parts[0].substr(0, comma));
    script.modes = parts[0].substr(std::min(comma + 1, parts[0].size()));
    parts.erase(parts.begin());
  }
  for (const std::string& word : parts) {
    const std::size_t letter = word.find_first_of(letters);
    const std::size_t dot = word.find('.');
    if (letter == word.npos || dot > letter)
      fail(ErrorClass::arg, "\"%s\" is no part of a token", word.c_str());
    Decision decision{number(word.substr(0, dot)),
                      number(word.substr(dot + 1, letter - dot - 1)),
                      static_cast<ChoiceKind>(letters.find(word[letter])),
                      {},
                      {}};
    for (const std::string& value : split(word.substr(letter + 1), '.'))
      decision.outcome.push_back(number(value));
    check_shape(decision);
    script.decisions.push_back(std::move(decision));
  }
  return script;
}

}  // namespace ranklet
