#include "libc/locale.hpp"

#include <langinfo.h>
#include <locale.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

struct Category {
  int number;
  const char* name;
};

// In the order in which glibc lists them in a composite name.
constexpr std::array<Category, 12> categories = {{
    {LC_CTYPE, "LC_CTYPE"},
    {LC_NUMERIC, "LC_NUMERIC"},
    {LC_TIME, "LC_TIME"},
    {LC_COLLATE, "LC_COLLATE"},
    {LC_MONETARY, "LC_MONETARY"},
    {LC_MESSAGES, "LC_MESSAGES"},
    {LC_PAPER, "LC_PAPER"},
    {LC_NAME, "LC_NAME"},
    {LC_ADDRESS, "LC_ADDRESS"},
    {LC_TELEPHONE, "LC_TELEPHONE"},
    {LC_MEASUREMENT, "LC_MEASUREMENT"},
    {LC_IDENTIFICATION, "LC_IDENTIFICATION"},
}};

// What "" means for a category (setlocale(3)).
std::string from_environment(const Category& category, const char* (*variable)(const char*))
{
  for (const char* name : {"LC_ALL", category.name, "LANG"}) {
    const char* const value = variable(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return "C";
}

// The part of "LC_CTYPE=a;LC_NUMERIC=b…" that concerns the category, or the name itself if it is no list.
std::string part_of(std::string_view name, const Category& category)
{
  if (name.find(';') == std::string_view::npos) return std::string(name);
  const std::string key = std::string(category.name) + '=';
  const std::size_t place = name.find(key);
  if (place == std::string_view::npos) return "C";
  name.remove_prefix(place + key.size());
  return std::string(name.substr(0, name.find(';')));
}

}  // namespace

Locale::~Locale()
{
  if (current_ != nullptr) former_.push_back(current_);
  for (const locale_t each : former_) ::freelocale(each);
}

char* Locale::name_of(int category)
{
  const auto one = [this](const Category& which) RANKLET_REQUIRES(mutex_) -> std::string {
    return current_ == nullptr ? "C" : ::nl_langinfo_l(_NL_LOCALE_NAME(which.number), current_);
  };
  std::string name;
  if (category == LC_ALL) {
    name = one(categories[0]);
    const bool uniform =
        std::all_of(categories.begin(), categories.end(),
                    [&](const Category& c) RANKLET_REQUIRES(mutex_) { return one(c) == name; });
    if (!uniform) {
      name.clear();
      for (const Category& c : categories)
        name += (name.empty() ? "" : ";") + std::string(c.name) + '=' + one(c);
    }
  } else {
    const auto found = std::find_if(categories.begin(), categories.end(),
                                    [&](const Category& c) { return c.number == category; });
    if (found == categories.end()) return nullptr;
    name = one(*found);
  }
  const auto known = std::find(names_.begin(), names_.end(), name);
  if (known != names_.end()) return known->data();
  names_.push_back(std::move(name));
  return names_.back().data();
}

char* Locale::set(int category, const char* name, const char* (*variable)(const char*))
{
  const Holder guard(mutex_);
  if (name == nullptr) return name_of(category);
  locale_t changed = current_ == nullptr ? ::newlocale(LC_ALL_MASK, "C", nullptr) : ::duplocale(current_);
  bool known_category = false;
  for (const Category& c : categories) {
    if (category != LC_ALL && category != c.number) continue;
    known_category = true;
    const std::string wanted = *name == '\0' ? from_environment(c, variable) : part_of(name, c);
    // All or nothing: a name that is not installed leaves everything as it was.
    const locale_t next = changed == nullptr ? nullptr : ::newlocale(1 << c.number, wanted.c_str(), changed);
    if (next == nullptr) {
      if (changed != nullptr) ::freelocale(changed);
      return nullptr;
    }
    changed = next;
  }
  if (!known_category) {
    if (changed != nullptr) ::freelocale(changed);
    return nullptr;
  }
  if (current_ != nullptr) former_.push_back(current_);
  current_ = changed;
  ::uselocale(current_);
  return name_of(category);
}

void Locale::use_on_this_thread()
{
  const Holder guard(mutex_);
  if (current_ != nullptr) ::uselocale(current_);
}

namespace {

char* rank_setlocale(int category, const char* name)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return std::setlocale(category, name);
  return state->locale.set(category, name, [](const char* variable) -> const char* {
    return current_libc()->environment.get(variable);
  });
}

const Override locale_table[] = {
    override_with("setlocale", &rank_setlocale),
};

}  // namespace

std::span<const Override> locale_overrides()
{
  return locale_table;
}

}  // namespace ranklet::loader
