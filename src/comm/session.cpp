#include "comm/session.hpp"

#include <strings.h>

#include <charconv>
#include <utility>

#include "comm/comm_state.hpp"

namespace ranklet {

namespace {

constexpr std::pair<const char*, ThreadLevel> thread_levels[] = {
    {"MPI_THREAD_SINGLE", ThreadLevel::single},
    {"MPI_THREAD_FUNNELED", ThreadLevel::funneled},
    {"MPI_THREAD_SERIALIZED", ThreadLevel::serialized},
    {"MPI_THREAD_MULTIPLE", ThreadLevel::multiple},
};

constexpr std::string_view world_name = "mpi://WORLD";
constexpr std::string_view self_name = "mpi://SELF";

// The sets of ranks that stay in one object, by the word after ranklet://.
struct Kind {
  std::string_view word;
  Level level;
};
constexpr std::string_view scheme = "ranklet://";
constexpr Kind kinds[] = {
    {"socket", Level::package}, {"numa", Level::numa}, {"l3cache", Level::l3cache}, {"core", Level::core}};

// Programs write mpi://world too, and other implementations take it.
bool same_but_for_case(std::string_view a, std::string_view b)
{
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// Those of the ranks of the job that are in the object.
GroupPtr ranks_in(Job& job, Level level, int object)
{
  std::vector<Rank*> members;
  const std::vector<Place>& places = job.places();
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].object(level) == object) members.push_back(&job.rank(static_cast<int>(i)));
  return members.empty() ? nullptr : std::make_shared<const Group>(std::move(members));
}

}  // namespace

Session::Session(Rank& self, const Info* wanted) : self_(self)
{
  const std::string* const word = wanted ? wanted->find("thread_level") : nullptr;
  if (!word) return;
  for (const auto& [name, level] : thread_levels)
    if (*word == name) level_ = level;
}

Info Session::info() const
{
  Info info;
  for (const auto& [name, level] : thread_levels)
    if (level == level_) info.set("thread_level", name);
  info.set(memory_kinds_key, memory_kinds);
  return info;
}

std::vector<std::string> Session::process_sets() const
{
  std::vector<std::string> names = {std::string(world_name), std::string(self_name)};
  const std::vector<Place>& places = self_.job.places();
  if (places.empty()) return names;
  for (const auto& [word, level] : kinds) {
    const int object = places[static_cast<std::size_t>(self_.world_rank)].object(level);
    if (object >= 0) names.push_back(std::string(scheme) + std::string(word) + "/" + std::to_string(object));
  }
  return names;
}

GroupPtr Session::group(std::string_view process_set) const
{
  if (same_but_for_case(process_set, world_name)) return derived_from(comm::world(self_).group(), buffer);
  if (same_but_for_case(process_set, self_name)) return derived_from(comm::self(self_).group(), buffer);
  if (!process_set.starts_with(scheme)) return nullptr;
  process_set.remove_prefix(scheme.size());
  for (const auto& [word, level] : kinds) {
    if (!process_set.starts_with(word) || process_set.substr(word.size(), 1) != "/") continue;
    const std::string_view digits = process_set.substr(word.size() + 1);
    int object = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), object);
    if (error != std::errc() || end != digits.data() + digits.size() || object < 0) return nullptr;
    return derived_from(ranks_in(self_.job, level, object), buffer);
  }
  return nullptr;
}

}  // namespace ranklet
