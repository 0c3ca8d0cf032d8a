#include "libc/time_zone.hpp"

#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <set>
#include <vector>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

// libc's zone. It takes the name from the host's environment, where nobody else looks for it: ranks have
// environments of their own.
class ProcessZone {
 public:
  static ProcessZone& instance()
  {
    static ProcessZone zone;
    return zone;
  }

  void load(const std::string& name) RANKLET_REQUIRES(TimeZone::process_zone)
  {
    if (loaded_ && name_ == name) return;
    // The array is ours, so that changing an entry is one store, which readers in other threads of the host
    // cannot see by half. setenv may have replaced it. Arrays and strings stay, as somebody may be reading
    // them.
    if (environ != variables_) {
      auto* const copy = new std::vector<char*>{nullptr};
      for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
        if (std::string_view(*entry).substr(0, 3) != "TZ=") copy->push_back(*entry);
      copy->push_back(nullptr);
      (*copy)[0] = assignment(name);
      variables_ = copy->data();
      environ = variables_;
    } else {
      variables_[0] = assignment(name);
    }
    ::tzset();
    name_ = name;
    loaded_ = true;
  }

 private:
  char* assignment(const std::string& name) RANKLET_REQUIRES(TimeZone::process_zone)
  {
    return const_cast<char*>(assignments_.insert("TZ=" + name).first->c_str());
  }

  bool loaded_ RANKLET_GUARDED_BY(TimeZone::process_zone) = false;
  std::string name_ RANKLET_GUARDED_BY(TimeZone::process_zone);
  char** variables_ RANKLET_GUARDED_BY(TimeZone::process_zone) = nullptr;
  std::set<std::string> assignments_ RANKLET_GUARDED_BY(TimeZone::process_zone);  // nodes do not move
};

}  // namespace

constinit Mutex TimeZone::process_zone;

void TimeZone::load(Look look)
{
  if (look == Look::refresh || !known_) {
    // Without TZ the zone is the system's file (tzset(3)); the colon makes it a file's name.
    const char* const name = environment_.get("TZ");
    name_ = name != nullptr ? name : ":/etc/localtime";
    known_ = true;
  }
  ProcessZone::instance().load(name_);
}

void TimeZone::publish() const
{
  variables_.zone_names[0] = ::tzname[0];
  variables_.zone_names[1] = ::tzname[1];
  *variables_.zone_offset = ::timezone;
  *variables_.zone_has_summer = ::daylight;
}

namespace {

constexpr auto refresh = TimeZone::Look::refresh;

// Calls the function in the zone of the calling thread's rank.
template <class Function>
auto in_zone(TimeZone::Look look, Function function)
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->zone.with(look, function) : function();
}

void rank_tzset()
{
  in_zone(refresh, [] { ::tzset(); });
}

std::tm* rank_localtime_r(const std::time_t* time, std::tm* result)
{
  return in_zone(TimeZone::Look::keep, [=] { return ::localtime_r(time, result); });
}

std::tm* rank_localtime(const std::time_t* time)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return std::localtime(time);
  return in_zone(refresh, [=] { return ::localtime_r(time, &state->results.time); });
}

char* rank_ctime_r(const std::time_t* time, char* text)
{
  std::tm parts;
  return rank_localtime_r(time, &parts) == nullptr ? nullptr : ::asctime_r(&parts, text);
}

char* rank_ctime(const std::time_t* time)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return std::ctime(time);
  const std::tm* const parts = rank_localtime(time);
  return parts == nullptr ? nullptr : ::asctime_r(parts, state->results.time_text.data());
}

std::time_t rank_mktime(std::tm* parts)
{
  return in_zone(refresh, [=] { return std::mktime(parts); });
}

std::size_t rank_strftime(char* text, std::size_t room, const char* format, const std::tm* parts)
{
  return in_zone(refresh, [=] { return std::strftime(text, room, format, parts); });
}

std::size_t rank_strftime_l(char* text, std::size_t room, const char* format, const std::tm* parts,
                            locale_t locale)
{
  return in_zone(refresh, [=] { return ::strftime_l(text, room, format, parts, locale); });
}

std::size_t rank_wcsftime(wchar_t* text, std::size_t room, const wchar_t* format, const std::tm* parts)
{
  return in_zone(refresh, [=] { return std::wcsftime(text, room, format, parts); });
}

std::size_t rank_wcsftime_l(wchar_t* text, std::size_t room, const wchar_t* format, const std::tm* parts,
                            locale_t locale)
{
  return in_zone(refresh, [=] { return ::wcsftime_l(text, room, format, parts, locale); });
}

// %s makes local time of a number.
char* rank_strptime(const char* text, const char* format, std::tm* parts)
{
  return in_zone(TimeZone::Look::keep, [=] { return ::strptime(text, format, parts); });
}

char* rank_strptime_l(const char* text, const char* format, std::tm* parts, locale_t locale)
{
  return in_zone(TimeZone::Look::keep, [=] { return ::strptime_l(text, format, parts, locale); });
}

const Override zone_table[] = {
    override_with("tzset", &rank_tzset),
    override_with("__tzset", &rank_tzset),
    override_with("localtime", &rank_localtime),
    override_with("localtime_r", &rank_localtime_r),
    override_with("__localtime_r", &rank_localtime_r),
    override_with("ctime", &rank_ctime),
    override_with("ctime_r", &rank_ctime_r),
    override_with("mktime", &rank_mktime),
    override_with("timelocal", &rank_mktime),
    override_with("strftime", &rank_strftime),
    override_with("strftime_l", &rank_strftime_l),
    override_with("__strftime_l", &rank_strftime_l),  // what std::put_time calls
    override_with("wcsftime", &rank_wcsftime),
    override_with("wcsftime_l", &rank_wcsftime_l),
    override_with("__wcsftime_l", &rank_wcsftime_l),
    override_with("strptime", &rank_strptime),
    override_with("strptime_l", &rank_strptime_l),
};

}  // namespace

std::span<const Override> zone_overrides()
{
  return zone_table;
}

}  // namespace ranklet::loader
