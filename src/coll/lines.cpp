#include "coll/lines.hpp"

#include <mutex>

#include "base/fortran_site.hpp"
#include "coll/operands.hpp"
#include "coll/packed_blocks.hpp"
#include "datatype/copy.hpp"
#include "ranks/wait.hpp"
#include "terms/error.hpp"

namespace ranklet::coll {

Lines::Lines(int members)
    : count_(members), members_(std::make_unique<Member[]>(static_cast<std::size_t>(members)))
{
}

Lines::~Lines() = default;

Request& exchange(Communicator& comm, const Exchanged& what, Life life)
{
  if (what.sums()) check_valid_for(*what.op, *what.given.type);
  auto& stock = state(comm).nonblocking(comm.rank()).exchanges;
  if (!stock) stock = std::make_unique<p2p::Stock<Exchange>>(comm.self());
  Exchange& made = stock->take();
  try {
    made.keep(what);
    made.begin(comm, life);
  } catch (...) {
    // The communicator owns the stock.
    made.forget();
    stock->give(made);
    throw;
  }
  return made;
}

void Exchange::keep(const Exchanged& what)
{
  data_ = what;
  if (what.takes == Exchanged::Takes::parts && !what.is_single)
    data_.blocks = what.blocks.with_arrays_in(arrays_, what.awaited.count);
  const Datatype* const taken = what.is_single ? what.part.type : what.blocks.common_type();
  for (int i = 0; const Datatype* type : {what.given.type, taken}) {
    if (type && !type->is_predefined()) types_[i] = Ref<const Datatype>(*type);
    ++i;
  }
  if (what.op) op_ = Ref<const Op>(*what.op);
}

void Exchange::begin(Communicator& comm, Life life)
{
  CollState& members = state(comm);
  const int me = comm.rank();
  comm_ = CommRef(comm);
  context_ = comm.context();
  persistent_ = life == Life::persistent;
  rounds_ = members.rounds_of(me);
  // What may fail for want of memory comes before the number is taken, which the others count on.
  operation_ = members.operations_of(me) + 1;
  if (persistent_) own_lines_ = members.lines_of(operation_, me);
  lines_ = persistent_ ? own_lines_.get() : &members.lines();
  mine_ = &lines_->members_[me];
  number_ = persistent_ ? 0 : operation_;
  header_ = Header::of(data_.call, CallSignature::from(rounds_));
  const bool has_room = persistent_ || prepare(number_);
  members.next_operation(me, data_.call);
  if (!persistent_) start_in(has_room);
}

void Exchange::start()
{
  const bool has_room = prepare(number_ + 1);
  ++number_;
  start_in(has_room);
}

bool Exchange::prepare(std::uint64_t number)
{
  if (!data_.gives) return true;
  fill(content_);
  return mine_->cells.find_room(
      number, lines_->count_, [&](int i) -> auto& { return lines_->members_[i].cells.left(); },
      [&](auto&& done) { wait_a_moment(owner(), done); });
}

void Exchange::start_in(bool has_room)
{
  seen_ = looks_ = 0;
  error_ = ErrorClass::success;
  done_.reset();
  active_ = true;
  join_list();
  if (data_.gives) put(has_room);
  if (data_.awaited.count > 0) return;
  leave();
  finish();
}

void Exchange::join_list()
{
  Lines::Member::Private& own = mine_->own;
  const Section guard(owner(), own.lock);
  own.last = number_;
  previous_ = own.latest;
  next_ = nullptr;
  invariant([&] { return !previous_ || previous_->number_ < number_; },
            "a member's exchanges are in order (1)");
  (previous_ ? previous_->next_ : own.first) = this;
  own.latest = this;
}

void Exchange::put(bool has_room)
{
  mine_->cells.show(number_, has_room, [&](Cell& line) {
    line.header = content_.header;
    std::memcpy(line.payload, content_.payload, sizeof line.payload);
  });
  if (has_room) memmodel::Native::prefetch_to_write(mine_->cells.place_of(number_ + 1));
  mine_->sleepers.notify();
  for (int i = 0; i < comm_->size(); ++i)
    if (i != comm_->rank()) comm_->peer(i).parking.notify();
}

void Exchange::fill(Cell& line) const
{
  const Part& given = data_.given;
  const Count bytes = data_.bytes();
  if (bytes > 0 && data_.sums())
    std::memcpy(line.payload, given.address, static_cast<std::size_t>(bytes));
  else if (bytes > 0)
    pack(given.address, given.count, *given.type, 0, line.payload, bytes);
  line.header.word =
      header_ | static_cast<std::uint64_t>(Mode::data) << 56 | static_cast<std::uint64_t>(bytes) << 58;
}

bool Exchange::advance()
{
  if (complete()) return true;
  for (; seen_ < data_.awaited.count; ++seen_) {
    if (!given_by(next_to_see())) {
      sleep_at(&lines_->members_[next_to_see()].sleepers);
      watch(next_to_see());
      return complete();
    }
  }
  take();
  return true;
}

bool Exchange::ready_to_advance() const noexcept
{
  return complete() || seen_ == data_.awaited.count || given_by(next_to_see()) != nullptr;
}

// Gives up when the member is seen to be in another collective.
void Exchange::watch(int member)
{
  const WaitPolicy& policy = owner().job.wait_policy();
  if (++looks_ <= policy.spins && (looks_ & 63) != 0) return;
  const CallSignature mine = Header{header_}.now();
  const CollState& members = state(*comm_);
  const CallSignature theirs = members.astray(member, operation_, mine, rounds_);
  if (!theirs || find(member)) return;
  const void* const last =
      members.call_of(member, operation_) == theirs ? nullptr : members.site_of(member, theirs);
  try {
    reject_call("", member, theirs, mine,
                {.theirs = last ? last : members.site_of(member, operation_),
                 .mine = members.site_of(comm_->rank(), operation_)});
  } catch (const Error& error) {
    // Who else sleeps there sees the same.
    lines_->members_[member].sleepers.notify();
    end(error);
  }
}

void Exchange::take()
{
  const Cell* cells[select::most_flat_members];
  const auto sites = [&](int member) {
    const CollState& members = state(*comm_);
    return Sites{.theirs = members.site_of(member, operation_),
                 .mine = members.site_of(comm_->rank(), operation_)};
  };
  try {
    for (int i = 0; i < data_.awaited.count; ++i) {
      const int member = data_.awaited.first + i;
      cells[i] = given_by(member);
      const Header& theirs = cells[i]->header;
      if ((theirs.word & Header::calls) != header_) [[unlikely]] {
        reject_call(
            theirs.now() == Header{header_}.now() ? "in another order of blocking and nonblocking, " : "",
            member, theirs.now(), Header{header_}.now(), sites(member));
      }
      if (const Count expected = expected_of(i); theirs.length() != expected) [[unlikely]]
        reject_amount(member, theirs.length(), expected, sites(member));
    }
    take(cells);
  } catch (const Error& error) {
    return end(error);
  }
  leave();
  finish();
}

// Of the i-th awaited one.
Count Exchange::expected_of(int i) const
{
  switch (data_.takes) {
    case Exchanged::Takes::nothing:
    case Exchanged::Takes::sum:
      return data_.bytes();
    case Exchanged::Takes::parts:
      // What is in its place was given from there.
      return data_.awaited.first + i == comm_->rank() && data_.is_there ? data_.bytes() : target(i).bytes();
    case Exchanged::Takes::shares:
      return lines_->count_ * target(i).bytes();
  }
  return 0;
}

void Exchange::take(const Cell* const* cells)
{
  if (data_.takes == Exchanged::Takes::nothing) return;
  if (data_.takes == Exchanged::Takes::sum) {
    if (data_.count == 0) return;
    const Datatype& type = *data_.given.type;
    return fold_block(
        *op_, data_.brackets, type, data_.awaited.count,
        [&](int i) { return element(cells[i]->payload, data_.begin, type); }, data_.count, data_.result);
  }
  for (int i = 0; i < data_.awaited.count; ++i) {
    if (data_.is_there && data_.awaited.first + i == comm_->rank()) continue;
    const Part to = target(i);
    const Count bytes = to.bytes();
    const Count at = data_.takes == Exchanged::Takes::shares ? comm_->rank() * bytes : 0;
    unpack(to.address, to.count, *to.type, 0, cells[i]->payload + at, bytes);
  }
}

void Exchange::end(const Error& error)
{
  error_ = error.error_class();
  error_message_ = error.message();
  is_mismatch_ = error.is_mismatch();
  leave();
  finish();
}

// We do not look at lines of this number any more.
void Exchange::leave()
{
  Lines::Member::Private& own = mine_->own;
  const Section guard(owner(), own.lock);
  (previous_ ? previous_->next_ : own.first) = next_;
  (next_ ? next_->previous_ : own.latest) = previous_;
  mine_->cells.leave(own.first ? own.first->number_ - 1 : own.last);
}

ErrorClass Exchange::reap(Status* status)
{
  if (status) peek(status);
  if (!active_) return ErrorClass::success;
  active_ = false;
  sleep_at(nullptr);
  if (error_ != ErrorClass::success) state(*comm_).forget_last_call(comm_->rank());
  return error_;
}

Request::CollectiveWait Exchange::collective() const
{
  const void* const site = state(*comm_).site_of(comm_->rank(), operation_);
  CollectiveWait wait{Header{header_}.now().text() + place_of_other_call(site), {}};
  if (active_)
    wait.absent = members_absent(*comm_, [&](int i) {
      const int place = i - data_.awaited.first;
      return place < 0 || place >= data_.awaited.count || find(i) != nullptr;
    });
  return wait;
}

void Exchange::check_may_be_let_go() const
{
  // §6.12: only inactive ones may be freed. Of a complete one nothing is lost.
  if (!complete()) fail(ErrorClass::request, "an active nonblocking collective may not be freed");
}

void Exchange::release()
{
  if (active_) return;
  // The communicator, and our stock with it, may end with our reference.
  const CommRef comm = forget();
  state(*comm).nonblocking(comm->rank()).exchanges->give(*this);
}

void Exchange::discard() noexcept
{
  // The stock has it, and may end with our reference.
  const CommRef comm = forget();
}

CommRef Exchange::forget() noexcept
{
  own_lines_.reset();
  op_ = {};
  for (auto& type : types_) type = {};
  return std::move(comm_);
}

}  // namespace ranklet::coll
