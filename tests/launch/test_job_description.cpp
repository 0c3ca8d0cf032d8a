#include <doctest/doctest.h>

#include <algorithm>

#include <unistd.h>

#include "launch/job_description.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using namespace ranklet::launch;

namespace {

JobDescription two_programs()
{
  JobDescription job;
  job.programs.push_back({"/bin/one", 2, {"one", "a b", ""}, "/", {"A=1", "PMI_RANK=7", "RANKLET_UNDER=4", "RANKLET_HANDOVER=x"}});
  job.programs.push_back({"/bin/two", 3, {"two"}, "/tmp", {}});
  job.print_all_exit_codes = true;
  job.world = 3;
  return job;
}

bool has(const std::vector<std::string>& list, const std::string& text)
{
  return std::ranges::find(list, text) != list.end();
}

}  // namespace

TEST_CASE("numbers of ranks that cannot be are damage")
{
  for (const int ranks : {-1, 2147483647}) {
    JobDescription job = two_programs();
    job.programs[1].ranks = ranks;
    const int descriptor = write_description(job);
    CHECK_THROWS_AS(read_description(descriptor), const Error&);
    ::close(descriptor);
  }
}

TEST_CASE("a description survives the way through its file, as often as it is read")
{
  const JobDescription job = two_programs();
  const int descriptor = write_description(job);
  for (int time = 0; time < 2; ++time) {
    const JobDescription copy = read_description(descriptor);
    REQUIRE(copy.programs.size() == 2);
    CHECK(copy.programs[0].arguments == job.programs[0].arguments);
    CHECK(copy.programs[0].environment == job.programs[0].environment);
    CHECK(copy.programs[1].path == "/bin/two");
    CHECK(copy.programs[1].directory == "/tmp");
    CHECK(copy.size() == 5);
    CHECK(copy.print_all_exit_codes);
    CHECK_FALSE(copy.verbose);
    CHECK(copy.world == 3);
  }
  for (const off_t bytes : {off_t{40}, off_t{1} << 50}) {
    REQUIRE(::ftruncate(descriptor, bytes) == 0);
    CHECK_THROWS_AS(read_description(descriptor), Error);
  }
  ::close(descriptor);
}

TEST_CASE("ranks are numbered program by program")
{
  const JobDescription job = two_programs();
  CHECK(job.program_of(0) == 0);
  CHECK(job.program_of(1) == 0);
  CHECK(job.program_of(2) == 1);
  CHECK(job.program_of(4) == 1);
  CHECK(job.program_of(5) == -1);
  CHECK(rank_text(job, 3) == "rank 3 (two)");
}

TEST_CASE("a rank's environment says who it is, whatever was inherited")
{
  const JobDescription job = two_programs();
  const std::vector<std::string> environment = rank_environment(job, 1);
  for (const char* wanted : {"A=1", "PMI_RANK=1", "PMI_SIZE=5", "OMPI_COMM_WORLD_RANK=1",
                             "OMPI_COMM_WORLD_SIZE=5", "OMPI_COMM_WORLD_LOCAL_RANK=1", "MPI_LOCALRANKID=1",
                             "MPI_LOCALNRANKS=5", "RANKLET_RANK=1", "RANKLET_SIZE=5"}) {
    CAPTURE(wanted);
    CHECK(has(environment, wanted));
  }
  CHECK_FALSE(has(environment, "PMI_RANK=7"));
  CHECK_FALSE(has(environment, "RANKLET_UNDER=4"));
  CHECK_FALSE(has(environment, "RANKLET_HANDOVER=x"));
}
