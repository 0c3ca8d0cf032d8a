#include "api/impl/arbitrated_requests.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "api/impl/generalized.hpp"

namespace ranklet::api {

namespace {

bool takes_all(ChoiceKind kind) noexcept
{
  return kind == ChoiceKind::test || kind == ChoiceKind::testall;
}

bool takes_some(ChoiceKind kind) noexcept
{
  return kind == ChoiceKind::waitsome || kind == ChoiceKind::testsome;
}

class RequestQuestion final : public Question {
 public:
  // Inactive requests are null.
  RequestQuestion(ChoiceKind in_kind, std::vector<Request*> requests)
      : Question(in_kind), requests_(std::move(requests))
  {
  }

  std::vector<Outcome> options() const override
  {
    const Outcome done = complete();
    if (takes_all(kind)) return done.size() == active() ? std::vector<Outcome>{{0}} : std::vector<Outcome>{};
    std::vector<Outcome> found;
    if (takes_some(kind) && done.size() > 1) found.push_back(done);
    for (const int index : done) {
      Outcome outcome = takes_some(kind) ? certain(done) : Outcome();
      if (std::ranges::find(outcome, index) == outcome.end()) outcome.push_back(index);
      std::ranges::sort(outcome);
      if (std::ranges::find(found, outcome) == found.end()) found.push_back(std::move(outcome));
    }
    return found;
  }
  bool may_miss() const override
  {
    const Outcome done = complete(), sure = certain(done);
    return takes_all(kind) ? sure.size() < done.size() : sure.empty();
  }
  bool allows(const Outcome& outcome) const override
  {
    if (outcome.empty()) return may_find_nothing(kind);
    if (takes_all(kind)) return outcome == Outcome{0};
    return (takes_some(kind) || outcome.size() == 1) && std::ranges::all_of(outcome, [&](int index) {
             return index >= 0 && static_cast<std::size_t>(index) < requests_.size() && request(index);
           });
  }
  std::vector<Pending> pending() const override
  {
    std::vector<Pending> found;
    const Outcome sure = takes_some(kind) ? certain(complete()) : Outcome();
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (!requests_[i] || requests_[i]->complete()) continue;
      Outcome outcome = sure;
      outcome.push_back(takes_all(kind) ? 0 : static_cast<int>(i));
      std::ranges::sort(outcome);
      found.push_back({requests_[i], std::move(outcome)});
    }
    return found;
  }
  void advance() override
  {
    for (Request* const request : requests_)
      if (request) request->advance();
  }
  bool ready_to_advance() const noexcept override
  {
    return std::ranges::any_of(requests_, [](const Request* request) {
      return request && !request->complete() && request->ready_to_advance();
    });
  }

  // The outcome when nobody decides.
  Outcome natural() const
  {
    Outcome done = complete();
    if (takes_all(kind)) return done.size() == active() ? Outcome{0} : Outcome{};
    if (!takes_some(kind) && done.size() > 1) done.erase(done.begin() + 1, done.end());
    return done;
  }
  // Waits until that can come out.
  void await(Rank& self, const Outcome& outcome)
  {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const bool named = std::ranges::find(outcome, static_cast<int>(i)) != outcome.end();
      if (requests_[i] && !outcome.empty() && (takes_all(kind) || named)) wait(self, *requests_[i]);
    }
  }
  void await_any(Rank& self)
  {
    wait_until(
        self, self.parking,
        [&] {
          advance();
          return !complete().empty();
        },
        [&] {
          return std::ranges::any_of(requests_, [](const Request* request) {
            return request && (request->complete() || request->ready_to_advance());
          });
        });
  }

 private:
  Request* request(int index) const { return requests_[static_cast<std::size_t>(index)]; }
  std::size_t active() const
  {
    return requests_.size() - static_cast<std::size_t>(std::ranges::count(requests_, nullptr));
  }
  // A request that the program itself has completed is seen as complete at once (§13.2).
  Outcome certain(const Outcome& done) const
  {
    Outcome sure;
    std::ranges::copy_if(done, std::back_inserter(sure), [&](int index) {
      return request_cast<GeneralizedRequest>(*request(index)) != nullptr;
    });
    return sure;
  }
  Outcome complete() const
  {
    Outcome done;
    for (std::size_t i = 0; i < requests_.size(); ++i)
      if (requests_[i] && requests_[i]->complete()) done.push_back(static_cast<int>(i));
    return done;
  }

  const std::vector<Request*> requests_;
};

Outcome arbitrate(Rank& self, RequestQuestion& question)
{
  Arbiter& arbiter = *self.job.options().arbiter;
  const Arbiter::Ruling ruling = arbiter.begin(self, question);
  Outcome outcome;
  if (ruling.forced) {
    outcome = *ruling.forced;
    question.await(self, outcome);
  } else {
    question.advance();
    if (!may_find_nothing(question.kind)) question.await_any(self);
    outcome = question.natural();
  }
  arbiter.end(self, ruling.index, outcome);
  return outcome;
}

}  // namespace

Outcome arbitrate(Rank& self, ChoiceKind kind, const RequestArray& requests)
{
  std::vector<Request*> active;
  for (int i = 0; i < requests.size(); ++i) active.push_back(is_active(requests[i]) ? requests[i] : nullptr);
  RequestQuestion question(kind, std::move(active));
  return arbitrate(self, question);
}

void stop_watching(Request& request, bool complete)
{
  request.watch(false);
  if (Arbiter* const arbiter = request.owner().job.options().arbiter.get()) arbiter->ended(request, complete);
}

bool arbitrate(Rank& self, ChoiceKind kind, Request& request)
{
  RequestQuestion question(kind, {&request});
  return !arbitrate(self, question).empty();
}

}  // namespace ranklet::api
