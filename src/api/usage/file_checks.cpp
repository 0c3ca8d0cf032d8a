// What the usage checks learn of calls on files (check/file_accesses.hpp).
#include <algorithm>

#include "api/usage/arguments.hpp"
#include "api/usage/rank_checks.hpp"
#include "datatype/checked.hpp"
#include "datatype/cursor.hpp"

namespace ranklet::api {

namespace {

constexpr std::size_t most_pieces = 4096;  // of an access that is compared

check::FileMember file_member_of(const File& file)
{
  return {file.shared_part(), file.comm().size(), file.comm().rank()};
}

bool by_shared_pointer(std::string_view name)
{
  return name.find("_shared") != name.npos || name.find("_ordered") != name.npos;
}

// Bytes [begin, begin + bytes) of the view, as they lie in the file; empty if there are too many pieces.
std::vector<check::Range> pieces_of(const io::View& view, Count begin, Count bytes)
{
  std::vector<check::Range> pieces;
  if (bytes <= 0 || !view.has_data()) return pieces;
  const Datatype& form = view.form();
  const Count last = checked_add(begin, bytes - 1);
  view.place_of(last);  // fits 64 bits
  const Count tile = begin / form.size();
  const Count base = checked_add(view.displacement(), checked_mul(tile, form.extent()));
  Cursor cursor(form, last / form.size() - tile + 1, begin % form.size());
  while (bytes > 0 && cursor.fill()) {
    const auto at = static_cast<std::uintptr_t>(base + cursor.place());
    const Count run = std::min(cursor.left_in_run(), bytes);
    const check::Range piece{at, at + static_cast<std::uintptr_t>(run)};
    if (!pieces.empty() && pieces.back().end == piece.begin)
      pieces.back().end = piece.end;
    else
      pieces.push_back(piece);
    if (pieces.size() > most_pieces) return {};
    cursor.use_bytes(run);
    bytes -= run;
  }
  std::ranges::sort(pieces, {}, &check::Range::begin);
  return pieces;
}

// The same for views that show the same bytes as the same etypes, as far as they are looked at.
// Errors: value_too_large.
std::uint64_t shape_of(const io::View& view)
{
  std::uint64_t shape = 0;
  const auto add = [&](Count value) {
    shape = (shape ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u;
    shape ^= shape >> 32;
  };
  add(view.displacement());
  add(view.etype_size());
  const Datatype& form = view.form();
  add(form.size());
  add(form.extent());
  for (const check::Range& piece : pieces_of(view, 0, std::min<Count>(form.size(), most_pieces))) {
    add(static_cast<Count>(piece.begin));
    add(static_cast<Count>(piece.end));
  }
  return shape;
}

}  // namespace

// Before the call: its file pointer is where it begins.
void RankChecks::file_call_starts(const Call& call, const CallPlan& plan, Open& open)
{
  const std::string_view name = call.function().name;
  const int fh = find_parameter(call.function(), "fh");
  if (name == "MPI_File_open" || fh < 0) return;
  if (failed_open_ && !call.function().parameters[static_cast<std::size_t>(fh)].pointer &&
      call.word_of(fh) == reinterpret_cast<Word>(MPI_FILE_NULL)) {
    report(check::Finding::Weight::error, "a file is used whose opening has failed", "MPI 5.0 §14.7",
           record(call).get(), failed_open_.get());
    failed_open_ = {};
  }
  File* const file = file_of(call);
  if (!file) return;
  if (by_shared_pointer(name) && !plan.buffers.empty()) {
    if (const Ref<const RecordedCall> other =
            state_.rank.job.checks->file_accesses.other_view(file_member_of(*file)))
      report(check::Finding::Weight::error,
             "the shared file pointer is used, and the members' views of the file differ", "MPI 5.0 §14.4.4",
             record(call).get(), other.get());
    return;
  }
  if (plan.buffers.empty()) {
    if (name.ends_with("_end")) open.split_ended = file;
    return;
  }
  const Arguments arguments(state_, call);
  const Datatype* const type = arguments.type(arguments.word("datatype"));
  const Count count = arguments.word("count");
  if (!type || count <= 0) return;
  const io::View& view = *file->view;
  const Count etypes = arguments.has("offset") ? arguments.word("offset") : file->pointer.value();
  // The view knows how long an etype is in the file: a representation of the program's own is not asked here,
  // where its function could not call MPI.
  const Count etype = view.etype().size();
  if (etypes < 0 || etype == 0) return;
  const Count length = checked_mul(checked_mul(count, type->size()) / etype, view.etype_size());
  check::FileAccess access;
  access.writes = plan.buffers[0].read;  // from memory
  access.atomic = file->atomic;
  access.pieces = pieces_of(view, checked_mul(etypes, view.etype_size()), length);
  access.call = Ref<const RecordedCall>(*open.record);
  open.file_access = std::move(access);
}

// A null handle is that of the failed opening unless another file was opened or closed since.
void RankChecks::note_opening(const Call& call, bool success)
{
  const std::string_view name = call.function().name;
  const bool opens = name == "MPI_File_open";
  if (opens && !success)
    failed_open_ = record(call);
  else if (opens || name == "MPI_File_close")
    failed_open_ = {};
}

void RankChecks::file_call_ended(const Call& call, Open& open)
{
  const std::string_view name = call.function().name;
  File* const file = file_of(call);
  if (!file) return;
  check::FileAccesses& accesses = state_.rank.job.checks->file_accesses;
  if (name == "MPI_File_sync")
    accesses.synced(file_member_of(*file));
  else if (name == "MPI_File_set_view") {
    check::FileView view{0, Ref<const RecordedCall>(*record(call))};
    try {
      view.shape = shape_of(*file->view);
    } catch (const Error&) {
      // Nobody can use it.
    }
    accesses.viewed(file_member_of(*file), std::move(view));
  }
  // The buffer is the operation's until the second half (§14.4.5).
  if (name.ends_with("_begin"))
    for (check::BufferUse& use : open.uses) pending_.add(file, std::move(use));
  if (!open.file_access) return;
  const bool writes = open.file_access->writes;
  const auto conflict = accesses.add(file_member_of(*file), std::move(*open.file_access));
  if (!conflict) return;
  const std::string where = ", from byte " + std::to_string(conflict->first) + " on";
  if (conflict->both_write)
    report(check::Finding::Weight::error,
           "two ranks write the same data of the file" + where + ", with no MPI_File_sync between",
           "MPI 5.0 §14.6.1", open.record.get(), conflict->other.get());
  else
    report(check::Finding::Weight::advice,
           std::string(writes ? "data of the file is written that another rank has read"
                              : "data of the file is read that another rank has written") +
               where + ", with no MPI_File_sync between: elsewhere the old data may be read",
           "MPI 5.0 §14.6.1", open.record.get(), conflict->other.get());
}

}  // namespace ranklet::api
