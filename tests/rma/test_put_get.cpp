// Puts and gets between random datatypes, byte by byte.
#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <random>

#include "datatype/random_type.hpp"
#include "rma/world.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using ranklet::test::on_ranks;
using ranklet::test::rounds;
using reference::Both;
using reference::Random;

namespace {

constexpr Count room = 40'000;  // bytes of a window

std::vector<Basic> signature_of(const Both& type)
{
  std::vector<Basic> signature;
  for (const auto& entry : type.plain.map) signature.push_back(entry.basic);
  return signature;
}

// A type to send and one to receive into, both with data; a displacement at which the latter fits the window.
struct Case {
  Both origin;
  Both target;
  Count disp;
};

Case draw(Random& random)
{
  for (;;) {
    Case c;
    c.origin = random_type(random, 3);
    if (c.origin.plain.map.empty() || c.origin.plain.map.size() > 100) continue;
    c.target = random_receiver(random, signature_of(c.origin));
    const Count low = c.target.plain.true_lb(), high = c.target.plain.true_ub();
    if (high - low > room) continue;
    c.disp = random(-low, room - high);
    return c;
  }
}

// Random bytes that hold one element; address() is what the call gets.
class Data {
 public:
  Data(Random& random, const Both& type)
      : low_(type.plain.true_lb()), bytes_(static_cast<std::size_t>(type.plain.true_ub() - low_))
  {
    for (char& byte : bytes_) byte = static_cast<char>(random(0, 255));
  }
  char* address() { return bytes_.data() - low_; }
  char at(Count place) const { return bytes_[static_cast<std::size_t>(place - low_)]; }
  bool operator==(const Data&) const = default;

 private:
  Count low_;
  std::vector<char> bytes_;
};

std::vector<Count> places(const Both& type)
{
  return byte_map(type.plain, 1);
}

}  // namespace

TEST_CASE("puts and gets move every byte to its place, and no other")
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  on_ranks(2, [&](Communicator& world) {
    Window* const window = rma::allocate(world, room, 1, nullptr, false);
    if (world.rank() == 0) {
      Random random(seed);
      for (int round = 0; round < rounds; ++round) {
        const Case c = draw(random);
        const int target = static_cast<int>(random(0, 1));
        const rma::TargetData there{target, c.disp, 1, c.target.real.get()};
        char* const memory = window->target(target).base;
        rma::lock(*window, true, target, 0);
        std::memset(memory, 0x33, room);
        Data data(random, c.origin);
        rma::put(*window, {data.address(), 1, c.origin.real.get()}, there);

        const std::vector<Count> from = places(c.origin), to = places(c.target);
        std::vector<char> expected(room, 0x33);
        for (std::size_t i = 0; i < from.size(); ++i)
          expected[static_cast<std::size_t>(c.disp + to[i])] = data.at(from[i]);
        const bool put_right = std::memcmp(memory, expected.data(), room) == 0;

        // Back into a type without overlaps, as a get's origin needs it.
        const Both back = random_receiver(random, signature_of(c.origin));
        Data got(random, back);
        const Data before = got;
        rma::get(*window, {got.address(), 1, back.real.get()}, there);
        const std::vector<Count> home = places(back);
        Data wanted = before;
        for (std::size_t i = 0; i < home.size(); ++i) wanted.address()[home[i]] = memory[c.disp + to[i]];
        rma::unlock(*window, target);
        if (!put_right || !(got == wanted)) {
          CAPTURE(round);
          CHECK(put_right);
          CHECK(got == wanted);
        }
      }
    }
    rma::free(*window);
  });
}

TEST_CASE("data that leave the window are refused, and nothing is written")
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  on_ranks(1, [&](Communicator& world) {
    Window* const window = rma::allocate(world, room, 1, nullptr, false);
    Random random(seed);
    rma::lock(*window, true, 0, 0);
    std::memset(window->own().base, 0x33, room);
    for (int round = 0; round < 200; ++round) {
      const Case c = draw(random);
      Data data(random, c.origin);
      const Count before = -c.target.plain.true_lb() - 1, behind = room - c.target.plain.true_ub() + 1;
      for (const Count disp : {before, behind, Count{1} << 62, -(Count{1} << 62)}) {
        ErrorClass error = ErrorClass::success;
        try {
          rma::put(*window, {data.address(), 1, c.origin.real.get()}, {0, disp, 1, c.target.real.get()});
        } catch (const Error& caught) {
          error = caught.error_class();
        }
        CHECK(error == ErrorClass::rma_range);
      }
    }
    CHECK(std::string(window->own().base, room) == std::string(room, 0x33));
    rma::unlock(*window, 0);
    rma::free(*window);
  });
}

TEST_CASE("in a dynamic window what is not attached is refused, also where it wraps around address 0")
{
  on_ranks(1, [&](Communicator& world) {
    Window* const window = rma::create_dynamic(world, nullptr);
    char memory[16] = {}, data[5] = {};
    rma::attach(*window, memory, sizeof memory);
    rma::lock(*window, true, 0, 0);
    Datatype& type = predefined(Basic::byte);
    const Count base = reinterpret_cast<Count>(memory);
    const auto put_at = [&](Count disp) {
      rma::put(*window, {data, 5, &type}, {0, disp, 5, &type});
    };
    put_at(base + 11);
    for (const Count disp : {base - 1, base + 12, Count{-1}, Count{-5}, Count{0}, std::numeric_limits<Count>::max(),
                             std::numeric_limits<Count>::min()}) {
      ErrorClass error = ErrorClass::success;
      try {
        put_at(disp);
      } catch (const Error& caught) {
        error = caught.error_class();
      }
      CHECK(error == ErrorClass::rma_range);
    }
    rma::unlock(*window, 0);
    rma::detach(*window, memory);
    rma::free(*window);
  });
}
