// Ranks with engines and one communicator over all of them, for the tests of this folder.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "p2p/p2p.hpp"
#include "support/members.hpp"

namespace ranklet::test {

inline Datatype& int_type()
{
  return predefined(Basic::int_);
}

inline const Datatype& byte_type()
{
  return predefined(Basic::byte);
}

// A message without data, and the wait for it.
inline void tell(Communicator& world, int dest)
{
  p2p::send(world, p2p::Mode::standard, nullptr, 0, int_type(), dest, 1000);
}
inline void hear(Communicator& world, int source)
{
  p2p::receive(world, nullptr, 0, int_type(), source, 1000, nullptr);
}

// Waits for the request, and says how it ended.
inline ErrorClass complete(Communicator& world, Request& request, Status* status = nullptr)
{
  wait(world.self(), request);
  return request.reap(status);
}

// Runs body(world) on each of n ranks, with engines and a waiting policy added to the options. cores: what
// that believes in.
inline void on_ranks(int n, JobOptions options, const std::function<void(Communicator&)>& body, int cores = 2,
                     ThreadLevel level = ThreadLevel::single)
{
  options.extensions = {p2p::extension()};
  options.wait = WaitPolicy::automatic(n, cores);
  Job job(n, options);
  run_members(job, level, Initialized::no, body);
}

inline void on_ranks(int n, const std::function<void(Communicator&)>& body, int cores = 2,
                     ThreadLevel level = ThreadLevel::single, std::size_t eager_limit = 16384)
{
  JobOptions options;
  options.eager_limit = eager_limit;
  on_ranks(n, options, body, cores, level);
}

}  // namespace ranklet::test
