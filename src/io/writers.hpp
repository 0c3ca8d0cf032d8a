// Threads that write pieces to one inode at once, each for itself. The kernel makes writes of one inode one
// after the other, so more threads only wait there: of writers whose ranges overlap one moves the pieces of
// all, and those that touch go in one call. The others sleep, and so leave their cores to those who have not
// come yet.
//
// A batch begins, in turns, at the mover's next piece, at the lowest one of all who wait, and at that of
// whoever waits longest; it goes back to the pieces just before it, and on to those behind, whosesoever they
// are. So those who came earlier and later meet, nobody is passed over, and nobody works for others only.
//
// Thread safety: any thread. A mover waits for nobody but the kernel, so that all waits end without any call
// of another rank, in a cancelled job too. Invariants:
//  1. A piece is taken by one thread, once.
//  2. A writer goes when all of its pieces are taken and no other thread has any of them.
//  3. While anybody waits, somebody moves: who waits has overlapped a mover, and who stops moving calls those
//     who do not overlap another one.
//  4. A failure is that of the writer at whose piece a call for it alone has failed.
#pragma once

#include <vector>

#include "io/transfer.hpp"
#include "memmodel/memmodel.hpp"

namespace ranklet {

struct WaitPolicy;

namespace io {

class Batch;

class Writers {
 public:
  // Writes a portion with data that is not one run. Returns the errno of its failure; 0: none.
  int write(const Medium& medium, Portion& portion, const WaitPolicy& policy);

  // How many there are of whom not all is taken: for tests.
  std::size_t present();

 private:
  struct Writer;
  enum class Begin : std::uint8_t { own, lowest, oldest };
  // The writers in a batch but its mover.
  using Others = std::vector<Writer*>;

  enum class Joined : std::uint8_t { not_at_all, before_others, among_others };

  Joined join(Writer& own);
  bool call_if_free(Writer& writer) RANKLET_REQUIRES(lock_);
  bool fill(Batch& batch, Writer& own, Begin begin, Others& others);
  std::size_t start(const Writer& own, Begin begin) const RANKLET_REQUIRES(lock_);
  std::size_t find(Count place, std::size_t first) const RANKLET_REQUIRES(lock_);
  void take(Writer& writer) noexcept RANKLET_REQUIRES(lock_);
  void move(const Medium& medium, Batch& batch, const Others& others);
  void cut(Writer& writer, Count position, int number) noexcept;
  void wait_for_turn(const Writer& own, const WaitPolicy& policy);

  memmodel::SpinLock<> lock_;  // also of the writers but for their words
  std::vector<Writer*> writers_
      RANKLET_GUARDED_BY(lock_);  // those of whom not all is taken, in the order of arrival
  std::uint64_t round_ RANKLET_GUARDED_BY(lock_) = 0;  // batches begun
  int alone_ RANKLET_GUARDED_BY(lock_) = 0;            // movers in a row who have met nobody
  memmodel::Parking<> parking_;                        // those who wait
};

}  // namespace io

}  // namespace ranklet
