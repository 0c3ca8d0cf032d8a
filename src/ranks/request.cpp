#include "ranks/request.hpp"

#include "ranks/wait.hpp"

namespace ranklet {

void wait(Rank& self, Request& request)
{
  wait_until(
      self, self.parking, [&] { return request.advance(); },
      [&] { return request.complete() || request.ready_to_advance(); });
}

}  // namespace ranklet
