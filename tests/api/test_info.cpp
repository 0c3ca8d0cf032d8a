#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <string>

#include "api/error_class.hpp"
#include "api/handles/rank_state.hpp"
#include "api/impl/job_setup.hpp"
#include "support/ranks.hpp"

using namespace ranklet;
using test::class_of;

namespace {

void run_initialized(const std::function<void()>& body)
{
  JobOptions options;
  options.extensions = api::extensions();
  Job job(1, options);
  test::run_ranks(job, [&](Rank&) {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    body();
  });
}

}  // namespace

TEST_CASE("keys keep the order in which they were set")
{
  run_initialized([] {
    MPI_Info info = MPI_INFO_NULL;
    REQUIRE(MPI_Info_create(&info) == MPI_SUCCESS);
    for (const char* key : {"zeta", "alpha", "mid"}) REQUIRE(MPI_Info_set(info, key, key) == MPI_SUCCESS);
    REQUIRE(MPI_Info_set(info, "alpha", "again") == MPI_SUCCESS);
    int keys = -1;
    REQUIRE(MPI_Info_get_nkeys(info, &keys) == MPI_SUCCESS);
    CHECK(keys == 3);
    char key[MPI_MAX_INFO_KEY];
    const std::string expected[] = {"zeta", "alpha", "mid"};
    for (int n = 0; n < 3; ++n) {
      REQUIRE(MPI_Info_get_nthkey(info, n, key) == MPI_SUCCESS);
      CHECK(key == expected[n]);
    }
    CHECK(class_of(MPI_Info_get_nthkey(info, 3, key)) == MPI_ERR_ARG);
    MPI_Info copy = MPI_INFO_NULL;
    REQUIRE(MPI_Info_dup(info, &copy) == MPI_SUCCESS);
    REQUIRE(MPI_Info_delete(info, "alpha") == MPI_SUCCESS);
    CHECK(class_of(MPI_Info_delete(info, "alpha")) == MPI_ERR_INFO_NOKEY);
    REQUIRE(MPI_Info_get_nkeys(copy, &keys) == MPI_SUCCESS);
    CHECK(keys == 3);
    REQUIRE(MPI_Info_free(&info) == MPI_SUCCESS);
    REQUIRE(MPI_Info_free(&copy) == MPI_SUCCESS);
    CHECK(class_of(MPI_Info_free(&copy)) == MPI_ERR_INFO);
  });
}

TEST_CASE("MPI_Info_get_string tells the length that it needs and never writes past the buffer")
{
  run_initialized([] {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    int flag = -1;
    int length = 0;
    REQUIRE(MPI_Info_get_string(info, "key", &length, nullptr, &flag) == MPI_SUCCESS);
    CHECK(flag == 1);
    CHECK(length == 6);
    char value[8] = "#######";
    length = 4;
    REQUIRE(MPI_Info_get_string(info, "key", &length, value, &flag) == MPI_SUCCESS);
    CHECK(std::string(value) == "val");
    CHECK(value[4] == '#');
    CHECK(length == 6);
    length = 8;
    REQUIRE(MPI_Info_get_string(info, "other", &length, value, &flag) == MPI_SUCCESS);
    CHECK(flag == 0);
    CHECK(length == 8);
    // The older calls do not count the final zero.
    REQUIRE(MPI_Info_get_valuelen(info, "key", &length, &flag) == MPI_SUCCESS);
    CHECK(length == 5);
    REQUIRE(MPI_Info_get(info, "key", 2, value, &flag) == MPI_SUCCESS);
    CHECK(std::string(value) == "va");
    MPI_Info_free(&info);
  });
}

TEST_CASE("keys and values have the lengths of the ABI")
{
  run_initialized([] {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    const std::string longest_key(MPI_MAX_INFO_KEY - 1, 'k');
    const std::string longest_value(MPI_MAX_INFO_VAL - 1, 'v');
    CHECK(MPI_Info_set(info, longest_key.c_str(), longest_value.c_str()) == MPI_SUCCESS);
    CHECK(class_of(MPI_Info_set(info, (longest_key + "k").c_str(), "v")) == MPI_ERR_INFO_KEY);
    CHECK(class_of(MPI_Info_set(info, "", "v")) == MPI_ERR_INFO_KEY);
    CHECK(class_of(MPI_Info_set(info, "k", (longest_value + "v").c_str())) == MPI_ERR_INFO_VALUE);
    MPI_Info_free(&info);
  });
}
