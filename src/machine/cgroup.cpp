// The CPU quota of control groups, version 1 (cpu.cfs_quota_us) and 2 (cpu.max).
#include <fstream>
#include <sstream>

#include "machine/topology.hpp"

namespace ranklet {
namespace {

struct Mount {
  std::string root;   // the part of the hierarchy that is mounted (containers see only theirs)
  std::string point;  // where
};

std::vector<std::string> words(const std::string& line, char separator)
{
  std::vector<std::string> result;
  std::istringstream stream(line);
  for (std::string word; std::getline(stream, word, separator);) result.push_back(word);
  return result;
}

bool has_word(const std::string& list, const char* wanted)
{
  for (const std::string& word : words(list, ','))
    if (word == wanted) return true;
  return false;
}

// proc(5): "36 35 98:0 /root /mount/point options [optional]... - type source super-options"
bool find_mount(const std::string& proc_self, bool version2, Mount& mount)
{
  std::ifstream file(proc_self + "/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == line.npos) continue;
    const std::vector<std::string> left = words(line.substr(0, dash), ' ');
    const std::vector<std::string> right = words(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.empty()) continue;
    const bool wanted = version2 ? right[0] == "cgroup2"
                                 : right[0] == "cgroup" && right.size() > 2 && has_word(right[2], "cpu");
    if (!wanted) continue;
    mount = {left[3], left[4]};
    return true;
  }
  return false;
}

// One group's limit in CPUs, 0 if it has none.
double limit_of(const std::string& directory, bool version2)
{
  double quota = 0;
  double period = 0;
  if (version2) {
    std::ifstream file(directory + "/cpu.max");  // "max 100000" or "150000 100000"
    if (!(file >> quota >> period)) return 0;
  } else {
    std::ifstream quota_file(directory + "/cpu.cfs_quota_us");
    std::ifstream period_file(directory + "/cpu.cfs_period_us");
    if (!(quota_file >> quota) || !(period_file >> period)) return 0;
  }
  return quota > 0 && period > 0 ? quota / period : 0;
}

double quota_along(const Mount& mount, std::string group, bool version2, const std::string& root)
{
  // Under a cgroup namespace the path is already relative to the mount; otherwise the mounted root is its
  // prefix.
  if (mount.root != "/" && group.starts_with(mount.root)) group.erase(0, mount.root.size());
  if (group.starts_with("/..")) group.clear();
  double least = 0;
  while (true) {
    const double limit = limit_of(root + mount.point + group, version2);
    if (limit > 0 && (least <= 0 || limit < least)) least = limit;
    const std::size_t slash = group.rfind('/');
    if (group.empty() || slash == group.npos) return least;
    group.erase(slash);
  }
}

}  // namespace

double cgroup_cpu_quota(const std::string& proc_self, const std::string& root)
{
  double least = 0;
  std::ifstream file(proc_self + "/cgroup");
  for (std::string line; std::getline(file, line);) {  // "4:cpu,cpuacct:/path" or "0::/path"
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version2 = controllers.empty();
    Mount mount;
    if (!version2 && !has_word(controllers, "cpu")) continue;
    if (!find_mount(proc_self, version2, mount)) continue;
    const double limit = quota_along(mount, line.substr(second + 1), version2, root);
    if (limit > 0 && (least <= 0 || limit < least)) least = limit;
  }
  return least;
}

}  // namespace ranklet
