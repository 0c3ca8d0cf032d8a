// Which receive gets which message, among many.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "p2p/world.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using test::on_ranks;

namespace {

struct Wanted {
  int source;
  int tag;
};

// Receives with sources, tags and wildcards drawn at random, more of them than bins.
std::vector<Wanted> draw_receives(std::mt19937& random)
{
  std::vector<Wanted> receives(300);
  for (Wanted& receive : receives) {
    receive.source = random() % 8 == 0 ? any_source : static_cast<int>(random() % 2);
    receive.tag = random() % 8 == 0 ? any_tag : static_cast<int>(random() % 40);
  }
  return receives;
}

}  // namespace

TEST_CASE("each message goes to the first receive that matches it, with and without wildcards")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::vector<Wanted> receives = draw_receives(random);
  std::vector<int> tags(200);  // of rank 0's messages in their order; rank 1 sends none
  for (int& tag : tags) tag = static_cast<int>(random() % 40);
  tags.back() = 1000;  // nobody asks for it by name

  std::vector<int> expected(receives.size(), -1);
  for (std::size_t m = 0; m < tags.size(); ++m)
    for (std::size_t r = 0; r < receives.size(); ++r) {
      const auto [source, tag] = receives[r];
      if (expected[r] >= 0 || source == 1 || (tag != tags[m] && tag != any_tag)) continue;
      expected[r] = static_cast<int>(m);
      break;
    }

  const Datatype& type = predefined(Basic::int_);
  on_ranks(2, [&](Communicator& world) {
    int go = 1;
    if (world.rank() == 0) {
      receive(world, &go, 1, type, 1, 1000, nullptr);
      for (std::size_t m = 0; m < tags.size(); ++m) {
        const int number = static_cast<int>(m);
        send(world, Mode::standard, &number, 1, type, 1, tags[m]);
      }
      return;
    }
    std::vector<int> got(receives.size(), -1);
    std::vector<Request*> requests;
    for (std::size_t r = 0; r < receives.size(); ++r)
      requests.push_back(&ireceive(world, &got[r], 1, type, receives[r].source, receives[r].tag));
    send(world, Mode::standard, &go, 1, type, 0, 1000);
    // When the last message is here, all are.
    const auto last = std::ranges::find(expected, static_cast<int>(tags.size()) - 1);
    if (last == expected.end())
      receive(world, &go, 1, type, 0, tags.back(), nullptr);
    else
      wait(world.self(), *requests[static_cast<std::size_t>(last - expected.begin())]);
    for (Request* request : requests) {
      request->cancel();
      wait(world.self(), *request);
      request->reap(nullptr);
      request->release();
    }
    CHECK(got == expected);
  });
}
