#include "scheduler.hpp"

#include <memory>
#include <utility>

#include "explorer.hpp"

namespace ranklet::explore {

namespace {

Explorer* present = nullptr;

}  // namespace

void Scenario::thread(std::function<void()> body)
{
  present->add_thread(std::move(body));
}

void Scenario::finally(std::function<void()> check)
{
  present->set_final(std::move(check));
}

Outcome explore(const Options& options, const std::function<void(Scenario&)>& setup)
{
  const auto explorer = std::make_unique<Explorer>(options, setup);
  present = explorer.get();
  const Outcome outcome = explorer->walk();
  present = nullptr;
  return outcome;
}

namespace engine {

int new_location(std::uint64_t value, std::uint64_t mask)
{
  return present->new_location(value, mask);
}
std::uint64_t load(int location, std::memory_order order)
{
  return present->load(location, order);
}
void store(int location, std::uint64_t value, std::memory_order order)
{
  present->store(location, value, order);
}
std::uint64_t update(int location, Update kind, std::uint64_t operand, std::uint64_t expected,
                     std::memory_order order)
{
  return present->update(location, kind, operand, expected, order);
}
int new_datum()
{
  return present->new_datum();
}
void touch(int datum, bool write, std::uint64_t value)
{
  present->touch(datum, write, value);
}
void pass()
{
  present->pass();
}
void full_fence()
{
  present->full_fence();
}
void light_fence()
{
  present->light_fence();
}
void heavy_fence()
{
  present->heavy_fence();
}
void futex_wait(int location, std::uint64_t expected)
{
  present->futex_wait(location, expected);
}
void futex_wake_all(int location)
{
  present->futex_wake_all(location);
}
void check(bool condition, const char* what)
{
  if (!condition) present->fail(what);
}
Turn begin_turn()
{
  return present->begin_turn();
}
void end_turn(const Turn& turn)
{
  present->end_turn(turn);
}

}  // namespace engine

}  // namespace ranklet::explore
