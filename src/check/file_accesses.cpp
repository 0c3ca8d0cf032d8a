#include "check/file_accesses.hpp"

#include <algorithm>

namespace ranklet::check {

namespace {

// The first byte that both have.
std::optional<std::uintptr_t> meeting(const std::vector<Range>& one, const std::vector<Range>& other)
{
  for (std::size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    if (one[i].begin < other[j].end && other[j].begin < one[i].end)
      return std::max(one[i].begin, other[j].begin);
    if (one[i].end <= other[j].end)
      ++i;
    else
      ++j;
  }
  return {};
}

bool is_same(const FileAccess& one, const FileAccess& other)
{
  return one.writes == other.writes && one.atomic == other.atomic && one.pieces == other.pieces;
}

}  // namespace

// The weak pointer keeps the address from being that of another file.
FileAccesses::State& FileAccesses::state_of(const FileMember& member)
{
  const auto known = states_.find(member.file.get());
  if (known != states_.end()) return known->second;
  if (states_.size() >= next_sweep_) {
    std::erase_if(states_, [](const auto& each) { return each.second.file.expired(); });
    next_sweep_ = 2 * states_.size() + 64;
  }
  State& state = states_[member.file.get()];
  state.file = member.file;
  state.syncs.resize(static_cast<std::size_t>(member.members));
  state.views.resize(static_cast<std::size_t>(member.members));
  return state;
}

std::optional<FileConflict> FileAccesses::add(const FileMember& member, FileAccess access)
{
  std::optional<FileConflict> found;
  if (access.pieces.empty()) return found;
  const Range hull{access.pieces.front().begin, access.pieces.back().end};
  const Holder guard(lock_);
  State& state = state_of(member);
  const std::uint64_t syncs = state.syncs[static_cast<std::size_t>(member.rank)];
  bool is_known = false;
  state.accesses.for_each_near(hull, [&](const Entry& known) {
    if (known.syncs != syncs) return;
    if (known.rank == member.rank) {
      is_known = is_known || is_same(access, known.access);
      return;
    }
    if (!access.writes && !known.access.writes) return;
    if (access.atomic && known.access.atomic) return;
    const bool both = access.writes && known.access.writes;
    if (found && (found->both_write || !both)) return;
    if (const auto first = meeting(access.pieces, known.access.pieces))
      found = FileConflict{both, *first, known.access.call};
  });
  if (is_known) return found;
  if (state.accesses.size() >= most_accesses || state.pieces + access.pieces.size() > most_pieces) {
    state.accesses = {};
    state.pieces = 0;
  }
  state.pieces += access.pieces.size();
  state.accesses.add(hull, Entry{std::move(access), member.rank, syncs});
  return found;
}

void FileAccesses::synced(const FileMember& member)
{
  const Holder guard(lock_);
  State& state = state_of(member);
  ++state.syncs[static_cast<std::size_t>(member.rank)];
  // What all have come beyond.
  const std::uint64_t least = *std::ranges::min_element(state.syncs);
  state.accesses.erase_if([&](const Entry& entry) {
    if (entry.syncs >= least) return false;
    state.pieces -= entry.access.pieces.size();
    return true;
  });
}

void FileAccesses::viewed(const FileMember& member, FileView view)
{
  const Holder guard(lock_);
  Seen& seen = state_of(member).views[static_cast<std::size_t>(member.rank)];
  seen.view = std::move(view);
  ++seen.views;
}

Ref<const RecordedCall> FileAccesses::other_view(const FileMember& member)
{
  const Holder guard(lock_);
  State& state = state_of(member);
  const Seen& own = state.views[static_cast<std::size_t>(member.rank)];
  if (own.views == state.alike) return {};
  bool all = true;
  for (const Seen& each : state.views) {
    if (each.views != own.views)
      all = false;
    else if (each.view.shape != own.view.shape)
      return each.view.call;
  }
  if (all) state.alike = own.views;
  return {};
}

std::size_t FileAccesses::kept(const FileMember& member)
{
  const Holder guard(lock_);
  return state_of(member).accesses.size();
}

}  // namespace ranklet::check
