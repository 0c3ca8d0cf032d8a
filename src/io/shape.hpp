// What a layout (datatype/layout.hpp) says about the order of its runs, without a walk over them.
#pragma once

#include "datatype/layout.hpp"

namespace ranklet::io {

// Places are bytes from the element's address. Of a piece with data.
struct Shape {
  Count first = 0;        // where the first run begins
  Count last = 0;         // where the last run begins
  Count end = 0;          // and ends
  bool ascending = true;  // each run begins where the one before begins, or later
  bool disjoint = true;   // and not before that one ends
};

// Takes time in proportion to the description, not to the number of runs.
Shape shape_of(const Piece& piece);

// How many bytes of data lie before `place`. The piece is ascending and disjoint.
Count data_before(const Piece& piece, Count place);

}  // namespace ranklet::io
