// What a detector of data races has found of accesses that the narrator has told of, as findings in MPI's
// words. Its reports come on a thread that may hold its locks, so they wait for the next call.
#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "api/usage/narrator.hpp"
#include "base/source_line.hpp"

namespace ranklet::api {

namespace {

using Side = races::Race::Side;

const AccessNote* note_of(const Side& side)
{
  const races::Label label = side.label();
  return label == 0 ? nullptr : &AccessNotes::of(label);
}

// The access of the program: its innermost place that has a line; libraries have none.
const void* site_of(const Side& side)
{
  const auto code = [](std::uintptr_t address) { return reinterpret_cast<const void*>(address); };
  for (const std::uintptr_t place : side.stack)
    if (place != 0)
      if (const auto source = source_location(code(place - 1)); source && source->line > 0)
        return code(place);
  return code(side.stack[0]);
}

// The names of a rank's threads end in its number.
int rank_of(const Side& side)
{
  const std::string_view name = side.thread.data();
  const std::size_t dot = name.rfind('.');
  int rank = -1;
  if (dot != name.npos) std::from_chars(name.data() + dot + 1, name.data() + name.size(), rank);
  return rank;
}

// "MPI_Put", "a store of the program"
std::string name_of(const Side& side)
{
  if (const AccessNote* const note = note_of(side)) return note->call->function().name;
  const std::string kind = side.written ? "a store" : "a load";
  return (side.atomic ? "an atomic" + kind.substr(1) : kind) + " of the program";
}

std::string text_of(const Side& side)
{
  if (const AccessNote* const note = note_of(side)) return note->call->text();
  const char* const kind = side.written ? "store" : "load";
  return std::string(kind) + " of " + std::to_string(side.bytes) + (side.bytes == 1 ? " byte" : " bytes");
}

std::string place_of(const Side& side)
{
  const AccessNote* const note = note_of(side);
  return note ? note->call->place() : describe_call_site(site_of(side));
}

std::optional<SourceLocation> source_of(const Side& side)
{
  if (const AccessNote* const note = note_of(side)) return note->call->source();
  const auto* const site = static_cast<const char*>(site_of(side));
  return site == nullptr ? std::nullopt : source_location(site - 1);
}

std::string who(const Side& side)
{
  if (const AccessNote* const note = note_of(side)) return note->call->who();
  const int rank = rank_of(side);
  return rank < 0 ? "a thread" : "rank " + std::to_string(rank);
}

std::string_view chapter_of(const AccessNote& note)
{
  return note.call->function().chapter->key;
}

// What keeps the program from using a buffer.
const char* rule_of(const AccessNote& note)
{
  if (note.use == AccessNote::Use::target) return "MPI 5.0 §12.7";
  if (note.use == AccessNote::Use::origin) return "MPI 5.0 §12.3";
  if (note.use == AccessNote::Use::call) return "MPI 5.0 §11.6";
  if (chapter_of(note) == "coll" || chapter_of(note) == "topo") return "MPI 5.0 §6.12";
  return chapter_of(note) == "partitioned" ? "MPI 5.0 §4.2.2" : "MPI 5.0 §3.7.2";
}

std::string conflict_at_target(const races::Race& race, const AccessNote& note)
{
  // Of MPI's accesses the detector knows pieces.
  const auto begin = [](const Side& side) {
    const AccessNote* const known = note_of(side);
    return known && known->begin != 0 ? known->begin : side.address;
  };
  const std::uintptr_t first = std::max(begin(race.sides[0]), begin(race.sides[1]));
  std::string text = name_of(race.sides[0]) + " and " + name_of(race.sides[1]) +
                     " of the same data of target " + std::to_string(note.target);
  if (note.part != 0 && first >= note.part)
    text += " (byte " + std::to_string(first - note.part) + " of its part of the window)";
  const AccessNote* const notes[] = {note_of(race.sides[0]), note_of(race.sides[1])};
  const bool same_origin = notes[0] && notes[1] && notes[0]->call->who() == notes[1]->call->who();
  return text + " are not ordered by synchronization; " +
         check::what_would_order(note.epoch, same_origin, false);
}

std::string conflict_in_buffer(const Side& access, const AccessNote& note)
{
  std::string name = note.call->function().name;
  const bool blocks = note.use == AccessNote::Use::call;
  const std::string buffer = std::string(note.written ? "a buffer that " : "data that ") + name +
                             (note.written ? " writes" : " reads");
  const std::string end = blocks ? " meanwhile" : " before the operation is complete";
  if (const AccessNote* const other = note_of(access))
    return std::string(other->call->function().name) + (other->written ? " writes " : " reads ") + buffer +
           end;
  return std::string("the program ") + (access.written ? "stores to " : "loads from ") + buffer + end;
}

}  // namespace

bool Narrator::race_found(const races::Race& race) noexcept
{
  if (std::ranges::all_of(race.sides, [](const Side& side) { return side.label() == 0; })) return false;
  const Holder guard(races_lock_);
  if (races_kept_ < most_races) races_[races_kept_++] = race;
  return true;
}

void Narrator::report_races()
{
  std::array<races::Race, most_races> races;
  std::size_t kept = 0;
  {
    const Holder guard(races_lock_);
    if (races_kept_ == 0) return;
    kept = std::exchange(races_kept_, 0);
    std::copy_n(races_.begin(), kept, races.begin());
  }
  for (std::size_t i = 0; i < kept; ++i) report(races[i]);
}

bool Narrator::has_reported(const RecordedCall& call) const
{
  const Holder guard(lock_);
  return !reported_.empty() && reported_.contains(call.place());
}

void Narrator::report(const races::Race& race)
{
  // The program's own access first, else the later one.
  std::size_t own = note_of(race.sides[0]) && !note_of(race.sides[1]) ? 1 : 0;
  const Side& first = race.sides[own];
  const Side& second = race.sides[1 - own];
  const AccessNote* leading = note_of(second);
  if (const AccessNote* const note = note_of(first);
      note && (note->use == AccessNote::Use::target || leading->use == AccessNote::Use::call))
    leading = note;
  check::Finding finding;
  finding.what = leading->use == AccessNote::Use::target
                     ? conflict_at_target(race, *leading)
                     : conflict_in_buffer(leading == note_of(second) ? first : second, *leading);
  finding.rule = rule_of(*leading);
  if (leading->use != AccessNote::Use::target) reported_.insert(leading->call->place());
  const int rank = note_of(first) ? state_.rank.world_rank : rank_of(first);
  finding.rank = rank < 0 ? state_.rank.world_rank : rank;
  finding.world = state_.rank.job.options().world;
  finding.call = text_of(first);
  finding.place = place_of(first);
  finding.source = source_of(first);
  finding.other = who(second) + ", " + text_of(second) + " in " + place_of(second);
  finding.other_source = source_of(second);
  state_.rank.job.findings.add(std::move(finding));
}

}  // namespace ranklet::api

// What ThreadSanitizer's hook in the host asks: whether the report is of an access that MPI made, which is
// told otherwise.
extern "C" [[gnu::visibility("default")]] bool ranklet_race_found(const void* report);
bool ranklet_race_found(const void* report)
{
  ranklet::Rank* const rank = ranklet::current_rank();
  ranklet::races::Race race;
  return rank && rank->api && rank->api->narrator && ranklet::races::read_report(report, race) &&
         rank->api->narrator->race_found(race);
}
