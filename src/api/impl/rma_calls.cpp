// One-sided operations (MPI 5.0 §12.3).
#include "api/impl/impl.hpp"

namespace ranklet::api::impl {

namespace {

using rma::OriginData;
using rma::TargetData;

OriginData origin_data(const void* address, Count count, const Datatype& type)
{
  return {const_cast<void*>(address), count, &type};
}

// §12.3.5
void check_passive(Window& win, int target)
{
  if (target != proc_null) win.check_passive(target);
}

// Operations are complete when they return: so is the request. It is one for all, and stays, unless somebody
// follows the operations.
Request* done_request(Rank& self)
{
  return self.api->narrator ? new DoneRequest(self, DoneRequest::Of::one) : &self.api->done_request;
}

}  // namespace

void Put(Rank&, const void* origin_addr, Count origin_count, Datatype& origin_datatype, int target_rank,
         Count target_disp, Count target_count, Datatype& target_datatype, Window& win)
{
  rma::put(win, origin_data(origin_addr, origin_count, origin_datatype),
           {target_rank, target_disp, target_count, &target_datatype});
}

void Get(Rank&, void* origin_addr, Count origin_count, Datatype& origin_datatype, int target_rank,
         Count target_disp, Count target_count, Datatype& target_datatype, Window& win)
{
  rma::get(win, origin_data(origin_addr, origin_count, origin_datatype),
           {target_rank, target_disp, target_count, &target_datatype});
}

void Accumulate(Rank&, const void* origin_addr, Count origin_count, Datatype& origin_datatype,
                int target_rank, Count target_disp, Count target_count, Datatype& target_datatype, Op& op,
                Window& win)
{
  rma::accumulate(win, origin_data(origin_addr, origin_count, origin_datatype),
                  {target_rank, target_disp, target_count, &target_datatype}, op);
}

void Get_accumulate(Rank&, const void* origin_addr, Count origin_count, Datatype* origin_datatype,
                    void* result_addr, Count result_count, Datatype& result_datatype, int target_rank,
                    Count target_disp, Count target_count, Datatype& target_datatype, Op& op, Window& win)
{
  rma::get_accumulate(win, {const_cast<void*>(origin_addr), origin_count, origin_datatype},
                      origin_data(result_addr, result_count, result_datatype),
                      {target_rank, target_disp, target_count, &target_datatype}, op);
}

void Fetch_and_op(Rank&, const void* origin_addr, void* result_addr, Datatype& datatype, int target_rank,
                  Count target_disp, Op& op, Window& win)
{
  rma::fetch_and_op(win, origin_addr, result_addr, datatype, target_rank, target_disp, op);
}

void Compare_and_swap(Rank&, const void* origin_addr, const void* compare_addr, void* result_addr,
                      Datatype& datatype, int target_rank, Count target_disp, Window& win)
{
  rma::compare_and_swap(win, origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp);
}

void Rput(Rank& self, const void* origin_addr, Count origin_count, Datatype& origin_datatype, int target_rank,
          Count target_disp, Count target_count, Datatype& target_datatype, Window& win, Request*& request)
{
  check_passive(win, target_rank);
  Put(self, origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
      target_datatype, win);
  request = done_request(self);
}

void Rget(Rank& self, void* origin_addr, Count origin_count, Datatype& origin_datatype, int target_rank,
          Count target_disp, Count target_count, Datatype& target_datatype, Window& win, Request*& request)
{
  check_passive(win, target_rank);
  Get(self, origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
      target_datatype, win);
  request = done_request(self);
}

void Raccumulate(Rank& self, const void* origin_addr, Count origin_count, Datatype& origin_datatype,
                 int target_rank, Count target_disp, Count target_count, Datatype& target_datatype, Op& op,
                 Window& win, Request*& request)
{
  check_passive(win, target_rank);
  Accumulate(self, origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, op, win);
  request = done_request(self);
}

void Rget_accumulate(Rank& self, const void* origin_addr, Count origin_count, Datatype* origin_datatype,
                     void* result_addr, Count result_count, Datatype& result_datatype, int target_rank,
                     Count target_disp, Count target_count, Datatype& target_datatype, Op& op, Window& win,
                     Request*& request)
{
  check_passive(win, target_rank);
  Get_accumulate(self, origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
                 target_rank, target_disp, target_count, target_datatype, op, win);
  request = done_request(self);
}

}  // namespace ranklet::api::impl
