#include "libc/static.hpp"

#include <cerrno>
#include <cstring>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

char* rank_strtok(char* text, const char* separators)
{
  LibcState* const state = current_libc();
  return state != nullptr ? ::strtok_r(text, separators, &state->results.strtok_rest)
                          : std::strtok(text, separators);
}

std::tm* rank_gmtime(const std::time_t* time)
{
  LibcState* const state = current_libc();
  return state != nullptr ? ::gmtime_r(time, &state->results.time) : std::gmtime(time);
}

char* rank_asctime(const std::tm* time)
{
  LibcState* const state = current_libc();
  return state != nullptr ? ::asctime_r(time, state->results.time_text.data()) : std::asctime(time);
}

int rank_hcreate(std::size_t size)
{
  LibcState* const state = current_libc();
  return state != nullptr ? ::hcreate_r(size, &state->results.table) : ::hcreate(size);
}

void rank_hdestroy()
{
  LibcState* const state = current_libc();
  if (state != nullptr)
    ::hdestroy_r(&state->results.table);
  else
    ::hdestroy();
}

ENTRY* rank_hsearch(ENTRY item, ACTION action)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return ::hsearch(item, action);
  ENTRY* found = nullptr;
  ::hsearch_r(item, action, &found, &state->results.table);
  return found;
}

// Calls a function of the _r kind with a buffer that grows until the entry fits.
template <class Entry, class Function>
Entry* look_up(StaticResults::Lookup<Entry>& lookup, Function function)
{
  for (;;) {
    Entry* found = nullptr;
    const int error = function(&lookup.entry, lookup.buffer.data(), lookup.buffer.size(), &found);
    if (error != ERANGE) {
      if (error != 0) errno = error;
      return found;
    }
    lookup.buffer.resize(lookup.buffer.size() * 2);
  }
}

passwd* rank_getpwnam(const char* name)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return ::getpwnam(name);
  return look_up(state->results.user, [=](passwd* entry, char* buffer, std::size_t size, passwd** found) {
    return ::getpwnam_r(name, entry, buffer, size, found);
  });
}

passwd* rank_getpwuid(uid_t id)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return ::getpwuid(id);
  return look_up(state->results.user, [=](passwd* entry, char* buffer, std::size_t size, passwd** found) {
    return ::getpwuid_r(id, entry, buffer, size, found);
  });
}

group* rank_getgrnam(const char* name)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return ::getgrnam(name);
  return look_up(state->results.group_of_users,
                 [=](group* entry, char* buffer, std::size_t size, group** found) {
                   return ::getgrnam_r(name, entry, buffer, size, found);
                 });
}

group* rank_getgrgid(gid_t id)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return ::getgrgid(id);
  return look_up(state->results.group_of_users,
                 [=](group* entry, char* buffer, std::size_t size, group** found) {
                   return ::getgrgid_r(id, entry, buffer, size, found);
                 });
}

hostent* rank_gethostbyname(const char* name)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return ::gethostbyname(name);
  return look_up(state->results.host, [=](hostent* entry, char* buffer, std::size_t size, hostent** found) {
    int error = 0;
    const int result = ::gethostbyname_r(name, entry, buffer, size, found, &error);
    if (result != ERANGE) h_errno = error;
    return result;
  });
}

const Override static_table[] = {
    override_with("strtok", &rank_strtok),
    override_with("gmtime", &rank_gmtime),
    override_with("asctime", &rank_asctime),
    override_with("hcreate", &rank_hcreate),
    override_with("hdestroy", &rank_hdestroy),
    override_with("hsearch", &rank_hsearch),
    override_with("getpwnam", &rank_getpwnam),
    override_with("getpwuid", &rank_getpwuid),
    override_with("getgrnam", &rank_getgrnam),
    override_with("getgrgid", &rank_getgrgid),
    override_with("gethostbyname", &rank_gethostbyname),
};

}  // namespace

std::span<const Override> static_overrides()
{
  return static_table;
}

}  // namespace ranklet::loader
