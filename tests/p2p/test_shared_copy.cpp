#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "p2p/shared_copy.hpp"

using namespace ranklet;
using p2p::SharedCopy;

namespace {

// The sender's thread: joins again and again, as who waits for the request does.
class Joiner {
 public:
  explicit Joiner(SharedCopy& shared)
      : thread_([this, &shared] {
          while (!stop_.load()) shared.join();
        })
  {
  }
  ~Joiner()
  {
    stop_.store(true);
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

std::vector<double> numbers(std::size_t n)
{
  std::vector<double> result(n);
  std::iota(result.begin(), result.end(), 1.0);
  return result;
}

}  // namespace

TEST_CASE("a shared copy moves every byte, with nobody, one or two to help")
{
  const Datatype& number = predefined(Basic::double_);
  for (const std::size_t n : {std::size_t{1}, std::size_t{17}, std::size_t{1000}, std::size_t{300'000}}) {
    CAPTURE(n);
    const std::vector<double> from = numbers(n);
    for (int helpers = 0; helpers <= 2; ++helpers) {
      CAPTURE(helpers);
      for (int round = 0; round < (n > 1000 ? 10 : 50); ++round) {
        SharedCopy shared;
        std::vector<std::unique_ptr<Joiner>> joiners;
        for (int i = 0; i < helpers; ++i) joiners.push_back(std::make_unique<Joiner>(shared));
        std::vector<double> to(n, 0.0);
        const auto count = static_cast<Count>(n);
        CHECK(shared.offer(from.data(), count, number, to.data(), count, number));
        CHECK(to == from);
      }
    }
  }
}

TEST_CASE("a shared copy goes from layout to layout, and leaves the gaps alone")
{
  const auto column = create_vector(5000, 1, 3, predefined(Basic::double_));
  const auto pairs = create_vector(2500, 2, 5, predefined(Basic::double_));
  const std::vector<double> from = numbers(15'000);
  std::vector<double> wanted(12'500, 0.0);
  for (std::size_t i = 0; i < 5000; ++i) wanted[i / 2 * 5 + i % 2] = from[3 * i];
  SharedCopy shared;
  for (int round = 0; round < 100; ++round) {
    shared.reset();
    std::vector<double> to(12'500, 0.0);
    const Joiner joiner(shared);
    CHECK(shared.offer(from.data(), 1, *column, to.data(), 1, *pairs));
    CHECK(to == wanted);
  }
}
