#include "machine/topology.hpp"

#include <array>
#include <cmath>
#include <utility>

#include <hwloc.h>

#include "base/config.hpp"
#include "base/wording.hpp"
#include "terms/error.hpp"

namespace ranklet {

CpuSet::CpuSet() : bits_(hwloc_bitmap_alloc()) {}
CpuSet::CpuSet(const CpuSet& other) : bits_(hwloc_bitmap_dup(other.bits_)) {}
CpuSet::CpuSet(CpuSet&& other) noexcept : bits_(std::exchange(other.bits_, nullptr)) {}
CpuSet& CpuSet::operator=(CpuSet other) noexcept
{
  std::swap(bits_, other.bits_);
  return *this;
}
CpuSet::~CpuSet()
{
  hwloc_bitmap_free(bits_);
}

void CpuSet::add(int cpu)
{
  hwloc_bitmap_set(bits_, static_cast<unsigned>(cpu));
}
bool CpuSet::contains(int cpu) const
{
  return hwloc_bitmap_isset(bits_, static_cast<unsigned>(cpu)) != 0;
}
int CpuSet::count() const
{
  return hwloc_bitmap_weight(bits_);
}
int CpuSet::next(int cpu) const
{
  return hwloc_bitmap_next(bits_, cpu);
}

CpuSet& CpuSet::operator&=(const CpuSet& other)
{
  hwloc_bitmap_and(bits_, bits_, other.bits_);
  return *this;
}
CpuSet& CpuSet::operator|=(const CpuSet& other)
{
  hwloc_bitmap_or(bits_, bits_, other.bits_);
  return *this;
}
CpuSet& CpuSet::operator-=(const CpuSet& other)
{
  hwloc_bitmap_andnot(bits_, bits_, other.bits_);
  return *this;
}
bool operator==(const CpuSet& a, const CpuSet& b)
{
  return hwloc_bitmap_isequal(a.bits_, b.bits_) != 0;
}

std::string CpuSet::text() const
{
  std::string result(static_cast<std::size_t>(hwloc_bitmap_list_snprintf(nullptr, 0, bits_)), '\0');
  hwloc_bitmap_list_snprintf(result.data(), result.size() + 1, bits_);
  return result;
}

namespace {

struct LevelWord {
  std::string_view word;
  Level level;
};

// The first word of a level is its name; the others are what MPICH and Open MPI users write.
constexpr std::array<LevelWord, 21> level_words = {{
    {"hwthread", Level::hwthread}, {"hwt", Level::hwthread},    {"pu", Level::hwthread},
    {"thread", Level::hwthread},   {"core", Level::core},       {"slot", Level::core},
    {"l1cache", Level::l1cache},   {"l1", Level::l1cache},      {"l2cache", Level::l2cache},
    {"l2", Level::l2cache},        {"l3cache", Level::l3cache}, {"l3", Level::l3cache},
    {"numa", Level::numa},         {"numanode", Level::numa},   {"socket", Level::package},
    {"package", Level::package},   {"sockets", Level::package}, {"board", Level::machine},
    {"machine", Level::machine},   {"node", Level::machine},    {"host", Level::machine},
}};

hwloc_obj_type_t native_type(Level level)
{
  switch (level) {
    case Level::hwthread:
      return HWLOC_OBJ_PU;
    case Level::core:
      return HWLOC_OBJ_CORE;
    case Level::l1cache:
      return HWLOC_OBJ_L1CACHE;
    case Level::l2cache:
      return HWLOC_OBJ_L2CACHE;
    case Level::l3cache:
      return HWLOC_OBJ_L3CACHE;
    case Level::numa:
      return HWLOC_OBJ_NUMANODE;
    case Level::package:
      return HWLOC_OBJ_PACKAGE;
    case Level::machine:
      break;
  }
  return HWLOC_OBJ_MACHINE;
}

}  // namespace

bool parse_level(std::string_view word, Level& level)
{
  for (const LevelWord& entry : level_words)
    if (entry.word == word) return level = entry.level, true;
  return false;
}

const char* level_name(Level level)
{
  for (const LevelWord& entry : level_words)
    if (entry.level == level) return entry.word.data();
  return "";
}

Topology::Topology()
{
  if (hwloc_topology_init(&native_) != 0 || hwloc_topology_load(native_) != 0)
    fail(ErrorClass::intern, "hwloc cannot read the machine's topology");
  // The main thread's mask at start is what taskset or a batch system left to us; hwloc knows only the
  // cgroup's.
  hwloc_get_cpubind(native_, allowed_.native(), HWLOC_CPUBIND_THREAD);
  CpuSet machine;
  hwloc_bitmap_copy(machine.native(), hwloc_topology_get_allowed_cpuset(native_));
  allowed_ &= machine;
  if (allowed_.empty()) allowed_ = machine;  // a system without thread binding
  quota_ = cgroup_cpu_quota();
  usable_cpus_ = allowed_.count();
  // Rounded down: ranks that all spin under 1.5 CPUs would be stopped by the quota a quarter of the time.
  if (quota_ > 0) usable_cpus_ = std::min(usable_cpus_, static_cast<int>(std::floor(quota_ + 0.01)));
  if (config().cores > 0) usable_cpus_ = static_cast<int>(config().cores);
  usable_cpus_ = std::max(usable_cpus_, 1);
  collect_objects();
}

Topology::Topology(const std::string& synthetic, const CpuSet* allowed)
{
  if (hwloc_topology_init(&native_) != 0 || hwloc_topology_set_synthetic(native_, synthetic.c_str()) != 0 ||
      hwloc_topology_load(native_) != 0)
    fail(ErrorClass::arg, "%s is not a synthetic topology", synthetic.c_str());
  hwloc_bitmap_copy(allowed_.native(), hwloc_topology_get_allowed_cpuset(native_));
  if (allowed != nullptr) allowed_ &= *allowed;
  usable_cpus_ = allowed_.count();
  collect_objects();
}

Topology::~Topology()
{
  hwloc_topology_destroy(native_);
}

const Topology& Topology::machine()
{
  static const Topology here;
  return here;
}

void Topology::collect_objects()
{
  for (int index = static_cast<int>(Level::machine); index >= 0; --index) {
    std::vector<CpuSet>& objects = objects_[index];
    const hwloc_obj_type_t type = native_type(static_cast<Level>(index));
    CpuSet covered;
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(native_, type, object)) != nullptr;) {
      CpuSet set;
      hwloc_bitmap_copy(set.native(), object->cpuset);
      set &= allowed_;
      set -= covered;  // memory-only NUMA domains and those that share CPUs add no places
      if (set.empty()) continue;
      covered |= set;
      objects.push_back(std::move(set));
    }
    shown_[index] = !objects.empty();
    if (objects.empty()) {
      if (index == static_cast<int>(Level::machine))
        objects.push_back(allowed_);
      else
        objects = objects_[index + 1];
    }
  }
  // Some virtual machines show hardware threads without cores.
  if (hwloc_get_nbobjs_by_type(native_, HWLOC_OBJ_CORE) <= 0)
    objects_[static_cast<int>(Level::core)] = objects_[static_cast<int>(Level::hwthread)];
}

std::string Topology::summary() const
{
  std::string text = counted(objects(Level::package).size(), "package") + ", " +
                     counted(objects(Level::numa).size(), "NUMA domain") + ", " +
                     counted(objects(Level::core).size(), "core") + ", " +
                     counted(hwthreads(), "hardware thread");
  const int machine = hwloc_get_nbobjs_by_type(native_, HWLOC_OBJ_PU);
  if (machine > hwthreads()) text += " allowed of " + std::to_string(machine);
  if (usable_cpus_ != hwthreads()) text += ", " + std::to_string(usable_cpus_) + " usable at once";
  return text;
}

bool Topology::bind_this_thread(const CpuSet& set) const
{
  return hwloc_set_cpubind(native_, set.native(), HWLOC_CPUBIND_THREAD) == 0;
}

}  // namespace ranklet
