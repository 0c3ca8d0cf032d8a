// The machine as this process may use it: its cores, hardware threads, caches and NUMA domains, cut down to
// what taskset and cgroups allow, and how many of them the cgroup's CPU quota leaves to run at once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct hwloc_bitmap_s;
struct hwloc_topology;

namespace ranklet {

// A set of hardware threads, by the operating system's numbers.
class CpuSet {
 public:
  CpuSet();
  CpuSet(const CpuSet& other);
  CpuSet(CpuSet&& other) noexcept;
  CpuSet& operator=(CpuSet other) noexcept;
  ~CpuSet();

  void add(int cpu);
  bool contains(int cpu) const;
  int count() const;
  bool empty() const { return count() == 0; }
  int first() const { return next(-1); }  // -1 if empty
  int next(int cpu) const;                // the lowest member above cpu, or -1

  CpuSet& operator&=(const CpuSet& other);
  CpuSet& operator|=(const CpuSet& other);
  CpuSet& operator-=(const CpuSet& other);
  friend bool operator==(const CpuSet& a, const CpuSet& b);

  std::string text() const;  // "0-3,8"
  hwloc_bitmap_s* native() const { return bits_; }

 private:
  hwloc_bitmap_s* bits_;
};

enum class Level { hwthread, core, l1cache, l2cache, l3cache, numa, package, machine };

// The level a user names: "core", "socket" and "package", "hwt", "numanode", "board" … False if unknown.
bool parse_level(std::string_view word, Level& level);
const char* level_name(Level level);

// Immutable once made, hence safe to share between threads.
class Topology {
 public:
  Topology();  // this machine
  // For tests: hwloc's synthetic description ("package:2 core:4 pu:2"), CPUs outside `allowed` left out.
  explicit Topology(const std::string& synthetic, const CpuSet* allowed = nullptr);
  ~Topology();
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  // The process's machine, found at the first call (about a millisecond). Thread-safe.
  static const Topology& machine();

  const CpuSet& allowed() const { return allowed_; }
  int cores() const { return static_cast<int>(objects(Level::core).size()); }
  int hwthreads() const { return allowed_.count(); }

  // How many threads can run at once: the allowed hardware threads, or the whole CPUs of the quota if fewer;
  // at least 1. RANKLET_CORES overrides it.
  int usable_cpus() const { return usable_cpus_; }
  double quota() const { return quota_; }  // CPUs; 0: no quota

  // The objects of a level in machine order, each as its allowed hardware threads; those without any are left
  // out. A machine without that level (no L3, one NUMA domain) gives what contains it.
  const std::vector<CpuSet>& objects(Level level) const { return objects_[static_cast<int>(level)]; }

  // Whether the machine shows that level itself.
  bool shows(Level level) const { return shown_[static_cast<int>(level)]; }

  // "2 packages, 4 NUMA domains, 64 cores, 128 hardware threads (16 allowed, quota 8 CPUs)"
  std::string summary() const;

  // Pins the calling thread; false if the system refuses.
  bool bind_this_thread(const CpuSet& set) const;

 private:
  void collect_objects();

  hwloc_topology* native_ = nullptr;
  CpuSet allowed_;
  std::vector<CpuSet> objects_[static_cast<int>(Level::machine) + 1];
  bool shown_[static_cast<int>(Level::machine) + 1] = {};
  double quota_ = 0;
  int usable_cpus_ = 1;
};

// The CPUs that the cgroups (v1 and v2, every ancestor) of a process grant it, 0 if unlimited. `proc_self` is
// "/proc/self"; tests pass a directory with their own cgroup and mountinfo, whose mount points lie under
// `root`.
double cgroup_cpu_quota(const std::string& proc_self = "/proc/self", const std::string& root = "");

}  // namespace ranklet
