// The arguments of the fuzzer's calls, and what it knows of the objects that it made.
//
// All ranks draw from the same stream of random numbers, also for calls that are local: so they make the same
// calls with the same objects, and a collective call meets its like. A rank's own handles and ranks differ: a
// partner is drawn as a distance from the calling rank. Each draw takes as many numbers whatever the objects
// are.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fuzz {

class Draw;
struct CallOf {
  const char* name;
  void (*call)(Draw&);
};
std::span<const CallOf> all_calls();

enum class Kind {
  int_,
  n_,
  rank_,
  dest_,
  source_,
  target_,
  root_,
  tag_,
  anytag_,
  color_,
  partition_,
  keyval_,
  errorcode_,
  errorclass_,
  weight_,
  assert_,
  lock_,
  order_,
  distribution_,
  split_,
  typeclass_,
  bool_,
  count_,
  room_,
  stride_,
  disp_,
  extent_,
  aint_,
  size_,
  wide_,
};

// local: returns whatever others do. blocking: may wait for what another rank, or nobody, does later.
// collective: made by all ranks in step, and followed by a barrier. waiting_collective: both.
enum class Nature { local, blocking, collective, waiting_collective };

// What a rank has come to in one step of a run; others read it when the run has ended or after a barrier.
enum class Reached : std::uint8_t { nothing, called, done, refused };

struct Step {
  std::atomic<const char*> name{nullptr};
  std::atomic<Reached> reached{Reached::nothing};
  std::atomic<bool> may_wait{false};  // nobody has promised that the call returns
};

// One rank's part of a run: it outlives the rank's function, so that memory which MPI knows does too.
struct Record {
  explicit Record(int length) : steps(static_cast<std::size_t>(length)) {}
  std::vector<Step> steps;
  std::atomic<int> step{-1};
  // At its end: MPI_Finalize waits for a freed request whose receive may match nothing.
  std::atomic<bool> owes_receive{false};
  std::vector<std::unique_ptr<char[]>> memory;
  std::string fault;  // what the rank found wrong
};

struct Settings {
  std::uint64_t seed = 0;
  int ranks = 1;
  int steps = 0;
  bool trace = false;
  bool job = false;  // of mpiexec: a rank's own copy of the program, and the short ways into calls
};

class Rng {
 public:
  // Mixed, as a stream would else be that of the seed before, one number later.
  explicit Rng(std::uint64_t seed) : state_(mixed(seed ^ 0x6a09e667f3bcc909u)) {}
  std::uint64_t operator()() { return mixed(state_ += 0x9e3779b97f4a7c15u); }
  int below(int n) { return static_cast<int>((*this)() % static_cast<std::uint64_t>(n)); }
  bool percent(int p) { return below(100) < p; }

 private:
  static std::uint64_t mixed(std::uint64_t z)
  {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  std::uint64_t state_;
};

constexpr int slots = 12;

// The handles of one kind that a rank has: the first `fixed` slots stay as they are.
template <class Handle>
struct Pool {
  Handle null;
  std::array<Handle, slots> slot{};
  int fixed = 0;
  int used = slots;  // how many of the slots are drawn from
  std::deque<Handle> freed;
};

template <class Handle>
struct Place {
  mutable Handle value;  // the call writes it
  int slot = -1;
  bool given = true;
  operator Handle*() const { return given ? &value : nullptr; }
};

template <class Handle>
struct Places {
  std::vector<Handle> values;
  std::vector<int> slot;
  Handle* data = nullptr;
  operator Handle*() const { return data; }
};

class Draw {
 public:
  static constexpr int many = 128;  // elements of an array whose length nobody says

  Draw(const Settings& settings, int rank, Record& record);
  void prepare();
  // Makes calls until the run is over or a rank was refused what others were not.
  void run();

  Pool<MPI_Comm> comms;
  Pool<MPI_Group> groups;
  Pool<MPI_Datatype> types;
  Pool<MPI_Op> ops;
  Pool<MPI_Request> requests;
  Pool<MPI_Info> infos;
  Pool<MPI_Errhandler> errhandlers;
  Pool<MPI_Message> messages;
  Pool<MPI_Session> sessions;
  Pool<MPI_Win> wins;
  Pool<MPI_File> files;

  // One call: begin, the draws, ready (whether to call at all), end with its code, then what it made. Bit i
  // of `must_be_right`: a bad value of parameter i has to be an error.
  void begin(const char* name, Nature nature, unsigned must_be_right, bool kept);
  bool ready();
  void end(int code);

  template <class Handle>
  Handle in(int i, Pool<Handle>& pool, bool nullable, bool committed);
  template <class Handle>
  Place<Handle> out(int i, Pool<Handle>& pool);
  template <class Handle>
  Place<Handle> inout(int i, Pool<Handle>& pool, bool nullable);
  template <class Handle>
  Handle any(Pool<Handle>& pool);
  template <class Handle, class Length>
  Handle* handles(Pool<Handle>& pool, Length length, bool committed);
  template <class Handle, class Length>
  Places<Handle> handles_inout(Pool<Handle>& pool, Length length);
  template <class Handle>
  void made(Pool<Handle>& pool, const Place<Handle>& place);
  template <class Handle>
  void returned(Pool<Handle>& pool, const Place<Handle>& place);
  template <class Handle>
  void returned(Pool<Handle>& pool, const Places<Handle>& places);

  template <class Number>
  Number number(int i, Kind kind)
  {
    return note(static_cast<Number>(clamp<Number>(scalar(i, kind))));
  }
  template <class Number>
  Number length(int i, bool checked)
  {
    return note(static_cast<Number>(length_of(i, checked)));
  }
  template <class Number, class Length>
  const Number* numbers(Kind kind, Length length, bool weights);
  template <class Number>
  Number* place(int i, Kind kind);
  template <class Number, class Length>
  Number* places(Length length)
  {
    return array<Number>(length);
  }
  template <class Type>
  Type* raw_status()
  {
    return reinterpret_cast<Type*>(bytes(64));
  }
  template <class Function>
  Function* function();

  int string_length(int i);
  int* string_length_place(int i);
  const char* text(int i);
  char* room(int i, int length);
  char* buffer(bool written, bool in_place);
  void* memory();
  void* allocated_memory();
  void** pointer_place(int i);
  template <class Length>
  int (*ranges(Length length))[3];
  MPI_Status* status_place();
  template <class Length>
  MPI_Status* statuses(Length length)
  {
    return chance(20) ? MPI_STATUSES_IGNORE : array<MPI_Status>(length);
  }
  MPI_Status* status(int i = -1);

  void allocated(bool by_alloc_mem);
  void new_keyval(const int* place);
  // Makes the message that a receive or probe is to find.
  void companion(int source, int tag, MPI_Comm comm);

 private:
  bool chance(int percent) { return rng().percent(percent); }
  int below(int n) { return rng().below(n); }
  Rng& rng() { return odd_ ? own_ : common_; }
  bool bad(int i) const { return i >= 0 && (bad_ >> i & 1u) != 0; }
  std::int64_t scalar(int i, Kind kind);
  std::int64_t element(Kind kind);
  std::int64_t length_of(int i, bool checked);
  int some_rank(int i, Kind kind);
  int root();
  void look_at(MPI_Comm comm);
  void look_at(MPI_Win win);
  void fault(const std::string& what);
  void check_error(int code);
  bool agree();
  bool usable(MPI_Datatype type);
  void prepare_comms();
  void prepare_types();
  void prepare_windows();
  template <class Handle>
  Handle bad_handle(Pool<Handle>& pool, bool nullable);
  // The handle has ended: later calls try it again.
  template <class Handle>
  static void forget(Pool<Handle>& pool, Handle handle);
  char* bytes(std::size_t length);
  template <class Type, class Length>
  Type* array(Length length)
  {
    return reinterpret_cast<Type*>(bytes(length > 0 ? static_cast<std::size_t>(length) * sizeof(Type) : 0));
  }
  template <class Number>
  static std::int64_t clamp(std::int64_t value)
  {
    if constexpr (sizeof(Number) < 8)
      return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value;
    return value;
  }
  template <class Number>
  Number note(Number value)
  {
    if (settings_.trace) trace_ += " " + std::to_string(static_cast<long long>(value));
    return value;
  }

  const Settings& settings_;
  int me_;
  Record& record_;
  Rng common_;
  Rng own_;
  bool odd_ = false;  // the calling rank draws other arguments than the rest
  MPI_Comm between_ = MPI_COMM_NULL;
  bool over_ = false;

  // The call that is being made.
  const char* name_ = "";
  Nature nature_ = Nature::local;
  Step* step_ = nullptr;
  unsigned bad_ = 0;
  bool doomed_ = false;
  bool kept_ = false;
  bool odd_call_ = false;  // some rank's arguments differ
  bool succeeded_ = false;
  bool unsure_ = false;  // waits for a request that nobody promised to complete
  int comm_rank_ = 0;
  int members_ = 1;
  int peers_ = 1;
  bool inter_ = false;
  // The call's first count and type, which most others are to equal, so that what is sent is what is
  // received.
  int count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::string trace_;
  std::vector<std::unique_ptr<char[]>> scratch_;
  void* pointer_ = nullptr;

  // What is known of the objects.
  std::array<bool, slots> usable_{};      // types: small enough for the buffers, and committed
  std::array<bool, slots> completes_{};   // requests: complete without any further call
  bool owes_receive_ = false;             // a request was made that sends and receives
  std::array<bool, slots> collective_{};  // requests: of a persistent collective operation
  std::array<int, 8> keyvals_{};
  std::array<void*, 4> allocated_{};
  char* sent_ = nullptr;
  char* received_ = nullptr;
};

}  // namespace fuzz

#include "api/fuzz/draw_impl.hpp"
