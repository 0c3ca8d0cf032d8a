#include "io/gathering.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "io/file_request.hpp"

namespace ranklet::io {

namespace {

// A slice is not smaller than this, in bytes.
constexpr Count least_slice = 256 * 1024;
// Writes of one inode are made one after the other by the kernel, so that more writers only wait
// (docs/io.md).
constexpr int most_writers = 1;

}  // namespace

Gathering::Gathering(std::shared_ptr<FileShared> shared, int members)
    : shared_(std::move(shared)), members_(static_cast<std::size_t>(members)), missing_(members)
{
}

std::shared_ptr<Gathering> Gathering::find(const std::shared_ptr<FileShared>& shared, std::uint64_t number,
                                           int members)
{
  const Holder guard(shared->gatherings_lock);
  std::shared_ptr<Gathering>& place = shared->gatherings[number];
  if (!place) place = std::make_shared<Gathering>(shared, members);
  return place;
}

bool Gathering::join(int member, const Kind& kind, Work* work, FileRequest* request)
{
  members_[static_cast<std::size_t>(member)] = {kind, work, request};
  return missing_.add(-1) == 0;
}

void Gathering::refuse(const Error& error)
{
  for (const Member& member : members_)
    if (member.work) member.work->refuse(error);
  active_.clear();
}

// The shared pointer moves once, for all members, in the order of their ranks (§14.4.4).
void Gathering::place_in_order()
{
  Count all = 0;
  for (const Member& member : members_)
    if (member.work) all += member.work->etypes();
  Count at = shared_->shared_pointer.add(all) - all;
  for (const Member& member : members_) {
    if (!member.work) continue;
    member.work->place_at(at);
    at += member.work->etypes();
  }
}

void Gathering::cut()
{
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (members_[i].work && members_[i].work->access.bytes > 0) active_.push_back(static_cast<int>(i));
  if (active_.empty()) return;
  Count begin = std::numeric_limits<Count>::max(), end = 0, bytes = 0;
  bool divisible = true;
  for (const int i : active_) {
    const Work& work = *members_[static_cast<std::size_t>(i)].work;
    const Work::Extent extent = work.extent();
    begin = std::min(begin, extent.begin);
    end = std::max(end, extent.end);
    bytes += work.access.bytes;
    divisible = divisible && work.access.view->is_disjoint();
    serial_ = serial_ || work.atomic();
  }
  if (serial_) return;
  const Count most = members_[0].kind.direction == Direction::write
                         ? most_writers
                         : std::min<Count>(shared_->files.cores(), static_cast<Count>(members_.size()));
  if (divisible) slices_ = static_cast<int>(std::clamp<Count>(bytes / least_slice, 1, most));
  const Count width = (end - begin) / slices_ + 1;
  for (int slice = 0; slice < slices_; ++slice) {
    for (const int i : active_) {
      const DataAccess& access = members_[static_cast<std::size_t>(i)].work->access;
      // Of the access's bytes those before a place.
      const auto before = [&](Count place) {
        return std::clamp<Count>(access.view->data_before(place) - access.begin, 0, access.bytes);
      };
      const Count from = slice == 0 ? 0 : before(begin + slice * width);
      const Count to = slice == slices_ - 1 ? access.bytes : before(begin + (slice + 1) * width);
      portions_.push_back({&access, from, to});
    }
  }
  errors_.assign(static_cast<std::size_t>(slices_), 0);
}

void Gathering::plan(std::uint64_t number)
{
  {
    const Holder guard(shared_->gatherings_lock);
    shared_->gatherings.erase(number);
  }
  const Kind kind = members_[0].kind;
  try {
    for (const Member& member : members_)
      if (!(member.kind == kind))
        fail(ErrorClass::not_same, "the members have called different collective accesses of the file");
    if (kind.ordered) place_in_order();
    cut();
  } catch (const Error& error) {
    refuse(error);
  } catch (const std::bad_alloc&) {
    refuse(Error(ErrorClass::no_mem, "no memory left"));
  }
  unfinished_.restart(slices_);
  planned_.set();
  parking.notify();
}

void Gathering::start_threads(Rank& self)
{
  for (int slice = 0; slice < slices_; ++slice)
    shared_->files.submit(self, [keep = shared_from_this()] { keep->help(); });
}

void Gathering::run_slice(int slice)
{
  if (active_.empty()) return;
  if (serial_) {
    for (const int i : active_) members_[static_cast<std::size_t>(i)].work->run(*shared_);
    return;
  }
  const std::span<Portion> all(portions_);
  const std::size_t n = active_.size();
  try {
    errors_[static_cast<std::size_t>(slice)] = transfer(shared_->medium(), members_[0].kind.direction,
                                                        all.subspan(static_cast<std::size_t>(slice) * n, n));
  } catch (const std::bad_alloc&) {
    errors_[static_cast<std::size_t>(slice)] = ENOMEM;
    for (Portion& portion : all.subspan(static_cast<std::size_t>(slice) * n, n))
      portion.cut = portion.done < portion.to - portion.from;
  }
}

void Gathering::help()
{
  while (has_work()) {
    const std::int64_t slice = next_.add(1) - 1;
    if (slice >= slices_) return;
    run_slice(static_cast<int>(slice));
    if (unfinished_.add(-1) == 0) settle();
  }
}

// Each member learns what of its own was moved, from its first byte to the first that was not.
void Gathering::settle() noexcept
{
  if (!serial_ && !active_.empty()) {
    for (std::size_t k = 0; k < active_.size(); ++k) {
      Work& work = *members_[static_cast<std::size_t>(active_[k])].work;
      for (int slice = 0; slice < slices_; ++slice) {
        const Portion& portion = portions_[static_cast<std::size_t>(slice) * active_.size() + k];
        work.done += portion.done;
        if (!portion.cut) continue;
        work.number = errors_[static_cast<std::size_t>(slice)];
        break;
      }
    }
  }
  // Members may go when their request is complete, or when all is.
  std::vector<Member> members;
  members.swap(members_);
  complete_.set();
  for (const Member& member : members)
    if (member.request) member.request->settle();
  parking.notify();
}

}  // namespace ranklet::io
