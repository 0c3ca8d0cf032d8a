// Moving data between memory and a file: where both lie is walked at once, what follows in the file goes in
// one system call, and small pieces are gathered on the way.
//
// Writes touch no byte that is not asked for. Reads may read over small gaps, into memory of their own.
#pragma once

#include <span>

#include "io/system_calls.hpp"
#include "io/view.hpp"

namespace ranklet::io {

enum class Direction : std::uint8_t { read, write };

// What one member moves in one call: as many elements in memory as there are bytes from `begin` on in its
// view.
struct DataAccess {
  void* buffer = nullptr;
  Count count = 0;
  const Datatype* type = nullptr;
  ViewPtr view;
  Count begin = 0;  // position in the view
  Count bytes = 0;  // of data
};

// Bytes [from, to) of an access.
struct Portion {
  const DataAccess* access = nullptr;
  Count from = 0;
  Count to = 0;
  Count done = 0;    // out: moved without a gap, from the first on
  bool cut = false;  // out: the end of the file or an error came before the end
};

struct Medium {
  const SystemCalls* calls;
  int descriptor;
};

// Where all of the portion is one run on both sides: moves it by one call, without a plan. Else false, and
// nothing is done.
bool move_run(const Medium& medium, Direction direction, Portion& portion, int* error);

// Moves all portions in the order of their places in the file. Returns the errno of the first failure, after
// which nothing more is moved; 0: none. The end of the file is no failure.
int transfer(const Medium& medium, Direction direction, std::span<Portion> portions);

}  // namespace ranklet::io
