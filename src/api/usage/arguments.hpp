// The arguments of a call by the names of its parameters: for the usage checks.
#pragma once

#include <string>
#include <vector>

#include "api/entry/call.hpp"
#include "api/handles/rank_state.hpp"
#include "api/usage/call_plan.hpp"

namespace ranklet::api {

// The argument of that name, which the function has.
inline Word word(const Call& call, const char* name)
{
  return call.word_of(find_parameter(call.function(), name));
}

class Arguments {
 public:
  Arguments(RankState& state, const Call& call) : state_(state), call_(call) {}

  bool has(const char* name) const { return find_parameter(call_.function(), name) >= 0; }
  Word word(const char* name) const { return api::word(call_, name); }
  bool in_place(const char* name) const { return word(name) == reinterpret_cast<Word>(MPI_IN_PLACE); }
  // Element i of an array of counts or displacements.
  Count element(const char* name, int i) const
  {
    const Word array = word(name);
    const int index = find_parameter(call_.function(), name);
    const bool wide =
        call_.large() ||
        std::string_view(call_.function().parameters[static_cast<std::size_t>(index)].kind->name) == "aint";
    return wide ? reinterpret_cast<const Count*>(array)[i] : reinterpret_cast<const int*>(array)[i];
  }
  const Datatype* type(Word handle) const
  {
    const Ref<Datatype>* const found =
        state_.types.look_up(state_.types.make(static_cast<std::uintptr_t>(handle)));
    return found && (*found)->committed() ? found->get() : nullptr;
  }
  // `count` elements; false: an argument is wrong, as the call will say.
  bool add(std::vector<Signature>& each, Count count, const Datatype* type) const
  {
    if (!type || count < 0) return false;
    each.push_back(signature(count, *type));
    return true;
  }
  // What the parameters with these names say, of one portion for all or of n: "sendcount" or "sendcounts".
  bool add_portions(std::vector<Signature>& each, const std::string& side, int n) const
  {
    const std::string one = side + "count", many = one + "s", types = side + "types",
                      type_name = side + "type";
    if (has(one.c_str())) return add(each, word(one.c_str()), type(word(type_name.c_str())));
    const bool array = has(types.c_str());
    if (word(many.c_str()) == 0 || (array && word(types.c_str()) == 0)) return n == 0;
    for (int i = 0; i < n; ++i) {
      const Word handle =
          array ? reinterpret_cast<const Word*>(word(types.c_str()))[i] : word(type_name.c_str());
      if (!add(each, element(many.c_str(), i), type(handle))) return false;
    }
    return true;
  }

 private:
  RankState& state_;
  const Call& call_;
};

}  // namespace ranklet::api
