// --bind-to, --map-by and --rank-by, read.
#pragma once

#include "machine/binding.hpp"

namespace ranklet {

// A unit is what is given out to ranks: a core, or a hardware thread.
struct BindingPolicy {
  bool automatic = false;
  bool pinned = true;
  Level bind_level = Level::core;
  int bind_width = 1;  // objects of bind_level

  enum class Filling { neighbours, scattered, by_turns, blocks } filling = Filling::neighbours;
  Level turn_level = Level::machine;  // by_turns and blocks: over these objects
  int block = 1;                      // ranks per object before the next
  int units_per_rank = 1;
  bool map_hwthreads = false;

  enum class Numbering { mapped, machine, by_turns } numbering = Numbering::mapped;
  Level number_level = Level::machine;
};

// Throws Error{arg} on words it does not know.
BindingPolicy read_policy(const BindingRequest& request);

}  // namespace ranklet
