#include "ranks/request.hpp"

#include "ranks/wait.hpp"

namespace ranklet {

void wait(Rank& self, Request& request)
{
  do {
    memmodel::Parking<>& place = request.place();
    wait_until(
        self, place, [&] { return request.advance() || &request.place() != &place; },
        [&] { return request.complete() || request.ready_to_advance(); });
  } while (!request.complete());
}

void Request::sleep_at(memmodel::Parking<>* place) noexcept
{
  place_ = place && owner_->job.wait_policy().spins == 0 ? place : &owner_->parking;
}

}  // namespace ranklet
