// Which section an error names.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "api/entry/argument_rules.hpp"

using namespace ranklet;
using namespace ranklet::api;

namespace {

std::string rule(std::string_view name, ErrorClass error, const std::string& text)
{
  const auto all = all_functions();
  const auto found =
      std::ranges::find_if(all, [&](const FunctionInfo& function) { return function.name == name; });
  REQUIRE(found != all.end());
  return argument_rule(*found, Error(error, text));
}

}  // namespace

TEST_CASE("an error about the message names the message's sections")
{
  CHECK(rule("MPI_Send", ErrorClass::rank, "dest is 7, but the ranks are 0 to 3") == "MPI 5.0 §3.2.3");
  CHECK(rule("MPI_Irecv", ErrorClass::tag, "tag is -7, which is negative") == "MPI 5.0 §3.2.3");
  CHECK(rule("MPI_Send", ErrorClass::count, "count is -1, which is negative") == "MPI 5.0 §3.2.2");
  CHECK(rule("MPI_Send", ErrorClass::buffer, "buf is a null pointer") == "MPI 5.0 §3.2.2");
  CHECK(rule("MPI_Bsend", ErrorClass::buffer, "the message needs 516 bytes") == "MPI 5.0 §3.6");
  CHECK(rule("MPI_Recv", ErrorClass::truncate, "the message of 8 bytes is longer") == "MPI 5.0 §3.2.4");
  CHECK(rule("MPI_Recv", ErrorClass::rank,
             "source is MPI_ANY_SOURCE, but the communicator's info says that x") == "MPI 5.0 §7.4.4");
}

TEST_CASE("an error about a handle names what null handles are, or where they are freed")
{
  CHECK(rule("MPI_Send", ErrorClass::type, "datatype is a derived datatype that was not committed") ==
        "MPI 5.0 §5.1.9");
  CHECK(rule("MPI_Send", ErrorClass::type, "datatype is MPI_DATATYPE_NULL") == "MPI 5.0 §2.5.1");
  CHECK(rule("MPI_Barrier", ErrorClass::comm, "comm is MPI_COMM_NULL") == "MPI 5.0 §2.5.1");
  CHECK(rule("MPI_Barrier", ErrorClass::comm, "comm is not a communicator but a group (handle 0x1)") ==
        "MPI 5.0 §2.5.1");
  const std::string freed = " that was freed or completed, or never existed";
  CHECK(rule("MPI_Barrier", ErrorClass::comm, "comm is a communicator" + freed) == "MPI 5.0 §7.4.3");
  CHECK(rule("MPI_Allreduce", ErrorClass::op, "op is an operator" + freed) == "MPI 5.0 §6.9.5");
  CHECK(rule("MPI_Wait", ErrorClass::request, "request is a request" + freed) == "MPI 5.0 §3.7.3");
  CHECK(rule("MPI_Put", ErrorClass::win, "win is a window" + freed) == "MPI 5.0 §12.2.5");
  CHECK(rule("MPI_File_read", ErrorClass::file, "fh is a file" + freed) == "MPI 5.0 §14.2.2");
  CHECK(rule("MPI_Info_set", ErrorClass::info, "info is an info object" + freed) == "MPI 5.0 §10");
}

TEST_CASE("other errors about arguments name the section of the function")
{
  CHECK(rule("MPI_Bcast", ErrorClass::root, "root is 7, but the ranks are 0 to 3") == "MPI 5.0 §6.4");
  CHECK(rule("MPI_Allreduce", ErrorClass::op, "MPI_BAND is not defined for MPI_DOUBLE") == "MPI 5.0 §6.9.2");
  CHECK(rule("MPI_Type_vector", ErrorClass::count, "count is -1, which is negative") == "MPI 5.0 §5.1.2");
  CHECK(rule("MPI_Put", ErrorClass::rank, "target_rank is 7, but the ranks are 0 to 3") == "MPI 5.0 §12.3");
  CHECK(rule("MPI_Put", ErrorClass::rma_sync, "no access epoch is open") == "MPI 5.0 §12.5");
  CHECK(rule("MPI_Start", ErrorClass::request, "the request is active already") == "MPI 5.0 §3.9");
  CHECK(rule("MPI_Comm_rank", ErrorClass::other, "MPI_Init was not called before") == "MPI 5.0 §11.4.1");
}

TEST_CASE("members that do not agree name the sections of collectives, also in a wait")
{
  for (const char* name : {"MPI_Wait", "MPI_Iallreduce", "MPI_Allreduce"}) {
    CHECK(rule(name, ErrorClass::truncate, "member 0 gives 4 bytes, this one 8") == "MPI 5.0 §6.1");
    CHECK(rule(name, ErrorClass::other, "member 0 calls MPI_Barrier, this one MPI_Bcast") == "MPI 5.0 §6.14");
  }
  CHECK(rule("MPI_Wait", ErrorClass::root, "member 0 calls MPI_Bcast, this one MPI_Bcast") ==
        "MPI 5.0 §6.14");
  CHECK(rule("MPI_Bcast", ErrorClass::root, "member 0 calls MPI_Bcast, this one MPI_Bcast") ==
        "MPI 5.0 §6.4");
}

TEST_CASE("no rule is named where none is broken, or where the text names it")
{
  CHECK(rule("MPI_Send", ErrorClass::no_mem, "no memory left").empty());
  CHECK(rule("MPI_File_open", ErrorClass::no_such_file, "no such file").empty());
  CHECK(rule("MPI_Gather", ErrorClass::buffer,
             "sendbuf is MPI_IN_PLACE, which it may be at the root only (§6.2.1)")
            .empty());
}

TEST_CASE("every function has a section of its chapter")
{
  for (const FunctionInfo& function : all_functions()) {
    const std::string section = function.section;
    CHECK_MESSAGE(section.substr(0, section.find('.')) == std::to_string(function.chapter->number),
                  function.name);
  }
}
