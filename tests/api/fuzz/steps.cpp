// A rank's run: what it starts with, and one call after the other.
#include <cstdio>

#include "api/fuzz/draw.hpp"

namespace fuzz {

Draw::Draw(const Settings& settings, int rank, Record& record)
    : settings_(settings),
      me_(rank),
      record_(record),
      common_(settings.seed),
      own_(settings.seed * 31 + static_cast<std::uint64_t>(rank) + 7)
{
  comms.null = MPI_COMM_NULL;
  groups.null = MPI_GROUP_NULL;
  types.null = MPI_DATATYPE_NULL;
  ops.null = MPI_OP_NULL;
  requests.null = MPI_REQUEST_NULL;
  infos.null = MPI_INFO_NULL;
  errhandlers.null = MPI_ERRHANDLER_NULL;
  messages.null = MPI_MESSAGE_NULL;
  sessions.null = MPI_SESSION_NULL;
  wins.null = MPI_WIN_NULL;
  files.null = MPI_FILE_NULL;
  constexpr std::size_t arena = std::size_t{3} << 20;
  for (char** place : {&sent_, &received_}) {
    record_.memory.push_back(std::make_unique<char[]>(arena));
    *place = record_.memory.back().get();
  }
}

void Draw::prepare_comms()
{
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &between_);
  const int n = settings_.ranks;
  comms.fixed = 2;
  comms.slot = {MPI_COMM_WORLD, MPI_COMM_SELF};
  for (std::size_t i = 2; i < slots; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms.slot[i]);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, me_ % 2, me_, &half);
  if (n > 1) {
    MPI_Comm_free(&comms.slot[6]);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me_ % 2, 77, &comms.slot[6]);
  }
  const int dims[] = {n}, periods[] = {1};
  MPI_Comm_free(&comms.slot[3]);
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comms.slot[3]);
  const int before[] = {(me_ + n - 1) % n}, after[] = {(me_ + 1) % n};
  MPI_Comm_free(&comms.slot[4]);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, before, MPI_UNWEIGHTED, 1, after, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comms.slot[4]);
  comms.slot[5] = half;
  MPI_Comm_group(MPI_COMM_WORLD, &groups.slot[1]);
  groups.slot[0] = MPI_GROUP_EMPTY;
  groups.fixed = 1;
  for (std::size_t i = 2; i < slots; ++i) MPI_Comm_group(comms.slot[i], &groups.slot[i]);
}

void Draw::prepare_types()
{
  types.slot = {MPI_INT, MPI_DOUBLE, MPI_BYTE, MPI_FLOAT_INT, MPI_PACKED};
  types.fixed = 5;
  MPI_Type_contiguous(3, MPI_INT, &types.slot[5]);
  MPI_Type_vector(3, 2, 3, MPI_SHORT, &types.slot[6]);
  MPI_Type_create_resized(MPI_INT, -4, 12, &types.slot[7]);
  MPI_Type_dup(MPI_C_DOUBLE_COMPLEX, &types.slot[8]);
  MPI_Type_contiguous(0, MPI_INT, &types.slot[9]);
  MPI_Type_contiguous(2, MPI_CHAR, &types.slot[10]);
  MPI_Type_vector(2, 1, 2, MPI_LONG, &types.slot[11]);
  for (std::size_t i = 5; i < 10; ++i) MPI_Type_commit(&types.slot[i]);
  for (std::size_t i = 0; i < 10; ++i) usable_[i] = true;
  ops.slot = {MPI_SUM, MPI_MAX, MPI_MINLOC, MPI_BAND, MPI_REPLACE, MPI_NO_OP, MPI_LAND};
  ops.fixed = 7;
  for (std::size_t i = 7; i < slots; ++i)
    MPI_Op_create(&Callbacks::combine, static_cast<int>(i % 2), &ops.slot[i]);
}

void Draw::prepare_windows()
{
  wins.used = 5;
  void* base = nullptr;
  MPI_Win_create(memory(), 4096, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &wins.slot[0]);
  MPI_Win_allocate(4096, 8, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base), &wins.slot[1]);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &wins.slot[2]);
  MPI_Win_allocate_shared(256, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base), &wins.slot[3]);
  wins.slot[4] = MPI_WIN_NULL;
  for (std::size_t i = 0; i < 4; ++i) {
    MPI_Win_set_errhandler(wins.slot[i], MPI_ERRORS_RETURN);
    if (settings_.job) MPI_Win_lock_all(0, wins.slot[i]);
  }
}

void Draw::prepare()
{
  prepare_comms();
  prepare_types();
  prepare_windows();
  requests.slot.fill(MPI_REQUEST_NULL);
  completes_.fill(true);
  infos.slot[0] = MPI_INFO_ENV;
  infos.fixed = 1;
  for (std::size_t i = 1; i < slots; ++i) MPI_Info_create(&infos.slot[i]);
  errhandlers.slot.fill(MPI_ERRORS_RETURN);
  errhandlers.fixed = 1;
  MPI_Comm_create_errhandler(&Callbacks::handle_error<MPI_Comm>, &errhandlers.slot[1]);
  MPI_Win_create_errhandler(&Callbacks::handle_error<MPI_Win>, &errhandlers.slot[2]);
  MPI_Session_create_errhandler(&Callbacks::handle_error<MPI_Session>, &errhandlers.slot[3]);
  messages.slot.fill(MPI_MESSAGE_NULL);
  messages.slot[0] = MPI_MESSAGE_NO_PROC;
  messages.fixed = 1;
  sessions.used = 3;
  for (std::size_t i = 0; i < 3; ++i) MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &sessions.slot[i]);
  files.used = 1;
  files.slot.fill(MPI_FILE_NULL);
  MPI_Comm_create_keyval(&Callbacks::copy<MPI_Comm>, MPI_COMM_NULL_DELETE_FN, &keyvals_[0], nullptr);
  MPI_Type_create_keyval(&Callbacks::copy<MPI_Datatype>, MPI_TYPE_NULL_DELETE_FN, &keyvals_[1], nullptr);
  MPI_Win_create_keyval(&Callbacks::copy<MPI_Win>, MPI_WIN_NULL_DELETE_FN, &keyvals_[2], nullptr);
}

void Draw::run()
{
  const std::span<const CallOf> calls = all_calls();
  for (int i = 0; i < settings_.steps && !over_; ++i) {
    step_ = &record_.steps[static_cast<std::size_t>(i)];
    record_.step.store(i);
    const std::size_t which = common_() % calls.size();
    // Now and then one rank has other arguments than the rest, in the same call.
    const int odd_one = common_.below(400) == 0 && !settings_.job ? common_.below(settings_.ranks) : -1;
    odd_call_ = odd_one >= 0;
    // Every call takes its numbers from a stream of its own, so that none depends on how many another took.
    const Rng next(common_());
    const Rng rest = common_;
    common_ = next;
    odd_ = odd_one == me_;
    calls[which].call(*this);
    odd_ = false;
    common_ = rest;
    scratch_.clear();
    if (odd_call_) over_ = true;
  }
  record_.owes_receive.store(owes_receive_);
}

void Draw::begin(const char* name, Nature nature, unsigned must_be_right, bool kept)
{
  name_ = name;
  nature_ = nature;
  kept_ = kept;
  unsure_ = nature == Nature::waiting_collective ||
            (nature == Nature::blocking && std::strncmp(name, "MPI_Wait", 8) != 0);
  succeeded_ = false;
  comm_rank_ = me_;
  peers_ = settings_.ranks;
  inter_ = false;
  trace_.clear();
  count_ = below(10);
  type_ = MPI_DATATYPE_NULL;
  const int how_many = below(100);
  bad_ = 0;
  for (int i = 0; i < 2; ++i) {
    const int chosen = below(16);
    const bool anywhere = chance(5);
    unsigned candidate = 1u << chosen;
    if (!anywhere && must_be_right != 0) {
      candidate = must_be_right;
      for (int skip = chosen % __builtin_popcount(must_be_right); skip > 0; --skip)
        candidate &= candidate - 1;
      candidate &= ~(candidate - 1);
    }
    if (how_many >= (i == 0 ? 60 : 90)) bad_ |= candidate;
  }
  doomed_ = (bad_ & must_be_right) != 0;
}

bool Draw::ready()
{
  const bool dare = chance(20);
  if (nature_ == Nature::blocking && unsure_ && !doomed_ && !dare) return false;
  // In a job of mpiexec ranks that wait for each other end it all: only what returns whatever the others do
  // is called.
  if (settings_.job && nature_ != Nature::local && !doomed_) return false;
  step_->may_wait.store(unsure_ || odd_call_);
  step_->name.store(name_);
  step_->reached.store(Reached::called);
  if (settings_.trace)
    std::fprintf(stderr, "rank %d, step %d: %s(%s)\n", me_, record_.step.load(), name_, trace_.c_str());
  return true;
}

void Draw::end(int code)
{
  succeeded_ = code == MPI_SUCCESS;
  step_->name.store(name_);
  step_->reached.store(succeeded_ ? Reached::done : Reached::refused);
  if (succeeded_ && doomed_) fault("takes a wrong argument");
  if (!succeeded_) check_error(code);
  if (settings_.trace)
    std::fprintf(stderr, "rank %d, step %d: %s gives %d\n", me_, record_.step.load(), name_, code);
  if (nature_ != Nature::collective && nature_ != Nature::waiting_collective) return;
  if (!agree()) over_ = true;
}

// Whether all ranks had the same success.
bool Draw::agree()
{
  const int mine[] = {succeeded_ ? 1 : 0, succeeded_ ? 0 : 1};
  int any[] = {0, 0};
  MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, between_);
  return any[0] + any[1] == 1;
}

void Draw::check_error(int code)
{
  int error_class = MPI_SUCCESS, length = 0, *last = nullptr, known = 0;
  char text[MPI_MAX_ERROR_STRING] = "";
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, static_cast<void*>(&last), &known);
  if (MPI_Error_class(code, &error_class) != MPI_SUCCESS || error_class <= MPI_SUCCESS ||
      error_class > (known != 0 ? *last : MPI_ERR_LASTCODE) || error_class == MPI_ERR_UNKNOWN ||
      error_class == MPI_ERR_INTERN)
    fault("gives an error of class " + std::to_string(error_class));
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS || length == 0)
    fault("gives an error without a text");
  if (settings_.trace) std::fprintf(stderr, "rank %d, step %d: %s\n", me_, record_.step.load(), text);
}

void Draw::fault(const std::string& what)
{
  if (record_.fault.empty())
    record_.fault = std::string(name_) + " " + what + " (rank " + std::to_string(me_) + ", step " +
                    std::to_string(record_.step.load()) + ")";
}

}  // namespace fuzz
