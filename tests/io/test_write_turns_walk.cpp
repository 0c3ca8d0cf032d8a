// Writers of one inode, in all executions: whose ranges overlap, touch or do neither, with one and two
// pieces, and what each of the protocol's steps is needed for.
#include <array>

#include "io/write_turns.hpp"
#include "memmodel/walked_lock.hpp"
#include "memmodel/walks.hpp"

namespace write_turns_walk {

using namespace ranklet::explore;
using ranklet::Count;
using ranklet::memmodel::Parking;

namespace {

constexpr int most_pieces = 2;

enum class Fault { none, goes_before_its_end };

// Pieces of one byte, in ascending order.
struct Places {
  std::array<Count, most_pieces> places{};
  int count = 0;
};

struct WalkedPart {
  explicit WalkedPart(const Places& in_places) : places(in_places) {}
  Count place() const noexcept { return places.places[static_cast<std::size_t>(next)]; }
  Count place_behind() const noexcept { return place() + 1; }
  Count reach() const noexcept { return places.places[static_cast<std::size_t>(places.count - 1)]; }
  bool advance() noexcept { return ++next < places.count; }
  void cut(Count position, int /*number*/) noexcept { end = std::min(end, position); }

  Places places;
  int next = 0;
  Count end = most_pieces;
  // Of the user's buffer, which is the user's again when the write is done; and of the file.
  std::array<Explored::data<int>, most_pieces> source, written;
};

using Turns = ranklet::io::WriteTurns<WalkedPart, Explored>;

struct WalkedBatch {
  struct Piece {
    Turns::Writer* writer;
    int number;
  };
  bool add(Turns::Writer& writer)
  {
    if (!pieces.empty() && writer.place() != behind) return false;
    pieces.push_back({&writer, writer.next});
    behind = writer.place_behind();
    return true;
  }
  Count end() const noexcept { return behind; }

  std::vector<Piece> pieces;
  Count behind = 0;
};

// In order of construction; of each writer its turn and what is missing.
enum Location { lock = 0, parking = 1, missing_of_first = 3, missing_of_second = 5 };

// What a thread needs, made before it begins, as it may be abandoned at any step.
struct Thread {
  explicit Thread(const Places& places) : writer(places) { others.reserve(Turns::most_at_once); }
  Turns::Writer writer;
  WalkedBatch batch;
  Turns::Others others;
};

struct State {
  Turns turns;
  std::vector<std::unique_ptr<Thread>> threads;
};

void join(State& s, Thread& self)
{
  Turns::Writer& own = self.writer;
  for (int i = 0; i < own.places.count; ++i) own.source[static_cast<std::size_t>(i)].set(i + 1);
  Explored::check(s.turns.join(own) != Turns::Joined::not_at_all, "there was room for it");
}

void write(State& s, Thread& self, Count broken, Fault fault)
{
  Turns::Writer& own = self.writer;
  const auto move = [&](WalkedBatch& batch, const Turns::Others&) {
    for (const WalkedBatch::Piece& piece : batch.pieces) {
      const auto i = static_cast<std::size_t>(piece.number);
      if (piece.writer->places.places[i] == broken) {
        s.turns.cut(*piece.writer, piece.number, 1);
        continue;
      }
      auto& written = piece.writer->written[i];
      written.set(written.get() + piece.writer->source[i].get());
    }
    batch.pieces.clear();
  };
  const auto wait = [&](const auto& holds, Parking<Explored>& parking) {
    if (fault != Fault::goes_before_its_end) sleeping(parking, holds);
  };
  s.turns.write(own, self.batch, self.others, move, wait);
  for (int i = 0; i < own.places.count; ++i) {
    const auto piece = static_cast<std::size_t>(i);
    // What is behind a failure may be written or not.
    const bool broke = i >= own.end;
    const int written = own.written[piece].get();
    Explored::check(written == i + 1 || (broke && written == 0), "a piece is not written, or twice");
    Explored::check(!broke || broken >= 0, "a failure that nobody has met");
    own.source[piece].set(0);
  }
}

// Each row is a writer's pieces. there: so many have joined before anybody writes.
auto writers(std::vector<Places> all, Count broken = -1, Fault fault = Fault::none, std::size_t there = 0)
{
  return [=](Scenario& scenario) {
    auto s = std::make_shared<State>();
    for (const Places& places : all) s->threads.push_back(std::make_unique<Thread>(places));
    for (std::size_t t = 0; t < there; ++t) join(*s, *s->threads[t]);
    for (std::size_t t = 0; t < all.size(); ++t)
      scenario.thread([=] {
        if (t >= there) join(*s, *s->threads[t]);
        write(*s, *s->threads[t], broken, fault);
      });
    scenario.finally([=] { Explored::check(s->turns.present() == 0, "somebody is left"); });
  };
}

Places at(Count first)
{
  return {{first, 0}, 1};
}
Places at(Count first, Count second)
{
  return {{first, second}, 2};
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("write turns: each piece is written once, whoever comes when")
{
  expect_correct("2 apart", {}, writers({at(0), at(5)}));
  expect_correct("2 at one place", {}, writers({at(0), at(0)}));
  expect_correct("2 in turns", {}, writers({at(0, 2), at(1, 3)}),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("1 inside of another", {}, writers({at(0, 2), at(1)}));
  expect_correct("3 at one place, 2 there", {}, writers({at(0), at(0), at(0)}, -1, Fault::none, 2),
                 {Memory::interleaved});
}

TEST_CASE("write turns: a failure is that of the writer at whose piece it is")
{
  expect_correct("2 in turns, one place broken", {}, writers({at(0, 2), at(1, 3)}, 1), {Memory::interleaved});
  expect_correct("1 inside of another, that broken", {}, writers({at(0, 2), at(1)}, 1),
                 {Memory::interleaved});
}

TEST_CASE("write turns: a planted fault is found")
{
  expect_failure("2, who does not wait", {}, writers({at(0, 2), at(1)}, -1, Fault::goes_before_its_end), "");
  Options options;
  options.memory = Memory::store_buffers;
  options.heavy_fences = false;
  // The second one waits until it is called.
  expect_failure("2, without heavy fence", options, writers({at(0), at(0)}), "nobody can go on");
  expect_failure("2, relaxed end of a batch",
                 relaxed_at({}, Access::update, {missing_of_first, missing_of_second}),
                 writers({at(0, 2), at(1)}), "data race");
  expect_failure("2, relaxed lock", relaxed_at({}, Access::store, lock), writers({at(0), at(0)}),
                 "data race");
}

TEST_SUITE_END();

}  // namespace write_turns_walk
