#include "libc/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

bool names(const char* assignment, std::string_view name)
{
  return std::strncmp(assignment, name.data(), name.size()) == 0 && assignment[name.size()] == '=';
}

bool is_name(const char* name)
{
  if (name != nullptr && *name != '\0' && std::strchr(name, '=') == nullptr) return true;
  errno = EINVAL;
  return false;
}

}  // namespace

Environment::Environment(char*** variable) : variable_(variable)
{
  for (char** entry = *variable; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    block_.push_back(keep(text.substr(0, equals), text.substr(equals + 1)));
  }
  block_.push_back(nullptr);
  *variable_ = block_.data();
}

char* Environment::keep(std::string_view name, std::string_view value)
{
  auto text = std::make_unique<char[]>(name.size() + value.size() + 2);
  std::memcpy(text.get(), name.data(), name.size());
  text[name.size()] = '=';
  std::memcpy(text.get() + name.size() + 1, value.data(), value.size());
  strings_.push_back(std::move(text));
  return strings_.back().get();
}

char* Environment::get(const char* name) const noexcept
{
  const std::string_view wanted = name;
  for (char** entry = *variable_; entry != nullptr && *entry != nullptr; ++entry)
    if (names(*entry, wanted)) return *entry + wanted.size() + 1;
  return nullptr;
}

// The program may have set `environ` to an array of its own.
void Environment::take_over()
{
  if (*variable_ == block_.data()) {
    // It may also have moved the end of ours.
    block_.resize(
        static_cast<std::size_t>(std::find(block_.begin(), block_.end(), nullptr) - block_.begin()));
  } else {
    block_.clear();
    for (char** entry = *variable_; entry != nullptr && *entry != nullptr; ++entry) block_.push_back(*entry);
  }
  block_.push_back(nullptr);
  *variable_ = block_.data();
}

void Environment::replace(std::string_view name, char* assignment)
{
  take_over();
  const auto place =
      std::find_if(block_.begin(), block_.end() - 1, [&](const char* entry) { return names(entry, name); });
  if (place != block_.end() - 1)
    *place = assignment;
  else
    block_.insert(place, assignment);
  *variable_ = block_.data();
}

int Environment::set(const char* name, const char* value, bool overwrite)
{
  if (!is_name(name)) return -1;
  const Holder guard(mutex_);
  if (!overwrite && get(name) != nullptr) return 0;
  replace(name, keep(name, value));
  return 0;
}

int Environment::unset(const char* name)
{
  if (!is_name(name)) return -1;
  const Holder guard(mutex_);
  if (*variable_ == nullptr) return 0;
  take_over();
  std::erase_if(block_, [&](const char* entry) { return entry != nullptr && names(entry, name); });
  return 0;
}

int Environment::put(char* assignment)
{
  const char* equals = std::strchr(assignment, '=');
  if (equals == nullptr) return unset(assignment);
  const Holder guard(mutex_);
  replace({assignment, static_cast<std::size_t>(equals - assignment)}, assignment);
  return 0;
}

int Environment::clear()
{
  const Holder guard(mutex_);
  block_.assign(1, nullptr);
  *variable_ = nullptr;
  return 0;
}

namespace {

char* rank_getenv(const char* name)
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->environment.get(name) : std::getenv(name);
}

int rank_setenv(const char* name, const char* value, int overwrite)
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->environment.set(name, value, overwrite != 0)
                          : ::setenv(name, value, overwrite);
}

int rank_unsetenv(const char* name)
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->environment.unset(name) : ::unsetenv(name);
}

int rank_putenv(char* assignment)
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->environment.put(assignment) : ::putenv(assignment);
}

int rank_clearenv()
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->environment.clear() : ::clearenv();
}

const Override environment_table[] = {
    override_with("getenv", &rank_getenv),
    override_with("secure_getenv", &rank_getenv),  // the host is no set-user-id program
    override_with("__secure_getenv", &rank_getenv),
    override_with("setenv", &rank_setenv),
    override_with("unsetenv", &rank_unsetenv),
    override_with("putenv", &rank_putenv),
    override_with("clearenv", &rank_clearenv),
};

}  // namespace

std::span<const Override> environment_overrides()
{
  return environment_table;
}

}  // namespace ranklet::loader
