// What libc's functions keep or return in static storage.
#pragma once

#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <search.h>

#include <array>
#include <ctime>
#include <vector>

namespace ranklet::loader {

// One call's result lives until the next call of the same kind in the same rank. Like libc's, not for several
// threads of a rank at once.
struct StaticResults {
  char* strtok_rest = nullptr;
  std::tm time{};
  std::array<char, 128> time_text{};
  hsearch_data table{};

  template <class Entry>
  struct Lookup {
    Entry entry{};
    std::vector<char> buffer = std::vector<char>(1024);
  };
  Lookup<passwd> user;
  Lookup<group> group_of_users;
  Lookup<hostent> host;
};

}  // namespace ranklet::loader
