#include "explore/record.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/source_line.hpp"
#include "terms/call_note.hpp"
#include "terms/error.hpp"
#include "terms/types.hpp"

namespace ranklet {

namespace {

constexpr const char* program_end = "the end of the program";

std::string question_text(const Question& question)
{
  if (!is_about_messages(question.kind)) return name(question.kind);
  const auto wanted = [](int value, int any) {
    return value == any ? std::string("any") : std::to_string(value);
  };
  return std::string(name(question.kind)) + " from " + wanted(question.source, any_source) + " with tag " +
         wanted(question.tag, any_tag);
}

std::string decision_text(const Decision& decision)
{
  return std::string(name(decision.kind)) + ": " + describe(decision.kind, decision.outcome);
}

}  // namespace

Recorder::Recorder(const std::string& file, int ranks)
{
  file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0)
    fail(ErrorClass::no_such_file, "the record %s cannot be written: %s", file.c_str(), std::strerror(errno));
  write("# Ranklet's record of matching: rank, index of the choice, call, outcome\nranks " +
        std::to_string(ranks) + "\n");
}

Recorder::~Recorder()
{
  ::close(file_);
}

void Recorder::write(const std::string& line)
{
  // A line is appended as a whole; what a full disk drops is missed by the replay.
  if (::write(file_, line.data(), line.size()) < 0) return;
}

Arbiter::Ruling Recorder::begin(Rank& self, Question& question)
{
  const Holder guard(lock_);
  auto& kinds = kinds_[self.path()];
  kinds.push_back(question.kind);
  return {static_cast<int>(kinds.size()) - 1, std::nullopt};
}

void Recorder::end(Rank& rank, int index, const Outcome& outcome)
{
  const Holder guard(lock_);
  const ChoiceKind kind = kinds_[rank.path()][static_cast<std::size_t>(index)];
  write(Script::line({rank.world_rank, index, kind, outcome, rank.job.options().path}) + "\n");
}

void Recorder::ends(Rank& rank)
{
  const Holder guard(lock_);
  const std::vector<int> path = rank.path();
  write("end " + path_text(path) + " " + std::to_string(kinds_[path].size()) + "\n");
}

Replayer::Replayer(const Script& script, std::string name, int ranks) : name_(std::move(name))
{
  if (script.ranks != 0 && script.ranks != ranks)
    fail(ErrorClass::arg, "the record %s is of %d ranks, this job has %d", name_.c_str(), script.ranks,
         ranks);
  const auto check_rank = [&](const std::vector<int>& path) {
    if (path[0] >= ranks)
      fail(ErrorClass::arg, "the record %s is of more than %d ranks", name_.c_str(), ranks);
  };
  for (const Decision& decision : script.decisions) {
    const std::vector<int> path = decision.path();
    check_rank(path);
    ranks_[path].decisions[decision.index] = decision;
  }
  for (const auto& [path, choices] : script.ends) {
    check_rank(path);
    ranks_[path].end = choices;
  }
}

Arbiter::Ruling Replayer::begin(Rank& self, Question& question)
{
  // No message has this source.
  constexpr int nobody = -1000;
  int index = 0;
  std::optional<Decision> recorded;
  bool beyond = false, has_end = false, ended = false;
  {
    const Holder guard(lock_);
    OfRank& mine = ranks_[self.path()];
    has_end = mine.end >= 0;
    index = mine.choices++;
    ended = has_end && index >= mine.end;
    const auto found = mine.decisions.find(index);
    if (found != mine.decisions.end()) recorded = found->second;
    beyond = mine.decisions.empty() || mine.decisions.rbegin()->first < index;
    if (recorded) mine.awaited[index] = *recorded;
  }
  const std::string now = question_text(question);
  if (ended) depart(self, index, current_call(), now, program_end);
  if (!recorded) {
    const bool unmatched =
        (question.kind == ChoiceKind::receive || question.kind == ChoiceKind::accept) && (!beyond || has_end);
    if (unmatched) return {index, Outcome{nobody, 0}};
    if (!beyond) depart(self, index, current_call(), now, "a receive that was never matched");
    return {index, std::nullopt};
  }
  if (recorded->kind != question.kind || !question.allows(recorded->outcome))
    depart(self, index, current_call(), now, decision_text(*recorded));
  return {index, recorded->outcome};
}

void Replayer::end(Rank& rank, int index, const Outcome& outcome)
{
  std::optional<Decision> recorded;
  {
    const Holder guard(lock_);
    auto& awaited = ranks_[rank.path()].awaited;
    if (const auto found = awaited.find(index); found != awaited.end()) recorded = found->second;
    awaited.erase(index);
  }
  // A receive that has a message already cannot be cancelled.
  const bool cancels =
      recorded && (recorded->kind == ChoiceKind::cancel || recorded->kind == ChoiceKind::look);
  if (cancels && recorded->outcome != outcome)
    depart(rank, index, current_call(), decision_text({rank.world_rank, index, recorded->kind, outcome, {}}),
           decision_text(*recorded));
}

void Replayer::ends(Rank& rank)
{
  std::optional<Decision> next;
  {
    const Holder guard(lock_);
    const OfRank& mine = ranks_[rank.path()];
    const auto found = mine.decisions.lower_bound(mine.choices);
    if (found != mine.decisions.end()) next = found->second;
  }
  if (next) depart(rank, next->index, nullptr, program_end, decision_text(*next));
}

void Replayer::depart(Rank& self, int index, const CallNote* call, const std::string& now,
                      const std::string& recorded)
{
  std::string text =
      self.name() + " departs from the record " + name_ + " at its choice " + std::to_string(index) + "\n";
  if (call)
    text += "  call      " + call->text(*call) + "\n            at " +
            describe_code(static_cast<const char*>(call->site) - 1) + "\n";
  text += "  now       " + now + "\n  recorded  " + recorded + "\n";
  self.job.abort(&self, static_cast<int>(ErrorClass::other), text);
}

std::string Replayer::remark()
{
  const Holder guard(lock_);
  std::string text = "in the replay of " + name_ + "\n";
  for (const auto& [path, rank] : ranks_)
    for (const auto& [index, decision] : rank.awaited)
      text += "  rank " + path_text(path) + "  choice " + std::to_string(index) + " is to be as recorded, " +
              decision_text(decision) + "\n";
  return text;
}

}  // namespace ranklet
