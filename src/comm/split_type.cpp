#include "comm/split_type.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>

#include "comm/confer.hpp"
#include "comm/create.hpp"

namespace ranklet::comm {

namespace {

using CpuSet = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, decltype(&hwloc_bitmap_free)>;

// Null when hwloc cannot look at the machine. That takes tens of milliseconds, so it is done once; what is
// only read may be read by all threads.
hwloc_topology_t look_at_machine()
{
  static const hwloc_topology_t machine = [] {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0 || hwloc_topology_load(topology) == 0) return topology;
    hwloc_topology_destroy(topology);
    return hwloc_topology_t{};
  }();
  return machine;
}

// The number of the one object of that type that holds all processors of the set; `undefined` if none does.
int object_around(hwloc_topology_t machine, hwloc_const_cpuset_t cpus, hwloc_obj_type_t type)
{
  for (hwloc_obj_t object = hwloc_get_next_obj_by_type(machine, type, nullptr); object;
       object = hwloc_get_next_obj_by_type(machine, type, object))
    if (hwloc_bitmap_isincluded(cpus, object->cpuset)) return static_cast<int>(object->logical_index);
  return undefined;
}

std::optional<hwloc_obj_type_t> type_named(const std::string& resource)
{
  const char* name = resource.c_str();
  if (std::strncmp(name, "hwloc://", 8) == 0) name += 8;
  // hwloc is content with a prefix.
  if (!std::all_of(name, name + std::strlen(name), [](unsigned char c) { return std::isalnum(c); }))
    return std::nullopt;
  hwloc_obj_type_t type;
  if (hwloc_type_sscanf(name, &type, nullptr, 0) != 0) return std::nullopt;
  return type;
}

constexpr hwloc_obj_type_t levels[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_L3CACHE,
                                       HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE,     HWLOC_OBJ_PU};
constexpr std::size_t level_count = std::size(levels);

// What one member says: its kind of split, the object that it asks for by name, and those around it by level.
struct Wish {
  SplitKind kind;
  int object = undefined;
  int objects[level_count] = {};
};

// For the first level whose objects divide the members, the number of the member's one (the new communicators
// must be strictly smaller than the old, §7.4.2); `undefined` for all if there is none.
std::vector<int> colors_of_first_division(std::span<const Wish* const> wishes)
{
  std::vector<int> colors(wishes.size(), undefined);
  for (std::size_t level = 0; level < level_count; ++level) {
    bool divides = false;
    const Wish* first = nullptr;
    for (const Wish* wish : wishes) {
      if (wish->kind != SplitKind::hw_unguided) continue;
      if (!first) first = wish;
      if (wish->objects[level] != first->objects[level]) divides = true;
    }
    if (!divides) continue;
    for (std::size_t i = 0; i < wishes.size(); ++i)
      if (wishes[i]->kind == SplitKind::hw_unguided) colors[i] = wishes[i]->objects[level];
    break;
  }
  return colors;
}

std::vector<int> choose_colors(std::span<const Wish* const> wishes)
{
  for (const Wish* wish : wishes)
    if (wish->kind == SplitKind::hw_unguided) return colors_of_first_division(wishes);
  std::vector<int> colors;
  for (const Wish* wish : wishes) colors.push_back(wish->object);
  return colors;
}

Wish find_wish(SplitKind kind, const std::string& resource)
{
  Wish wish{kind, undefined, {}};
  const bool guided = kind == SplitKind::hw_guided || kind == SplitKind::resource_guided;
  // All ranks share one address space.
  if (kind == SplitKind::shared || (guided && resource == "mpi_shared_memory")) wish.object = 0;
  const std::optional<hwloc_obj_type_t> type = guided ? type_named(resource) : std::nullopt;
  if (!type && kind != SplitKind::hw_unguided) return wish;

  for (int& object : wish.objects) object = undefined;
  const hwloc_topology_t machine = look_at_machine();
  const CpuSet cpus(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  if (!machine || !cpus || hwloc_get_cpubind(machine, cpus.get(), HWLOC_CPUBIND_THREAD) != 0) return wish;
  if (type) wish.object = object_around(machine, cpus.get(), *type);
  for (std::size_t i = 0; i < level_count; ++i)
    wish.objects[i] = object_around(machine, cpus.get(), levels[i]);
  return wish;
}

}  // namespace

std::vector<std::pair<std::string, bool>> hardware_resources()
{
  std::vector<std::pair<std::string, bool>> resources{{"mpi_shared_memory", true}};
  const hwloc_topology_t machine = look_at_machine();
  const CpuSet cpus(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  if (!machine || !cpus || hwloc_get_cpubind(machine, cpus.get(), HWLOC_CPUBIND_THREAD) != 0)
    return resources;
  for (const hwloc_obj_type_t type : levels) {
    if (hwloc_get_nbobjs_by_type(machine, type) < 1) continue;
    resources.emplace_back(std::string("hwloc://") + hwloc_obj_type_string(type),
                           object_around(machine, cpus.get(), type) != undefined);
  }
  return resources;
}

CommRef split_type(Communicator& parent, SplitKind kind, int key, const std::string& resource)
{
  // Members that want nothing do not know what the others ask for, so the rounds are the same for all kinds.
  const Wish mine = find_wish(kind, resource);
  return split(parent, confer<int>(parent, mine, choose_colors), key);
}

}  // namespace ranklet::comm
