#include <doctest/doctest.h>

#include "launch/finding_records.hpp"
#include "launch/kept_run.hpp"

using namespace ranklet;
using namespace ranklet::launch;

TEST_CASE("findings come through a file as they are, but for one that is cut off")
{
  check::Finding finding;
  finding.weight = check::Finding::Weight::leak;
  finding.what = "two\nlines";
  finding.rule = "MPI 5.0 §3.7";
  finding.rank = 7;
  finding.world = 2;
  finding.call = std::string("a\0b", 3);
  finding.place = "main() at x.c:3";
  finding.source =
      SourceLocation{.function = "main", .file = "/src/x.c", .line = 3, .module = {}, .offset = 0};
  check::Finding other;
  other.other = "rank 1";
  const TemporaryFile file;
  {
    FindingRecords records(file.path());
    records.add(finding);
    records.add(other);
  }
  const std::string bytes = file.read();
  const std::vector<check::Finding> found = read_findings(bytes);
  REQUIRE(found.size() == 2);
  CHECK(found[0].weight == finding.weight);
  CHECK(found[0].what == finding.what);
  CHECK(found[0].rule == finding.rule);
  CHECK(found[0].rank == 7);
  CHECK(found[0].world == 2);
  CHECK(found[0].call == finding.call);
  CHECK(found[0].place == finding.place);
  REQUIRE(found[0].source);
  CHECK(found[0].source->file == "/src/x.c");
  CHECK(found[0].source->line == 3);
  CHECK_FALSE(found[0].other_source);
  CHECK(found[1].other == "rank 1");
  CHECK(read_findings("").empty());
  for (std::size_t cut = 1; cut < bytes.size(); ++cut)
    CHECK(read_findings(std::string_view(bytes).substr(0, bytes.size() - cut)).size() < 2);
}
