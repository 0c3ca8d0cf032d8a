#include "api/fuzz/draw.hpp"

#include <cstdio>

namespace fuzz {
namespace {

constexpr std::size_t in_arena = std::size_t{1} << 20;
// What a type may span and hold, so that the largest operation stays inside the arenas.
constexpr MPI_Count largest_type = 4096;
constexpr std::size_t given_memory = 8192;

constexpr std::int64_t extremes[] = {INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, std::int64_t{1} << 40, -1};

}  // namespace

char* Draw::bytes(std::size_t length)
{
  // Exactly as long as the call may use, so that AddressSanitizer sees what goes beyond.
  auto memory = std::make_unique<char[]>(length == 0 ? 1 : length);
  char* const place = memory.get();
  (kept_ ? record_.memory : scratch_).push_back(std::move(memory));
  return place;
}

int Draw::root()
{
  const int chosen = below(64);
  if (!inter_) return chosen % peers_;
  // The processes of even rank are the group of the root (prepare_comms).
  if (me_ % 2 != 0) return chosen % peers_;
  return chosen % members_ == comm_rank_ ? MPI_ROOT : MPI_PROC_NULL;
}

int Draw::some_rank(int i, Kind kind)
{
  const int wrong[] = {-5, peers_, peers_ + 7, INT32_MAX, INT32_MIN};
  const int chosen = below(64);
  const int way = below(100);
  if (bad(i)) return wrong[chosen % 5];
  if (kind == Kind::rank_) return way < 10 ? wrong[chosen % 5] : (comm_rank_ + chosen) % peers_;
  if (way < 15) return MPI_PROC_NULL;
  if (way < 35 && kind == Kind::source_) return MPI_ANY_SOURCE;
  return (comm_rank_ + chosen) % peers_;
}

std::int64_t Draw::scalar(int i, Kind kind)
{
  const int small = below(12);
  const std::int64_t extreme = extremes[below(6)];
  const int way = below(100);
  const bool wrong = bad(i);
  switch (kind) {
    case Kind::dest_:
    case Kind::source_:
    case Kind::target_:
    case Kind::rank_:
      return some_rank(i, kind);
    case Kind::root_: {
      const int there = root();
      constexpr int none[] = {-1, -7, INT32_MIN};
      return !wrong ? there : small % 2 == 0 ? peers_ + small : none[small / 2 % 3];
    }
    case Kind::n_:
      return wrong ? (way < 50 ? -1 : INT32_MIN) : small % 9;
    case Kind::count_:
      if (wrong) return way < 50 ? -1 : way < 75 ? INT32_MIN : INT64_MIN;
      if (doomed_ && way < 20) return extreme < 0 ? INT32_MAX : extreme;
      return way < 90 ? count_ : small % 10;
    case Kind::size_:
      if (wrong) return way < 50 ? -1 : INT64_MIN;
      if (way < 10 && std::strstr(name_, "lloc")) return extreme < 0 ? INT64_MAX : extreme;
      return small * 341;
    case Kind::room_:
      return wrong ? -1 - small : small * 341;
    case Kind::tag_:
      if (wrong) return way < 40 ? -1 : way < 80 ? MPI_ANY_TAG : INT32_MIN;
      return way < 80 ? small % 3 : way < 90 ? INT32_MAX : 12345;
    case Kind::anytag_:
      if (wrong) return way < 50 ? -1 : INT32_MIN;
      return way < 30 ? MPI_ANY_TAG : small % 3;
    case Kind::color_:
      return way < 80 ? small % 3 : way < 90 ? MPI_UNDEFINED : extreme;
    case Kind::partition_:
      if (way < 95) return small % 9;
      return std::strstr(name_, "_init") && extreme > 0 ? 100000 : extreme;
    case Kind::keyval_: {
      constexpr int predefined[] = {MPI_TAG_UB,        MPI_IO,    MPI_WIN_BASE, MPI_WIN_MODEL,
                                    MPI_UNIVERSE_SIZE, MPI_APPNUM};
      constexpr int none[] = {MPI_KEYVAL_INVALID, -9, 7, 1 << 30};
      if (wrong) return none[small % 4];
      return way < 25 ? predefined[small % 6] : keyvals_[static_cast<std::size_t>(small) % keyvals_.size()];
    }
    case Kind::errorcode_:
    case Kind::errorclass_:
      return way < 50 ? small * 6 : way < 90 ? 4096 + small : extreme;
    case Kind::assert_:
      return way < 70 ? 0 : way < 95 ? (small % 4 + 1) * 1024 : extreme;
    case Kind::lock_:
      return wrong ? 300 - small : small % 2 == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
    case Kind::order_:
      return way < 45 ? MPI_ORDER_C : way < 90 ? MPI_ORDER_FORTRAN : small;
    case Kind::distribution_:
      return MPI_DISTRIBUTE_NONE + small % 4;
    case Kind::split_:
      return way < 90 ? MPI_COMM_TYPE_SHARED + small % 4 : extreme;
    case Kind::typeclass_:
      return way < 90 ? MPI_TYPECLASS_INTEGER + small % 3 : extreme;
    case Kind::bool_:
      return small % 3;
    case Kind::disp_:
      return way < 80 ? 1 << small % 4 : way < 95 ? small - 2 : extreme;
    case Kind::stride_:
    case Kind::extent_:
      return way < 92 ? small * 2 - 8 : extreme;
    case Kind::aint_:
    case Kind::wide_:
      return way < 85 ? small * 4 : extreme;
    default:
      return way < 92 ? small - 1 : extreme;
  }
}

std::int64_t Draw::element(Kind kind)
{
  const int small = below(10);
  const std::int64_t extreme = extremes[below(6)];
  // Elsewhere the numbers are lengths and places in buffers, or lengths of other arrays.
  const bool far = below(100) < 4 && std::strncmp(name_, "MPI_Type_", 9) == 0;
  if (far) return extreme;
  switch (kind) {
    case Kind::count_:
    case Kind::disp_:
      return small;
    case Kind::aint_:
      return small * 8;
    case Kind::stride_:
    case Kind::extent_:
      return small * 4 - 8;
    case Kind::distribution_:
      return MPI_DISTRIBUTE_NONE + small % 4;
    case Kind::bool_:
      return small % 2;
    case Kind::rank_:
      return small == 9 ? -1 : (comm_rank_ + small) % (peers_ + (small == 8));
    default:
      return small - 1;
  }
}

std::int64_t Draw::length_of(int i, bool checked)
{
  const int chosen = below(9);
  return bad(i) && checked ? -1 - chosen : chosen;
}

int Draw::string_length(int i)
{
  const int chosen = below(200);
  return bad(i) ? -1 : chosen;
}

int* Draw::string_length_place(int i)
{
  const int chosen = below(200);
  if (bad(i)) return nullptr;
  int* const place = array<int>(1);
  *place = chosen;
  return place;
}

const char* Draw::text(int i)
{
  constexpr const char* words[] = {
      "",         "key",  "native", "external32",     "mpi://WORLD", "mpi://SELF", "mpi_assert_no_any_source",
      "no_locks", "true", "false",  "accumulate_ops", " padded "};
  const int chosen = below(14);
  if (bad(i)) return nullptr;
  const std::string word =
      chosen < 12 ? words[chosen] : std::string(chosen == 12 ? std::size_t{300} : std::size_t{3000}, 'x');
  char* const place = bytes(word.size() + 1);
  std::memcpy(place, word.c_str(), word.size() + 1);
  return place;
}

char* Draw::room(int i, int length)
{
  return bad(i) ? nullptr : bytes(static_cast<std::size_t>(length < 1 ? 1 : length));
}

char* Draw::buffer(bool written, bool in_place)
{
  const int way = below(100);
  const int offset = below(8) * 16;
  if (way < 5 && in_place && doomed_) return static_cast<char*>(way % 2 ? MPI_IN_PLACE : MPI_BUFFER_AUTOMATIC);
  if (way < 15 && doomed_) return nullptr;
  return (written ? received_ : sent_) + in_arena + offset;
}

void* Draw::memory()
{
  record_.memory.push_back(std::make_unique<char[]>(given_memory));
  return record_.memory.back().get();
}

void* Draw::allocated_memory()
{
  void*& place = allocated_[static_cast<std::size_t>(below(4))];
  void* const memory = place;
  place = nullptr;
  return memory;
}

void** Draw::pointer_place(int i)
{
  pointer_ = nullptr;
  return bad(i) ? nullptr : &pointer_;
}

void Draw::allocated(bool by_alloc_mem)
{
  if (by_alloc_mem && succeeded_) allocated_[static_cast<std::size_t>(below(4))] = pointer_;
}

void Draw::new_keyval(const int* place)
{
  if (succeeded_ && place) keyvals_[static_cast<std::size_t>(below(8))] = *place;
}

MPI_Status* Draw::status_place()
{
  return chance(20) ? MPI_STATUS_IGNORE : array<MPI_Status>(1);
}

MPI_Status* Draw::status(int i)
{
  MPI_Status* const place = array<MPI_Status>(1);
  return bad(i) ? nullptr : place;
}

void Draw::look_at(MPI_Comm comm)
{
  int inter = 0;
  comm_rank_ = 0;
  members_ = peers_ = 1;
  if (MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) inter = 0;
  inter_ = inter != 0;
  MPI_Comm_rank(comm, &comm_rank_);
  MPI_Comm_size(comm, &members_);
  peers_ = members_;
  if (inter_) MPI_Comm_remote_size(comm, &peers_);
}

void Draw::look_at(MPI_Win win)
{
  MPI_Group group = MPI_GROUP_NULL;
  comm_rank_ = 0;
  peers_ = 1;
  if (MPI_Win_get_group(win, &group) != MPI_SUCCESS) return;
  MPI_Group_rank(group, &comm_rank_);
  MPI_Group_size(group, &peers_);
  MPI_Group_free(&group);
}

bool Draw::usable(MPI_Datatype type)
{
  MPI_Count lb = 0, extent = 0, true_lb = 0, true_extent = 0, size = 0;
  if (MPI_Type_get_extent_c(type, &lb, &extent) != MPI_SUCCESS) return false;
  MPI_Type_get_true_extent_c(type, &true_lb, &true_extent);
  MPI_Type_size_c(type, &size);
  for (const MPI_Count value : {lb, extent, true_lb, true_extent, size})
    if (value < -largest_type || value > largest_type) return false;
  return true;
}

void Draw::companion(int source, int tag, MPI_Comm comm)
{
  if (doomed_ || odd_ || inter_ || source == MPI_PROC_NULL) return;
  const int distance = source < 0 ? 1 : source - comm_rank_;
  const int dest = (comm_rank_ - distance + 2 * peers_) % peers_;
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Isend(sent_ + in_arena, 3, MPI_INT, dest, tag < 0 ? 1 : tag, comm, &request) == MPI_SUCCESS)
    MPI_Request_free(&request);
}

}  // namespace fuzz
