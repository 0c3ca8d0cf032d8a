// Threads that write pieces to one inode at once, each for itself. The kernel makes writes of one inode one
// after the other, so more threads only wait there: of writers whose ranges overlap one moves the pieces of
// all, and those that touch go in one call (write_turns.hpp). The others sleep, and so leave their cores to
// those who have not come yet.
//
// Thread safety: any thread. A failure is that of the writer at whose piece a call for it alone has failed.
#pragma once

#include "io/pieces.hpp"
#include "io/write_turns.hpp"

namespace ranklet {

struct WaitPolicy;

namespace io {

class Writers {
 public:
  // Writes a portion with data that is not one run. Returns the errno of its failure; 0: none.
  int write(const Medium& medium, Portion& portion, const WaitPolicy& policy);

  // How many there are of whom not all is taken: for tests.
  std::size_t present() { return turns_.present(); }

 private:
  struct WrittenPart : MovedPortion {
    explicit WrittenPart(Portion& of)
        : MovedPortion(of), last(of.access->view->place_of(of.access->begin + of.to - 1))
    {
    }
    Count place() const noexcept { return pieces.at; }
    Count place_behind() const noexcept { return pieces.at + pieces.bytes; }
    Count reach() const noexcept { return last; }
    const Count last;
  };

  WriteTurns<WrittenPart> turns_;
};

}  // namespace io

}  // namespace ranklet
