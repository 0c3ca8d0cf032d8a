#include "p2p/arbitrated.hpp"

#include <utility>

namespace ranklet::p2p {

namespace {

struct MessageQuestion final : Question {
  MessageQuestion(ChoiceKind in_kind, Rank& in_self, std::uint32_t in_context, int in_source, int in_tag)
      : Question(in_kind), self(in_self)
  {
    context = in_context;
    source = in_source;
    tag = in_tag;
  }
  std::vector<Outcome> options() const override { return self.p2p->probe_options(context, source, tag); }
  void advance() override { self.p2p->help_if_needed(); }
  bool ready_to_advance() const noexcept override { return self.p2p->has_mail(); }

  Rank& self;
};

// Whether a receive that is to be cancelled is.
struct CancelQuestion final : Question {
  CancelQuestion(Rank& in_self, const ReceiveRequest& in_request, std::uint32_t in_context, int in_source,
                 int in_tag)
      : Question(ChoiceKind::cancel), self(in_self), request(in_request)
  {
    context = in_context;
    source = in_source;
    tag = in_tag;
  }
  std::vector<Outcome> options() const override
  {
    return self.p2p->is_posted(request) ? std::vector<Outcome>{{0}} : std::vector<Outcome>{};
  }
  bool may_miss() const override { return request.complete() || self.p2p->could_match(request); }
  void advance() override { self.p2p->help_if_needed(); }
  bool ready_to_advance() const noexcept override { return self.p2p->has_mail(); }

  Rank& self;
  const ReceiveRequest& request;
};

// Asks, withdraws the operation unless the ruling is against it, and tells what came of it.
template <class Withdraw>
bool cancel_as_ruled(Rank& self, Question& question, Withdraw&& withdraw)
{
  Arbiter& arbiter = *self.job.options().arbiter;
  const Arbiter::Ruling ruling = arbiter.begin(self, question);
  const bool wanted = !ruling.forced || !ruling.forced->empty();
  const bool done = wanted && withdraw();
  arbiter.end(self, ruling.index, done ? Outcome{0} : Outcome{});
  return done;
}

// A probe of any kind: asks, looks as `look` does, for what the ruling says, and tells what was found.
template <class Look>
auto probe_as_ruled(Communicator& comm, ChoiceKind kind, int source, int tag, Look&& look)
{
  Rank& self = comm.self();
  Arbiter& arbiter = *self.job.options().arbiter;
  // A probe that waits for one source and tag finds what it must.
  const bool open = may_find_nothing(kind) || source == any_source || tag == any_tag;
  Arbiter::Ruling ruling{0, std::nullopt};
  if (open) {
    MessageQuestion question(kind, self, comm.context(), source, tag);
    ruling = arbiter.begin(self, question);
  }
  bool waits = !may_find_nothing(kind);
  decltype(look(source, tag)) found{};
  if (ruling.forced && !ruling.forced->empty()) {
    waits = true;
    source = (*ruling.forced)[0];
    tag = (*ruling.forced)[1];
  }
  if (waits)
    wait_for_message(self, [&] { return bool(found = look(source, tag)); });
  else if (!ruling.forced)
    found = look(source, tag);
  return std::pair(found, open ? ruling.index : -1);
}

void tell(Rank& self, int choice, const Envelope& envelope)
{
  if (choice >= 0) self.job.options().arbiter->end(self, choice, {envelope.source, envelope.tag});
}
void tell(Rank& self, int choice, const std::optional<Status>& status)
{
  if (choice < 0) return;
  self.job.options().arbiter->end(self, choice, status ? Outcome{status->source, status->tag} : Outcome{});
}

std::optional<Status> probed(Communicator& comm, ChoiceKind kind, int source, int tag)
{
  Rank& self = comm.self();
  const auto result = probe_as_ruled(comm, kind, source, tag, [&](int from, int with) {
    return self.p2p->probe(comm.context(), from, with);
  });
  tell(self, result.second, result.first);
  return result.first;
}

}  // namespace

Status arbitrated_probe(Communicator& comm, int source, int tag)
{
  return *probed(comm, ChoiceKind::probe, source, tag);
}

std::optional<Status> arbitrated_iprobe(Communicator& comm, int source, int tag)
{
  return probed(comm, ChoiceKind::iprobe, source, tag);
}

Unexpected* arbitrated_take(Communicator& comm, bool waits, int source, int tag)
{
  Rank& self = comm.self();
  const auto result =
      probe_as_ruled(comm, waits ? ChoiceKind::mprobe : ChoiceKind::improbe, source, tag,
                     [&](int from, int with) { return self.p2p->take(comm.context(), from, with); });
  if (result.first)
    tell(self, result.second, result.first->envelope);
  else
    tell(self, result.second, std::nullopt);
  return result.first;
}

void Engine::arbitrate(ReceiveRequest& request)
{
  request.held_ = false;
  const bool any = request.source_ == any_source;
  // From one source the messages come in their order, whatever their tags are.
  if (!any && (holds_ || request.tag_ != any_tag)) return;
  request.asked_source_ = request.source_;
  request.asked_tag_ = request.tag_;
  MessageQuestion question(ChoiceKind::receive, rank_, request.context_, request.source_, request.tag_);
  const Arbiter::Ruling ruling = rank_.job.options().arbiter->begin(rank_, question);
  request.choice_ = ruling.index;
  if (ruling.forced) {
    request.source_ = (*ruling.forced)[0];
    request.tag_ = (*ruling.forced)[1];
  }
  request.held_ = holds_ && !ruling.forced;
}

// Asked also when it is complete: the choices of a rank are not to depend on when messages come.
bool Engine::withdraw_as_ruled(ReceiveRequest& request)
{
  CancelQuestion question(rank_, request, request.context_, request.source_, request.tag_);
  return cancel_as_ruled(rank_, question, [&] { return !request.complete() && withdraw(request); });
}

bool Engine::withdraw_as_ruled(SendRequest& sender)
{
  Question question(ChoiceKind::look);
  return cancel_as_ruled(rank_, question,
                         [&] { return !sender.complete() && sender.dest_->p2p->withdraw(sender); });
}

bool Engine::is_posted(const ReceiveRequest& request)
{
  const Hold hold = any_token();
  return request.posted_;
}

bool Engine::could_match(const ReceiveRequest& request)
{
  const Hold hold = any_token();
  return request.posted_ && !options_of(request).empty();
}

void Engine::collect()
{
  while (Envelope* const envelope = mailbox_.front()) {
    rank_.job.options().arbiter->arrived(rank_, envelope->context, envelope->source, envelope->tag);
    keep(*envelope);
    mailbox_.pop(*envelope, envelope->cells());
  }
}

// Delivers every message whose receive is certain: the first posted one that it matches, unless that is held;
// and no earlier message of its source matches it, which a held one may get.
void Engine::settle()
{
  for (Unexpected* message = unexpected_.first(); message;) {
    ReceiveRequest* const request = posted_.find(message->envelope);
    Unexpected* const next = message->in_order.next;
    const bool certain =
        request && !request->held_ &&
        unexpected_.find(request->context_, message->envelope.source, request->tag_) == message;
    if (certain) {
      posted_.remove(*request);
      unexpected_.remove(*message);
      deliver(*request, message->envelope);
      unexpected_.recycle(*message);
    }
    // An earlier message may be certain now that the receive is gone.
    message = certain ? unexpected_.first() : next;
  }
}

bool Engine::settle_all()
{
  const Hold hold = any_token();
  if (!mailbox_.front()) return false;
  drain();
  return true;
}

std::vector<Unexpected*> Engine::options_of(const ReceiveRequest& request)
{
  std::vector<Unexpected*> found;
  for (Unexpected* message = unexpected_.first(); message; message = message->in_order.next) {
    const Envelope& envelope = message->envelope;
    if (request.matches(envelope) && posted_.find(envelope) == &request &&
        unexpected_.find(request.context_, envelope.source, request.tag_) == message)
      found.push_back(message);
  }
  return found;
}

std::vector<Engine::Open> Engine::open_receives()
{
  const Hold hold = any_token();
  std::vector<Open> open;
  for (ReceiveRequest* request = posted_.first_from_any(); request;
       request = PostedQueue::next_from_any(*request)) {
    if (!request->held_) continue;
    open.push_back({request->choice_, {}});
    for (const Unexpected* message : options_of(*request))
      open.back().options.push_back({message->envelope.source, message->envelope.tag});
  }
  return open;
}

void Engine::decide(int choice, int source)
{
  const Hold hold = any_token();
  ReceiveRequest* request = posted_.first_from_any();
  while (request && request->choice_ != choice) request = PostedQueue::next_from_any(*request);
  if (!request) return;
  for (Unexpected* message : options_of(*request)) {
    if (message->envelope.source != source) continue;
    posted_.remove(*request);
    unexpected_.remove(*message);
    deliver(*request, message->envelope);
    unexpected_.recycle(*message);
    return settle();
  }
}

std::vector<Outcome> Engine::probe_options(std::uint32_t context, int source, int tag)
{
  const Hold hold = any_token();
  std::vector<Outcome> found;
  for (Unexpected* message = unexpected_.first(); message; message = message->in_order.next) {
    const Envelope& envelope = message->envelope;
    if (envelope.context == context && (source == any_source || source == envelope.source) &&
        find_free(context, envelope.source, tag) == message)
      found.push_back({envelope.source, envelope.tag});
  }
  return found;
}

// What a probe finds: not what may go to a held receive.
Unexpected* Engine::find_free(std::uint32_t context, int source, int tag)
{
  Unexpected* const message = unexpected_.find(context, source, tag);
  return message && holds_ && posted_.find(message->envelope) ? nullptr : message;
}

}  // namespace ranklet::p2p
