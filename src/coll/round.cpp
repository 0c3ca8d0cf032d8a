#include "coll/round.hpp"

#include <exception>
#include <utility>
#include <vector>

#include "base/fortran_site.hpp"
#include "terms/call_note.hpp"
#include "terms/error.hpp"

namespace ranklet::coll {

namespace {

void take_back_lines(unsigned char* bytes, std::size_t length) noexcept
{
  for (std::size_t i = 0; i < length; i += 64) bytes[i] = 0;
}

}  // namespace

Round::Round(Communicator& comm, Collective call, int root, const Op* op)
    : state_(state(comm)),
      self_(comm.self()),
      me_(comm.board_rank()),
      members_(comm.shared().members()),
      mine_(state_.members_[me_]),
      number_(++own().round),
      takes_back_(state_.takes_back_ && holds_together(call))
{
  const CallSignature now(call, Form::blocking, root, op);
  header_ = Header::of(now, own().last_call);
  own().last_call = now;
  // The notes and cells that follow are released after it: who has acquired one of them finds this round's
  // site, or a later one's.
  mine_.sites[number_ % CollState::depth].set(reinterpret_cast<std::uintptr_t>(current_call_site()));
  mine_.log.note_round(number_, now.word());
  mine_.rounds.enter();
}

Round::~Round()
{
  if (finished_) return;
  own().last_call = {};
  if (std::exchange(swaps_, false)) state_.swapped().forget(me_);
  try {
    if (posted_ == Mode::none) publish(open(), Mode::failed, 0);
    mine_.rounds.reach(number_, has_failed);
    finish();
    await_readers();
  } catch (...) {
    // The job is being cancelled, and the exception that brought us here says why.
  }
}

// In more cells; when these are full too, or without the memory for them, by waiting.
void Round::make_room()
{
  CollState::MoreCells*& more = own().more;
  // For half of them, as looking at each round's end would take that line from those who are waited for.
  if (more) return await_room(number_ - CollState::more_depth / 2);
  try {
    auto& all = state_.more_cells_.get(
        [&] { return std::make_unique<memmodel::Lazy<CollState::MoreCells>[]>(std::size_t(members_)); });
    more = &(&all)[me_].get([&] { return std::make_unique<CollState::MoreCells>(number_); });
  } catch (const std::bad_alloc&) {
    await_room(number_ - CollState::depth);
  }
}

// Until all are done with the round. Who reads slowly would be slower yet if we looked at each of its steps.
void Round::await_room(std::uint64_t round)
{
  constexpr int few = 64;
  const bool spins = self_.job.wait_policy().spins > 0;
  int looks = 0;
  own().all_done = members::await_room(
      number_, round, members_, me_, [&](int i) -> auto& { return state_.members_[i].rounds; },
      [&](memmodel::Parking<>& parking, auto&& done) {
        const auto look = [&] {
          const std::uint64_t lacking = done.lacking();
          if (lacking > 0 && spins && looks < few) pause_while_lacking(lacking, looks++);
          return lacking == 0;
        };
        wait_until(self_, parking, look, done);
      });
}

unsigned char* Round::room_for_copy(std::size_t bytes)
{
  CollState::Copies& mine = copies();
  mine.ring.forget(own().all_done);
  if (const std::uint64_t round = mine.ring.in_the_way(bytes)) {
    await_room(round);
    mine.ring.forget(own().all_done);
  }
  return mine.bytes + mine.ring.take(number_, bytes);
}

unsigned char* Round::room_for_long_copy()
{
  CollState::LongCopies& mine = long_copies();
  const int next = 1 - mine.last;
  if (mine.rounds[next] > own().all_done) await_room(mine.rounds[next]);
  mine.last = next;
  mine.rounds[next] = number_;
  return mine.bytes[next];
}

// As Cells::take_back(): the lines of the next copy, if it is as long, while the others read this one.
void Round::take_back_room(std::size_t bytes) noexcept
{
  if (!state_.takes_back_) return;
  CollState::Copies& mine = copies();
  if (mine.ring.in_the_way(bytes) != 0) return;
  take_back_lines(mine.bytes + mine.ring.next(bytes), bytes);
}

void Round::take_back_long_room(Count bytes) noexcept
{
  CollState::LongCopies& mine = long_copies();
  const int next = 1 - mine.last;
  if (mine.rounds[next] <= own().all_done) take_back_lines(mine.bytes[next], static_cast<std::size_t>(bytes));
}

const Cell& Round::wait_for_cell(int member)
{
  wait_for(member, state_.members_[member].rounds.parking(number_),
           [&] { return cell_of(member).turn.value() == number_; });
  return cell_of(member);
}

// What the member calls in this round; empty if it is not there yet, or was long ago.
CallSignature Round::called(int member) const noexcept
{
  return CallSignature::from(state_.members_[member].log.call_in(number_));
}

int Round::find_astray(int member) const noexcept
{
  // Who is done with the round, without what we wait for, has failed, and has withdrawn what it showed.
  if (member != anybody)
    return is_astray(member) || state_.members_[member].rounds.is_done_with(number_) ? member : anybody;
  // While this member waits for all, none of them can be done, or in a later round. Others may be so because
  // they have been told of the one that is elsewhere.
  int gone_on = anybody;
  for (int i = 0; i < members_; ++i) {
    if (i == me_) continue;
    if (is_astray(i)) return i;
    if (state_.members_[i].rounds.is_done_with(number_) || state_.rounds_of(i) > number_) gone_on = i;
  }
  return gone_on;
}

int Round::find_astray_of_many(int& seen) const noexcept
{
  for (; seen < members_ - 1; ++seen) {
    const int member = (me_ + 1 + seen) % members_;
    if (is_astray(member)) return member;
    if (state_.rounds_of(member) < number_) return anybody;
  }
  return find_astray(anybody);
}

// A look, after so many sleeps, after which the deadlock watch would have its turn (wait.hpp).
bool Round::is_rare(int looks, std::int64_t sleeps) const noexcept
{
  if (!self_.job.wait_policy().park) return (looks & 4095) == 0;
  const auto& arbiter = self_.job.options().arbiter;
  constexpr int naps = 4;
  return sleeps >= naps || (arbiter && arbiter->holds_receives());
}

void Round::reject_astray(int member)
{
  CallSignature theirs = called(member);
  if (theirs == signature())
    fail_mismatch(ErrorClass::other, "member %d has gone on after %s without this one", member,
                  theirs.text().c_str());
  const void* site = site_of(member);
  if (!theirs) {
    theirs = CallSignature::from(state_.members_[member].log.last_operation());
    site = theirs ? state_.site_of(member, theirs) : nullptr;
  }
  reject_call("", member, theirs, signature(), {.theirs = site});
}

void Round::compare(int member, const Cell& cell)
{
  const Header& theirs = cell.header;
  if (theirs.now() != signature())
    reject_call("", member, theirs.now(), signature(), {.theirs = site_of(member)});
  if (theirs.mode() == Mode::failed)
    fail_mismatch(ErrorClass::other, "member %d has failed in %s", member, theirs.now().text().c_str());
  const CallSignature before = Header{header_}.before();
  if (theirs.before() && before && theirs.before() != before)
    reject_call("in the collective before, ", member, theirs.before(), before,
                {.theirs = site_before(member, theirs.before()), .mine = site_before(me_, before)});
}

void Round::reject_kind(int member, const Cell& cell)
{
  if (cell.mode() == Mode::failed)
    fail_mismatch(ErrorClass::other, "member %d has failed in %s", member, cell.header.now().text().c_str());
  fail_mismatch(ErrorClass::truncate, "member %d gives another amount of data%s", member,
                place_of_other_call(site_of(member)).c_str());
}

void Round::reject_amount(int member, Count theirs, Count mine)
{
  coll::reject_amount(member, theirs, mine, {.theirs = member == me_ ? nullptr : site_of(member)});
}

// Of the collective that the member has made just before this one.
const void* Round::site_before(int member, CallSignature call) const noexcept
{
  if (call.form() != Form::blocking) return state_.site_of(member, call);
  return state_.members_[member].log.call_in(number_ - 1) == call.word()
             ? state_.site_of_round(member, number_ - 1)
             : nullptr;
}

bool Round::comes_last()
{
  auto& counted = state_.barrier;
  if (counted.arrive(number_, members_)) return true;
  try {
    wait_for(anybody, counted.parking, [&] { return counted.is_open(number_); });
  } catch (const Error&) {
    counted.withdraw(number_);
    throw;
  }
  return false;
}

void Round::reach(int phase)
{
  mine_.rounds.reach(number_, static_cast<std::uint64_t>(phase));
}

void Round::await_phase(int member, int phase)
{
  expect(member, hear_phase(member, phase));
}

bool Round::hear_phase(int member, int phase)
{
  auto& other = state_.members_[member].rounds;
  return hear(member, [&] { return other.has_reached(number_, static_cast<std::uint64_t>(phase)); });
}

void Round::say_found(Found found)
{
  reach(has_found + static_cast<int>(found));
}

Found Round::found_by(int member) const noexcept
{
  const auto& rounds = state_.members_[member].rounds;
  for (const Found found : {Found::same, Found::fresh})
    if (rounds.is_in(number_, static_cast<std::uint64_t>(has_found + static_cast<int>(found)))) return found;
  return Found::nothing;
}

void Round::tell(int phase)
{
  constexpr auto phases = decltype(CollState::Member::rounds)::phases;
  // Release: pairs with the acquire in await_told().
  state_.told(me_).phase.publish(number_ * phases + static_cast<std::uint64_t>(phase));
  mine_.rounds.parking(number_).notify();
}

void Round::await_told(int member, int phase)
{
  constexpr auto phases = decltype(CollState::Member::rounds)::phases;
  const memmodel::Sequence<>& told = state_.told(member).phase;
  expect(member,
         hear(member, [&] { return told.value() >= number_ * phases + static_cast<std::uint64_t>(phase); }));
}

template <class HasReached>
bool Round::hear(int member, HasReached&& has_reached)
{
  auto& other = state_.members_[member].rounds;
  wait_for(member, other.parking(number_), [&] { return has_reached() || other.is_done_with(number_); });
  // Again: it is done behind its last phase.
  return has_reached();
}

// It has not reached a phase before it left, or has failed.
void Round::expect(int member, bool has_reached)
{
  if (state_.members_[member].rounds.is_in(number_, has_failed)) [[unlikely]]
    fail_mismatch(ErrorClass::other, "member %d has failed in %s", member, signature().text().c_str());
  if (has_reached) return;
  await(member);
  fail_mismatch(ErrorClass::other, "member %d has left %s before this one", member,
                signature().text().c_str());
}

// Behind finish(), where no destructor looks after an error.
template <class Wait>
void Round::or_withdraw(Wait&& wait)
{
  try {
    wait();
  } catch (const Error&) {
    await_readers();
    throw;
  }
}

void Round::finish()
{
  finished_ = true;
  if (swaps_) end_swap();
  mine_.rounds.finish(number_);
  if (self_.job.options().collectives != CollectiveMode::synchronise || posted_ == Mode::failed) [[likely]]
    return;
  or_withdraw([&] { await_entries(); });
}

void Round::end_swap()
{
  const Cell& cell = cell_of(1 - me_);
  const Copied theirs = cell.mode() == Mode::data ? cell.data() : Copied{nullptr, 0};
  // In a call that the other one finds wrong it may not have given in that way.
  if (theirs.is_swapped) [[likely]]
    state_.swapped().swap(me_, CollState::swapped_at(theirs.bytes));
  else
    state_.swapped().forget(me_);
}

// Behind an error. The others may still be using our buffers, or come and find them, and with them what is
// wrong. A member that is in another call may never come: it will not find them.
void Round::await_readers()
{
  if (posted_ != Mode::by_reference) return;
  posted_ = Mode::failed;
  const auto each_other = [&](auto wait) {
    for (int i = 0; i < members_; ++i)
      if (i != me_) wait(i, state_.members_[i].rounds);
  };
  const auto has_come = [&](int i) { return state_.rounds_of(i) >= number_; };
  bool comes_late = false;
  each_other([&](int i, auto& other) {
    wait_until(self_, other.parking(number_),
               [&] { return other.is_done_with(number_) || (is_astray(i) && !has_come(i)); });
    comes_late |= !other.is_done_with(number_);
  });
  if (!comes_late) return;
  with_cells([&](auto& cells) { mine_.rounds.withdraw(number_, cells); });
  each_other([&](int i, auto& other) {
    if (has_come(i)) wait_until(self_, other.parking(number_), [&] { return other.is_done_with(number_); });
  });
}

// As if every collective held a barrier.
void Round::await_entries()
{
  for (int i = 0; i < members_; ++i)
    if (i != me_)
      wait_for(i, state_.members_[i].rounds.parking(number_), [&] { return state_.rounds_of(i) >= number_; });
}

void Round::keep(std::shared_ptr<const void> loan)
{
  std::uint64_t all_done = number_;
  for (int i = 0; i < members_; ++i)
    if (i != me_) all_done = std::min(all_done, state_.members_[i].rounds.progress.done.value());
  auto& loans = large().loans;
  std::erase_if(loans, [&](const auto& one) { return one.first <= all_done; });
  loans.emplace_back(number_, std::move(loan));
}

void Round::await_done(int member)
{
  or_withdraw([&] { await_end_of(member); });
}

void Round::await_end_of(int member)
{
  auto& other = state_.members_[member].rounds;
  wait_for(member, other.parking(number_), [&] { return other.is_done_with(number_); });
  const CallSignature theirs = called(member);
  if (theirs && theirs != signature()) [[unlikely]] {
    own().last_call = {};
    reject_call("", member, theirs, signature(), {.theirs = site_of(member)});
  }
}

void Round::await_all_done()
{
  or_withdraw([&] {
    await_each(members_, [&](int i) {
      if (i != me_) await_end_of(i);
    });
  });
  own().all_done = number_;
}

void Round::copy_with(int helper, const Part& from, const Part& to)
{
  CollState::Large& mine = large();
  auto& last = state_.members_[mine.helper].rounds;
  wait_until(self_, last.parking(mine.helped), [&] { return last.is_done_with(mine.helped); });
  mine.helped = number_;
  mine.helper = helper;
  mine.copy.reset();
  reach(helps);
  if (!mine.copy.offer(from.address, from.count, *from.type, to.address, to.count, *to.type))
    fail(ErrorClass::no_mem, "memory has ended while the data was copied");
}

void Round::help_all()
{
  std::vector<bool> helped(static_cast<std::size_t>(members_));
  for (int i = 0; i < members_; ++i) {
    if (i == me_) continue;
    auto& other = state_.members_[i].rounds;
    const auto is_done = [&] { return other.is_done_with(number_); };
    const auto help = [&](int member) {
      CollState::Member& copier = state_.members_[member];
      // Before this phase the member's part belongs to another round; when it has failed nobody may touch it.
      if (member == me_ || helped[member] || !copier.rounds.is_in(number_, helps)) return;
      // That phase was reached after it was made.
      helped[member] = copier.own.large.look()->copy.join();
    };
    wait_for(i, other.parking(number_), [&] {
      if (is_done()) return true;
      for (int member = 0; member < members_; ++member) help(member);
      return is_done();
    });
  }
}

}  // namespace ranklet::coll
