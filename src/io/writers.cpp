#include "io/writers.hpp"

#include <memory>

#include "io/batch.hpp"
#include "ranks/wait.hpp"

namespace ranklet::io {

namespace {

// Bytes from which on several threads copy faster, though one after the other, than one that makes fewer
// calls: each has its own data in its cache.
constexpr Count largest_piece = 2048;

}  // namespace

int Writers::write(const Medium& medium, Portion& portion, const WaitPolicy& policy)
{
  using Turns = WriteTurns<WrittenPart>;
  // All that may fail comes before others may take pieces of this one.
  Turns::Writer own(portion);
  if (!own.advance() || own.pieces.bytes > largest_piece)
    return transfer(medium, Direction::write, {&portion, 1});
  const auto own_batch = std::unique_ptr<Batch>(new Batch(Direction::write));
  Turns::Others own_others;
  own_others.reserve(Turns::most_at_once);
  const Turns::Joined joined = turns_.join(own);
  if (joined == Turns::Joined::not_at_all) return transfer(medium, Direction::write, {&portion, 1});
  // Writers that are about to come may need this core.
  if (joined == Turns::Joined::before_others) memmodel::Native::yield();
  const auto move = [&](Batch& batch, const Turns::Others& others) {
    const auto cut = [&](MovedPortion& part, Count position, int number) {
      turns_.cut(static_cast<Turns::Writer&>(part), position, number);
    };
    const int error = batch.move(medium);
    if (error != 0 && others.empty())
      batch.cut_rest(error, cut);
    else if (error != 0)
      batch.write_singly(medium, cut);
    batch.clear();
  };
  const auto wait = [&](const auto& holds, memmodel::Parking<>& parking) {
    for (int i = 0; i < policy.spins; ++i) {
      if (holds()) return;
      memmodel::Native::pause();
    }
    while (!holds()) {
      if (policy.park)
        parking.park(holds);
      else
        memmodel::Native::yield();
    }
  };
  turns_.write(own, *own_batch, own_others, move, wait);
  own.tell();
  return own.error;
}

}  // namespace ranklet::io
