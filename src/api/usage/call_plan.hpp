// What the usage checks need to know of every function, found out once from the table: which parameters are
// requests and the buffers of messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/handles/functions.hpp"

namespace ranklet::api {

// Indices of parameters, -1 for none.
struct BufferPlan {
  int address = -1;
  int count = -1;
  int type = -1;
  // MPI_PROC_NULL here, or MPI_MESSAGE_NO_PROC, means that the buffer is not read, or not written.
  int dest = -1;
  int source = -1;
  int message = -1;
  bool read = false;
  bool written = false;
};

enum class RequestUse {
  none,
  makes,     // starts an operation
  prepares,  // makes a persistent request
  starts,
  completes,  // waits or tests
  asks,       // MPI_Request_get_status and its like
  frees,
  readies,  // MPI_Pready and its like
  arrives,  // MPI_Parrived
};

// Which data a collective moves.
enum class CollectivePattern {
  none,   // no collective
  order,  // only its place among the others is compared
  bcast,
  gather,
  scatter,
  allgather,
  alltoall,
  neighbor_allgather,
  neighbor_alltoall,
  operands,  // all members give vectors of one length
};

struct CallPlan {
  RequestUse use = RequestUse::none;
  int request = -1;
  int length = -1;                  // of the array of requests; -1: it is one
  std::vector<BufferPlan> buffers;  // of point-to-point calls and access to files
  CollectivePattern pattern = CollectivePattern::none;
  std::string collective;       // its name
  const char* rule = "";        // of its arguments
  bool uses_operator = false;   // combines data
  bool is_partitioned = false;  // prepares a send or receive by parts
  bool is_exscan = false;       // in any of its forms
  bool is_window_call = false;
  bool is_file_call = false;
  bool any_thread = false;  // may be called by any thread at any time, whatever the thread level
  int made_keyval = -1;
  int freed_keyval = -1;
};

const CallPlan& plan_of(const FunctionInfo& function);

// The parameter of that name, or -1.
int find_parameter(const FunctionInfo& function, std::string_view name);

}  // namespace ranklet::api
