#include <cstdint>
#include <doctest/doctest.h>

#include <array>

#include "base/config.hpp"

using namespace ranklet;

namespace {

Config read(std::initializer_list<const char*> entries)
{
  std::vector<const char*> environment(entries);
  environment.push_back(nullptr);
  return read_config(environment.data());
}

}  // namespace

TEST_CASE("an empty environment gives the defaults")
{
  const Config result = read({"HOME=/root", "RANKLET_EAGER_LIMIT="});
  const Config defaults;
  for (const ConfigOption& option : config_options()) {
    CAPTURE(option.name);
    CHECK(option.get(result) == option.get(defaults));
  }
  CHECK(result.warnings.empty());
}

TEST_CASE("each kind of value is read from its variable")
{
  const Config result = read({"RANKLET_WAIT=yield", "RANKLET_EAGER_LIMIT=64k", "RANKLET_TAG_OUTPUT=1",
                              "RANKLET_TIMEOUT=2.5", "RANKLET_BIND_TO=numa", "RANKLET_RANK=3"});
  CHECK(result.wait == WaitMode::yield);
  CHECK(result.eager_limit == 65536);
  CHECK(result.tag_output);
  CHECK(result.timeout == 2.5);
  CHECK(result.bind_to == "numa");
  CHECK(result.warnings.empty());
}

TEST_CASE("every option's value survives the way through text, and its variable is found again")
{
  for (const ConfigOption& option : config_options()) {
    CAPTURE(option.name);
    Config copy;
    CHECK(option.set(copy, option.get(Config{})));
    CHECK(find_config_option(option.variable().substr(8)) == &option);
    CHECK(config_help().find(option.variable()) != std::string::npos);
  }
}

TEST_CASE("unknown names and bad values are listed, and change nothing")
{
  const Config result = read({"RANKLET_EAGER_LIMT=1", "RANKLET_WAIT=sometimes", "RANKLET_QQQQ=1"});
  REQUIRE(result.warnings.size() == 3);
  CHECK(result.warnings[0] == "unknown variable RANKLET_EAGER_LIMT (did you mean RANKLET_EAGER_LIMIT?)");
  CHECK(result.warnings[1] ==
        "RANKLET_WAIT=sometimes is not understood: it takes auto|spin|yield|park; using auto");
  CHECK(result.warnings[2] == "unknown variable RANKLET_QQQQ");
  CHECK(result.wait == WaitMode::automatic);
}

TEST_CASE("sizes")
{
  std::int64_t value = 0;
  CHECK((parse_count("12", value) && value == 12));
  CHECK((parse_count("64k", value) && value == 65536));
  CHECK((parse_count("1.5M", value) && value == 1572864));
  CHECK((parse_count("2GiB", value) && value == std::int64_t{2} << 30));
  CHECK((parse_count("1e6", value) && value == 1000000));
  CHECK((parse_count("9007199254740993", value) && value == 9007199254740993));
  for (const char* bad : {"", "k", "12q", "1 2", "64kk", "1e99"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_count(bad, value));
  }
}

TEST_CASE("the closest word is near or none")
{
  constexpr std::array<std::string_view, 3> words = {"bind-to", "map-by", "timeout"};
  CHECK(closest_word("bindto", words) == "bind-to");
  CHECK(closest_word("time-out", words) == "timeout");
  CHECK(closest_word("verbose", words).empty());
}
