// What there is to tell of a call to a detector of data races: found out once for every function.
#pragma once

#include "api/handles/functions.hpp"

namespace ranklet::api {

enum class Story : unsigned char {
  local,    // orders nothing
  unknown,  // may order it behind all calls of all ranks that began before its end
  message,  // sends or receives, or prepares to
  probe,
  collective,
  operation,  // one-sided
  fence,
  post,
  start,
  complete,
  wait,  // or test
  lock,
  unlock,
  lock_all,
  unlock_all,
  flush,  // of one target, or of all
  flush_local,
  free_window,
  shared_query,
  end_of_request,  // the program completes a generalized one
};

// The members whose data a member gets in a collective.
enum class Flow : unsigned char { all, from_root, to_root, from_lower, from_neighbors };

struct CallStory {
  Story story = Story::local;
  Flow flow = Flow::all;
  bool synchronous = false;  // a send that ends when its receive has begun
  bool makes_window = false;
};

const CallStory& story_of(const FunctionInfo& function);

}  // namespace ranklet::api
