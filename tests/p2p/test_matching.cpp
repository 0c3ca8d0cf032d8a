// Which receive gets which message, among many.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <list>
#include <random>

#include "p2p/matching.hpp"
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

Envelope from(int source, int tag, std::uint32_t context = 1)
{
  Envelope envelope;
  envelope.context = context;
  envelope.source = source;
  envelope.tag = tag;
  envelope.carry = Carry::inside;
  envelope.inside_bytes = 0;
  return envelope;
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

TEST_CASE("a message finds its receive at once among many, whatever their tags have in common")
{
  constexpr int n = 20'000;
  on_ranks(1, [&](Communicator& world) {
    for (const int source : {0, any_source}) {
      for (const int stride : {1, 64, 1 << 15}) {
        PostedQueue queue;
        std::deque<ReceiveRequest> receives;
        for (int i = 0; i < n; ++i) {
          receives.emplace_back(world.self())
              .set(nullptr, 0, predefined(Basic::int_), source, stride * i, world);
          queue.add(receives.back());
        }
        CHECK(queue.is_valid());
        bool right = true;
        for (int i = n; i-- > 0;) {
          ReceiveRequest* const found = queue.find(from(0, stride * i, world.context()));
          right = right && found == &receives[static_cast<std::size_t>(i)];
          queue.remove(receives[static_cast<std::size_t>(i)]);
        }
        CHECK(right);
        CHECK(queue.empty());
        CHECK(queue.is_valid());
        CHECK(queue.comparisons() < 5 * n);
      }
    }
  });
}

TEST_CASE("a receive finds its message at once among many that came early")
{
  constexpr int n = 100'000;
  for (const int source : {3, any_source}) {
    UnexpectedQueue queue(1 << 20);
    for (int i = 0; i < n; ++i) queue.add(from(3, 64 * i));
    CHECK(queue.is_valid());
    bool right = true;
    for (int i = n; i-- > n / 2;) {
      Unexpected* const message = queue.find(1, source, 64 * i);
      right = right && message && message->envelope.tag == 64 * i;
      if (!message) break;
      queue.remove(*message);
      queue.recycle(*message);
    }
    for (int i = 0; i < n / 2; ++i) {
      Unexpected* const message = queue.find(1, source, any_tag);
      right = right && message && message->envelope.tag == 64 * i;
      if (!message) break;
      queue.remove(*message);
      queue.recycle(*message);
    }
    CHECK(right);
    CHECK(queue.empty());
    CHECK(queue.comparisons() < 5 * n);
  }
}

TEST_CASE("early messages are found in the order of their arrival, by whatever a receive names")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  UnexpectedQueue queue(1 << 20);
  std::list<Envelope> model;
  bool right = true;
  for (int step = 0; step < 20'000; ++step) {
    if (step % 100 == 0) REQUIRE(queue.is_valid());
    // Now many wait, now few or none.
    const bool fills = step / 500 % 2 == 0;
    if (draw(10) < (fills ? 7 : 3)) {
      model.push_back(from(draw(3), draw(20), static_cast<std::uint32_t>(draw(2))));
      model.back().inside_bytes = static_cast<decltype(model.back().inside_bytes)>(step % 40);
      queue.add(model.back());
    }
    const std::uint32_t context = static_cast<std::uint32_t>(draw(2));
    const int source = draw(3) == 0 ? any_source : draw(3);
    const int tag = draw(3) == 0 ? any_tag : draw(20);
    const auto expected = std::ranges::find_if(model, [&](const Envelope& envelope) {
      return envelope.context == context && (source == any_source || source == envelope.source) &&
             (tag == any_tag || tag == envelope.tag);
    });
    Unexpected* const found = queue.find(context, source, tag);
    right = right && (found != nullptr) == (expected != model.end()) && queue.empty() == model.empty();
    if (!found || expected == model.end()) continue;
    right = right && found->envelope.source == expected->source && found->envelope.tag == expected->tag &&
            found->envelope.inside_bytes == expected->inside_bytes;
    if (draw(2) == 0) continue;
    model.erase(expected);
    queue.remove(*found);
    queue.recycle(*found);
  }
  CHECK(right);
}
