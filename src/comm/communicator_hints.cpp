#include "comm/communicator_hints.hpp"

namespace ranklet::comm {

namespace {

struct Row {
  const char* key;
  bool Hints::*hint;
};

constexpr Row rows[] = {
    {"mpi_assert_no_any_tag", &Hints::no_any_tag},
    {"mpi_assert_no_any_source", &Hints::no_any_source},
    {"mpi_assert_exact_length", &Hints::exact_length},
    {"mpi_assert_allow_overtaking", &Hints::allow_overtaking},
    {"ranklet_sequential_reduction", &Hints::sequential_reduction},
};

}  // namespace

void Hints::set(const Info& info)
{
  for (const auto& [key, hint] : rows) {
    const std::string* const value = info.find(key);
    if (value && (*value == "true" || *value == "false")) this->*hint = *value == "true";
  }
}

Info Hints::info() const
{
  Info info;
  for (const auto& [key, hint] : rows) info.set(key, this->*hint ? "true" : "false");
  return info;
}

}  // namespace ranklet::comm
