// Where members of a communicator make a new one together without waiting for each other
// (members/creations.hpp). That is enough whenever each member knows the new group by itself (dup, create,
// create_group): the new context is unique in the job, so the first member may use the communicator before
// the last one has come.
#pragma once

#include <compare>
#include <memory>
#include <string>
#include <vector>

#include "members/creations.hpp"

namespace ranklet {

struct CommShared;
class Rank;

// Creations with equal keys are the same one, or follow each other.
struct NurseryKey {
  enum class Kind { numbered, tagged, from_group, from_groups };
  Kind kind;
  std::int64_t number;  // which creation on the communicator, or the user's tag
  std::vector<Rank*> members;
  std::string name{};  // the user's tag where it is a string

  friend auto operator<=>(const NurseryKey&, const NurseryKey&) = default;
};

class Nursery : public members::Creations<NurseryKey, std::shared_ptr<CommShared>> {
 public:
  using Key = NurseryKey;
};

}  // namespace ranklet
