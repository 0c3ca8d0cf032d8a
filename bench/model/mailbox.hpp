// Subjects of the model: messages. Each is run by ranks 0 … n - 1, on the real machine or the simulated one.
#pragma once

#include <algorithm>
#include <memory>

#include "memmodel/memmodel.hpp"
#include "simulated.hpp"

namespace ranklet::model {

// A rank's mailbox as p2p::Engine has it, without matching. Its receiver always looks: nobody helps.
template <class Sys>
class Mailbox {
 public:
  // As an Envelope with 8 bytes of data: context and tag, source and length, data.
  void push(std::uint64_t data)
  {
    const auto fill = [&](Envelope& envelope) {
      envelope.words[0].set(1);
      envelope.words[1].set(2);
      envelope.words[2].set(data);
    };
    const auto await_room = [](const auto& lacking) {
      for (int looks = 0; const auto cells = lacking(); ++looks) pause_while_taken(cells, looks);
    };
    while (!ring_.try_push(fill, await_room))
      for (int looks = 0; const auto cells = ring_.beyond_half(); ++looks) pause_while_taken(cells, looks);
    parking_.notify();
  }

  std::uint64_t receive()
  {
    On<Sys>::await([&] { return token_.try_acquire(); });
    const memmodel::TokenGuard<Sys> guard = memmodel::TokenGuard<Sys>::adopt(token_);
    On<Sys>::await([&] { return ring_.front() != nullptr; });
    Envelope& envelope = *ring_.front();
    const std::uint64_t data =
        envelope.words[0].get() == 1 && envelope.words[1].get() == 2 ? envelope.words[2].get() : 0;
    ring_.pop();
    return data;
  }

 private:
  struct Envelope {
    typename On<Sys>::template data<std::uint64_t> words[7];
  };

  static void pause_while_taken(std::uint64_t cells, int looks)
  {
    const int pauses = (1 + static_cast<int>(std::min<std::uint64_t>(cells, 64) / 4)) << std::min(looks, 3);
    for (int i = 0; i < pauses; ++i) Sys::pause();
  }

  memmodel::Token<Sys> token_;
  memmodel::Ring<Envelope, 128, Sys> ring_;  // as p2p/envelope.hpp has it
  memmodel::Parking<Sys> parking_;
};

template <class Sys>
class PingPong {
 public:
  explicit PingPong(int /*ranks*/) {}
  static constexpr double per_round = 0.5;  // one way

  void run(int me, int rounds)
  {
    if (me > 1) return;
    for (int round = 1; round <= rounds; ++round) {
      if (me == 0) boxes_[1].push(static_cast<std::uint64_t>(round));
      boxes_[me].receive();
      if (me == 1) boxes_[0].push(static_cast<std::uint64_t>(round));
    }
  }

 private:
  Mailbox<Sys> boxes_[2];
};

// One sends as fast as it can, the other one receives.
template <class Sys>
class Stream {
  static constexpr int burst = 32;  // so that few rounds are laps of the ring

 public:
  explicit Stream(int /*ranks*/) {}
  static constexpr double per_round = 1.0 / burst;

  void run(int me, int rounds)
  {
    for (int i = 0; i < rounds * burst; ++i) {
      if (me == 0) boxes_[1].push(1);
      if (me == 1) boxes_[1].receive();
    }
    // The first one waits for the end.
    if (me == 0) boxes_[0].receive();
    if (me == 1) boxes_[0].push(1);
  }

 private:
  Mailbox<Sys> boxes_[2];
};

// All others send to rank 0: a round is one message of each. The time is that of one message.
template <class Sys>
class ManyToOne {
 public:
  explicit ManyToOne(int ranks)
      : ranks_(ranks), messages_(std::max(1, 32 / ranks)), per_round(1.0 / (ranks - 1) / messages_)
  {
  }

  void run(int me, int rounds)
  {
    for (int round = 1; round <= rounds * messages_; ++round) {
      if (me != 0) box_.push(1);
      for (int i = 1; me == 0 && i < ranks_; ++i) box_.receive();
    }
  }

 private:
  const int ranks_;
  const int messages_;  // of each in a round
  Mailbox<Sys> box_;

 public:
  const double per_round;
};

}  // namespace ranklet::model
