// Generalized requests (MPI 5.0 §13.2): operations that the program itself carries out and completes.
#pragma once

#include "api/handles/objects.hpp"
#include "api/handles/rank_state.hpp"

namespace ranklet::api {

// Active from its start. Its callbacks run in the calls of its rank: query in those that complete the request
// or look at its status, free when it is complete and was waited for or let go of, cancel in MPI_Cancel.
// Error codes that they return are given to the caller as they are: errors of this request have no text of
// their own.
//
// Thread safety: one thread may complete the request while another waits for it, or lets go of it.
class GeneralizedRequest final : public Request {
 public:
  GeneralizedRequest(Rank& owner, MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                     MPI_Grequest_cancel_function* cancel_fn, void* extra_state) noexcept;

  // MPI_Grequest_complete. True: it was let go of before, so that the caller has to dispose of it; else it
  // may be gone when this returns. Errors: request, if it is complete already.
  bool end();
  // MPI_Request_free. True: it is complete, so that the caller has to dispose of it; else who calls end() has
  // to.
  bool let_go();
  // Calls the free function. Errors: what it returns.
  void free();

  bool advance() override { return complete(); }
  bool ready_to_advance() const noexcept override { return complete(); }
  ErrorClass reap(Status* status) override;
  void peek(Status* status) const override;
  void cancel() override;
  void release() override { delete this; }

 private:
  // Of the two, completion and letting go, those that have happened.
  memmodel::Counter<> ends_;
  MPI_Grequest_query_function* const query_;
  MPI_Grequest_free_function* const free_;
  MPI_Grequest_cancel_function* const cancel_;
  void* const extra_state_;
};

// Calls the free function, then ends the handle at `place` and the request, also when the function fails:
// until then the program's copies of the handle are valid. Errors: what the function returns.
void dispose(RankState& state, MPI_Request* place, GeneralizedRequest& request);

}  // namespace ranklet::api
