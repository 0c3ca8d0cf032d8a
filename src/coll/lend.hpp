// For members that leave a collective before the others have fetched their data (CollectiveMode::loose):
// copies, which stay until all members are done with the round.
#pragma once

#include <memory>
#include <vector>

#include "coll/buffers.hpp"
#include "coll/fold.hpp"
#include "coll/round.hpp"

namespace ranklet::coll {

// Whether members leave as soon as they may (MPI 5.0 §6.1). The same at all members.
inline bool leaves_early(const Communicator& comm)
{
  return comm.self().job.options().collectives == CollectiveMode::loose;
}

// The packed data of a part.
inline Part lend(Round& round, const Part& data)
{
  const Count bytes = data.bytes();
  const auto copy = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
  pack(data.address, data.count, *data.type, 0, copy->data(), bytes);
  round.keep(copy);
  return {copy->data(), bytes, &predefined(Basic::byte)};
}

// `count` elements as they are.
inline const void* lend(Round& round, const void* elements, Count count, const Datatype& type)
{
  const auto room = std::make_shared<Scratch>(count, type);
  copy_elements(elements, room->address(), count, type);
  round.keep(room);
  return room->address();
}

// The packed data of n blocks.
inline const Blocks* lend(Round& round, const Blocks& blocks, int n)
{
  struct Loan {
    std::vector<std::byte> data;
    std::vector<Count> counts, displacements;
    Blocks blocks;
  };
  const auto loan = std::make_shared<Loan>();
  loan->counts.reserve(static_cast<std::size_t>(n));
  loan->displacements.reserve(static_cast<std::size_t>(n));
  Count total = 0;
  for (int i = 0; i < n; ++i) {
    loan->counts.push_back(blocks[i].bytes());
    loan->displacements.push_back(total);
    total += blocks[i].bytes();
  }
  loan->data.resize(static_cast<std::size_t>(total));
  for (int i = 0; i < n; ++i) {
    const Part block = blocks[i];
    pack(block.address, block.count, *block.type, 0,
         loan->data.data() + loan->displacements[static_cast<std::size_t>(i)], block.bytes());
  }
  loan->blocks = {loan->data.data(), Array(loan->counts.data()), Array(loan->displacements.data()),
                  &predefined(Basic::byte)};
  round.keep(loan);
  return &loan->blocks;
}

}  // namespace ranklet::coll
