#include <doctest/doctest.h>

#include "launch/output_rules.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using namespace ranklet::launch;

TEST_CASE("tags are as wide as the widest rank")
{
  Config config;
  CHECK(output_settings(config, 11)[3].prefix[0] == "");
  config.tag_output = true;
  CHECK(output_settings(config, 11)[3].prefix[0] == "[3]  ");
  CHECK(output_settings(config, 11)[10].prefix[1] == "[10] ");
  config.prepend_pattern = "%r%%: ";
  CHECK(output_settings(config, 11)[10].prefix[1] == "10%: ");
}

TEST_CASE("each rank has a file of its own")
{
  Config config;
  config.output_filename = "out";
  CHECK(output_settings(config, 11)[3].file[0] == "out.03");
  CHECK(output_settings(config, 11)[3].file[1] == "out.03");
  config.output_filename = "out%%";
  CHECK(output_settings(config, 2)[1].file[0] == "out%.1");
  config.output_filename = "out";
  config.errfile_pattern = "err-%r.txt";
  CHECK(output_settings(config, 11)[3].file[0] == "out.03");
  CHECK(output_settings(config, 11)[3].file[1] == "err-3.txt");
}

TEST_CASE("standard input goes to one rank, to all or to none")
{
  Config config;
  CHECK(input_receiver(config, 4) == 0);
  config.stdin_rank = "3";
  CHECK(input_receiver(config, 4) == 3);
  CHECK_THROWS_AS(input_receiver(config, 3), Error);
  config.stdin_rank = "none";
  CHECK(input_receiver(config, 4) == -1);
  config.stdin_rank = "all";
  CHECK(input_receiver(config, 4) == -2);
  config.stdin_rank = "first";
  CHECK_THROWS_AS(input_receiver(config, 4), Error);
}
