// What the interface keeps for every rank: its handles, error codes and error handlers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "api/handles/errhandler.hpp"
#include "api/handles/error_codes.hpp"
#include "api/handles/freed_comms.hpp"
#include "api/handles/objects.hpp"
#include "api/handles/observer.hpp"
#include "api/handles/type_state.hpp"

namespace ranklet::api {

class Narrator;
class RankChecks;
struct Observers;
struct RunMember;

struct RankState {
  explicit RankState(Rank& rank);
  ~RankState();
  RankState(const RankState&) = delete;
  RankState& operator=(const RankState&) = delete;

  Rank& rank;
  // Calls that need MPI to be initialized may be made: between MPI_Init and MPI_Finalize, or while a session
  // is open. Sessions are opened and closed by any threads.
  bool ready = false;
  // The same, and nobody wants to know of the calls.
  bool unobserved = false;
  // They are told of the calls, in this order. Constant from before MPI is started.
  std::vector<CallObserver*> observers;
  void observe(CallObserver& observer) { observers.push_back(&observer); }
  // Slots of those above this file, for what they keep of the rank; null where they keep nothing.
  Observers* own_observers = nullptr;  // of observers.cpp
  RankChecks* checks = nullptr;        // among these: what the layers below tell the usage checks
  Narrator* narrator = nullptr;        // and a detector of data races
  RunMember* run = nullptr;            // of ranklet::run
  // MPI was started for the program, which may do it once more itself (ranklet::run).
  bool started_for_program = false;
  bool initialized = false;                       // MPI_Init was called
  bool finalizing = false;                        // MPI_Finalize calls delete functions
  bool finalized = false;                         // MPI_Finalize has completed
  ThreadLevel world_level = ThreadLevel::single;  // what MPI_Init_thread gave
  pthread_t main_thread{};                        // the one that called MPI_Init

  // The world model or a session starts, with that level, or ends. The first one makes the rank active.
  void open_instance(ThreadLevel level);
  void close_instance();
  // Whether nothing but the caller's own instance is open.
  bool is_last_instance();

  HandleTable<CommHandle> comms{rank};
  HandleTable<GroupHandle> groups{rank};
  HandleTable<TypeHandle> types{rank};
  // By predefined type, what the shortest way through one-sided calls needs to know of it.
  struct WordType {
    std::uint8_t bytes = 0;  // 0: an element is not a word of 1, 2, 4 or 8 bytes
    enum class Sum : std::uint8_t { none, integers, reals } sum = Sum::none;  // what rma::add() does for it
  };
  WordType words[TypeHandle::count];
  HandleTable<OpHandle> ops{rank};
  HandleTable<RequestHandle> requests{rank};
  HandleTable<InfoHandle> infos{rank};
  HandleTable<ErrhandlerHandle> errhandlers{rank};
  HandleTable<MessageHandle> messages{rank};
  HandleTable<SessionHandle> sessions{rank};
  HandleTable<WinHandle> wins{rank};
  HandleTable<FileHandle> files{rank};
  FreedComms freed_comms;

  DoneRequest done_request{rank};  // of operations that are complete at once

  TypeState type_state;
  io::Representations representations;  // of data in files
  ErrorCodes codes;
  // Whether the program has given MPI_COMM_WORLD, MPI_COMM_SELF an error handler.
  bool world_handler_set = false, self_handler_set = false;
  // The communicator whose handler is called for errors that belong to no object (§9.3): MPI_COMM_SELF; but
  // MPI_COMM_WORLD, as before MPI-4, while that is the only one to which the program has given a handler.
  Communicator& keeper_of_errors() noexcept;
  ErrhandlerPtr initial_handler;  // for what belongs to no object before MPI_Init; null: abort
  // By the value of the info key mpi_initial_errhandler (§11.8.4): mpi_errors_return, mpi_errors_abort;
  // another one means mpi_errors_are_fatal.
  void set_initial_handler(std::string_view name);
  ErrhandlerPtr file_handler;  // of MPI_FILE_NULL: what new files and failing opens use

  // What a Fortran runtime has told about its types (MPI 5.0 §20.2): null and empty until it does. Booleans
  // by the size of LOGICAL: its bytes of .TRUE., then those of .FALSE.
  InfoPtr fortran_info;
  std::map<int, std::vector<std::byte>> fortran_booleans;

 private:
  memmodel::SpinLock<> instances_lock_;
  int instances_ RANKLET_GUARDED_BY(instances_lock_) = 0;
};

// Gives every rank of a job its state. After comm's extension.
Extension extension() noexcept;

}  // namespace ranklet::api
