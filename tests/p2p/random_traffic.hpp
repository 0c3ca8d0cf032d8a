// What random tests of messages have in common.
#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "p2p/world.hpp"

namespace ranklet::test {

// The content of a message.
inline std::vector<unsigned char> made_of(Count length, unsigned seed)
{
  std::vector<unsigned char> data(static_cast<std::size_t>(length));
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<unsigned char>(seed * 31 + i * 7 + (i >> 8));
  return data;
}

// Runs body(world, seed, wrong) on 2, 3 and 5 ranks that seem to have cores of their own; the seed is
// printed. `wrong` counts what is not as it should be.
template <class Body>
void on_random_ranks(Body&& body)
{
  const unsigned seed = std::random_device()();
  MESSAGE("seed ", seed);
  std::atomic<int> wrong = 0;
  for (const int ranks : {2, 3, 5})
    on_ranks(
        ranks, [&](Communicator& world) { body(world, seed + static_cast<unsigned>(ranks), wrong); }, 8);
  CHECK(wrong == 0);
}

// Of one rank, to be completed in their order.
class PendingSends {
 public:
  explicit PendingSends(Communicator& world) : world_(world) {}

  void start(p2p::Mode mode, std::vector<unsigned char> data, int dest, int tag)
  {
    sent_.push_back({nullptr, std::move(data)});
    Sent& last = sent_.back();
    last.request = &p2p::isend(world_, mode, last.data.data(), static_cast<Count>(last.data.size()),
                               byte_type(), dest, tag);
  }
  std::size_t size() const { return sent_.size(); }
  // Whether the first one can be completed now.
  bool first_is_over() { return sent_.front().request->advance(); }
  void complete_first()
  {
    complete(world_, *sent_.front().request);
    sent_.front().request->release();
    sent_.pop_front();
  }
  void complete_all()
  {
    while (size() > 0) complete_first();
  }

 private:
  struct Sent {
    Request* request;
    std::vector<unsigned char> data;
  };

  Communicator& world_;
  std::deque<Sent> sent_;
};

// Receives a message of so many bytes, late at times, and at times by a matched probe; false if it has
// another length or content.
inline bool receives(Communicator& world, const std::vector<unsigned char>& expected, int source, int tag,
                     std::mt19937& random)
{
  for (auto spin = random() % 4 == 0 ? random() % 4000 : 0; spin > 0; --spin) memmodel::Native::pause();
  std::vector<unsigned char> data(expected.size());
  const auto length = static_cast<Count>(data.size());
  Status status;
  if (random() % 3 == 0) {
    const p2p::Message message = p2p::mprobe(world, source, tag, &status);
    p2p::mreceive(message, data.data(), length, byte_type(), &status);
  } else {
    p2p::receive(world, data.data(), length, byte_type(), source, tag, &status);
  }
  return data == expected && status.bytes == length;
}

}  // namespace ranklet::test
