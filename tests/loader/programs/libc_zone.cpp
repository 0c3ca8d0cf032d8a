// A rank's time zone, while the other ranks change theirs. The rank is in the variable RANK.
#include <ctime>
#include <iomanip>
#include <sstream>
#include <string>

#include "check.h"

int main()
{
  const int rank = std::atoi(std::getenv("RANK"));
  const std::string name = "Z0" + std::to_string(rank);
  const long offset = rank * 3600L;
  const std::time_t noon = 12 * 3600;

  std::tm parts{};
  // Not yet asked for: localtime_r begins with the zone of the environment.
  setenv("TZ", rank == 0 ? "UTC" : ("<" + name + ">" + std::to_string(rank)).c_str(), 1);
  CHECK(localtime_r(&noon, &parts) == &parts && parts.tm_hour == 12 - rank);
  CHECK(parts.tm_gmtoff == -offset);
  for (int i = 0; i < 300; ++i) {
    tzset();
    CHECK(timezone == offset && daylight == 0);
    CHECK(std::string(tzname[0]) == (rank == 0 ? "UTC" : name));
    CHECK(std::localtime(&noon)->tm_hour == 12 - rank);
    std::tm start{};
    start.tm_year = 70;
    start.tm_mday = 1;
    CHECK(std::mktime(&start) == offset);
    char text[64];
    const std::string format = "%H %Z %z %s";  // %s is glibc's
    CHECK(std::strftime(text, sizeof text, format.c_str(), std::localtime(&noon)) > 0);
    char expected[64];
    std::snprintf(expected, sizeof expected, "%02d %s %c%02d00 43200", 12 - rank,
                  rank == 0 ? "UTC" : name.c_str(), rank == 0 ? '+' : '-', rank);
    CHECK(std::string(text) == expected);
    CHECK(std::string(std::ctime(&noon)).substr(11, 2) == std::string(expected, 2));
    char line[26];
    CHECK(ctime_r(&noon, line) && std::string(line).substr(11, 2) == std::string(expected, 2));
    std::ostringstream stream;
    stream << std::put_time(std::localtime(&noon), "%H %Z");
    CHECK(stream.str() == std::string(expected, 3) + (rank == 0 ? "UTC" : name));
    CHECK(strptime("43200", "%s", &parts) && parts.tm_hour == 12 - rank);
    CHECK(std::gmtime(&noon)->tm_hour == 12);
    wchar_t wide[8];
    CHECK(std::wcsftime(wide, 8, L"%H", std::localtime(&noon)) == 2 && wide[0] == wchar_t(expected[0]));
  }

  // localtime_r goes on with the zone that tzset saw last; localtime looks again.
  setenv("TZ", "<SUM>-1<MER>-2,0/0,364/24", 1);
  CHECK(localtime_r(&noon, &parts) && parts.tm_hour == 12 - rank);
  CHECK(std::localtime(&noon)->tm_hour == 14);
  CHECK(daylight == 1 && timezone == -3600 && std::string(tzname[1]) == "MER");
  CHECK(localtime_r(&noon, &parts) && parts.tm_hour == 14 && parts.tm_isdst == 1);
  unsetenv("TZ");
  tzset();
  setenv("TZ", "", 1);
  tzset();
  CHECK(timezone == 0 && std::localtime(&noon)->tm_hour == 12);
  return check_failures != 0;
}
