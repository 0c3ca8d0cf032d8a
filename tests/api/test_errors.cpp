#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <string>

#include "api/error_class.hpp"
#include "api/handles/rank_state.hpp"
#include "api/impl/job_setup.hpp"
#include "support/ranks.hpp"
#include "support/text.hpp"

using namespace ranklet;
using test::class_of;
using test::contains;

namespace {

struct Ending {
  int code = 0;
  std::string report;
};

// Runs body on one rank between MPI_Init and MPI_Finalize; gives what the job was aborted with, if it was.
Ending run_rank(const std::function<void(Rank&)>& body, bool initialized = true)
{
  Ending outcome;
  JobOptions options;
  options.extensions = api::extensions();
  options.on_abort = [&](Rank*, int code, const std::string& why) { outcome = {code, why}; };
  Job job(1, options);
  test::run_ranks(job, [&](Rank& rank) {
    if (initialized) MPI_Init(nullptr, nullptr);
    body(rank);
  });
  return outcome;
}

std::string error_string(int code)
{
  char text[MPI_MAX_ERROR_STRING];
  int length = -1;
  REQUIRE(MPI_Error_string(code, text, &length) == MPI_SUCCESS);
  CHECK(std::strlen(text) == static_cast<std::size_t>(length));
  return text;
}

MPI_Comm handler_comm = MPI_COMM_NULL;
int handler_code = 0;
int handler_calls = 0;
void handler(MPI_Comm* comm, int* code, ...)
{
  handler_comm = *comm;
  handler_code = *code;
  ++handler_calls;
}

void win_handler(MPI_Win*, int*, ...) {}

}  // namespace

TEST_CASE("the default handler prints one block and ends the job")
{
  int line = 0;
  const Ending outcome = run_rank([&](Rank&) {
    line = __LINE__ + 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL);
    FAIL("the call returned");
  });
  CHECK(outcome.code == MPI_ERR_ERRHANDLER);
  INFO(outcome.report);
  CHECK(contains(outcome.report, "MPI error in MPI_Comm_set_errhandler on rank 0 of MPI_COMM_WORLD\n"));
  CHECK(contains(outcome.report, "errhandler is MPI_ERRHANDLER_NULL (MPI_ERR_ERRHANDLER)\n"));
  CHECK(contains(outcome.report,
                 "MPI_Comm_set_errhandler(comm=MPI_COMM_WORLD, errhandler=MPI_ERRHANDLER_NULL)\n"));
  CHECK(contains(outcome.report, "MPI_COMM_WORLD, rank 0 of 1\n"));
  CHECK(contains(outcome.report, "test_errors.cpp:" + std::to_string(line)));
}

TEST_CASE("MPI_ERRORS_ABORT ends the job with the error's class")
{
  const Ending outcome = run_rank([](Rank&) {
    REQUIRE(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT) == MPI_SUCCESS);
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    REQUIRE(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &errhandler) == MPI_SUCCESS);
    CHECK(errhandler == MPI_ERRORS_ABORT);
    MPI_Send(nullptr, 0, MPI_INT, 5, 0, MPI_COMM_WORLD);
    FAIL("the call returned");
  });
  CHECK(outcome.code == MPI_ERR_RANK);
  CHECK(contains(outcome.report, "MPI error in MPI_Send"));
}

TEST_CASE("MPI_ERRORS_RETURN gives a code whose text is the particular reason")
{
  const Ending outcome = run_rank([](Rank&) {
    REQUIRE(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    const int code = MPI_Comm_call_errhandler(MPI_COMM_WORLD, 77777);
    CHECK(class_of(code) == MPI_ERR_ARG);
    CHECK(code <= MPI_ERR_LASTCODE);
    CHECK(error_string(code) == "MPI_ERR_ARG: 77777 is no error code");
    CHECK(error_string(MPI_ERR_ARG) == "MPI_ERR_ARG: an argument is not valid");

    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    REQUIRE(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &errhandler) == MPI_SUCCESS);
    CHECK(errhandler == MPI_ERRORS_RETURN);
    REQUIRE(MPI_Errhandler_free(&errhandler) == MPI_SUCCESS);
    CHECK(errhandler == MPI_ERRHANDLER_NULL);
  });
  CHECK(outcome.report == "");
}

TEST_CASE(
    "calls without a communicator use the handler of MPI_COMM_WORLD if the program has set only that one")
{
  const Ending outcome = run_rank([](Rank&) {
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    REQUIRE(MPI_Comm_create_errhandler(handler, &errhandler) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    handler_calls = 0;
    CHECK(class_of(MPI_Info_set(MPI_INFO_NULL, "key", "value")) == MPI_ERR_INFO);
    CHECK(handler_calls == 1);
    CHECK(handler_comm == MPI_COMM_WORLD);
    CHECK(class_of(handler_code) == MPI_ERR_INFO);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler);
    CHECK(class_of(MPI_Info_set(MPI_INFO_NULL, "key", "value")) == MPI_ERR_INFO);
    CHECK(handler_comm == MPI_COMM_SELF);
    MPI_Errhandler_free(&errhandler);
  });
  CHECK(outcome.code == 0);
}

TEST_CASE("calls without a communicator use the handler of MPI_COMM_SELF")
{
  run_rank([](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Info info = MPI_INFO_NULL;
    CHECK(class_of(MPI_Info_set(info, "key", "value")) == MPI_ERR_INFO);
    // So do calls whose communicator is the error.
    CHECK(class_of(MPI_Comm_set_errhandler(MPI_COMM_NULL, MPI_ERRORS_RETURN)) == MPI_ERR_COMM);
    CHECK(class_of(MPI_Comm_set_errhandler(reinterpret_cast<MPI_Comm>(MPI_INT), MPI_ERRORS_RETURN)) ==
          MPI_ERR_COMM);
  });
  const Ending outcome = run_rank([](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info_set(MPI_INFO_NULL, "key", "value");
  });
  CHECK(outcome.code == MPI_ERR_INFO);
  CHECK(contains(outcome.report, "MPI_Info_set(info=MPI_INFO_NULL, key=\"key\", value=\"value\")"));
}

TEST_CASE(
    "what a freed receive fails with reaches the error handler of its communicator later, and ends nothing")
{
  const Ending outcome = run_rank([](Rank&) {
    handler_calls = 0;
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    REQUIRE(MPI_Comm_create_errhandler(handler, &errhandler) == MPI_SUCCESS);
    for (const bool freed : {false, true}) {
      MPI_Comm comm = MPI_COMM_NULL;
      REQUIRE(MPI_Comm_dup(MPI_COMM_SELF, &comm) == MPI_SUCCESS);
      MPI_Comm_set_errhandler(comm, errhandler);
      const int out[2] = {1, 2};
      int in = 0;
      MPI_Request request = MPI_REQUEST_NULL;
      REQUIRE(MPI_Irecv(&in, 1, MPI_INT, 0, 0, comm, &request) == MPI_SUCCESS);
      REQUIRE(MPI_Request_free(&request) == MPI_SUCCESS);
      CHECK(request == MPI_REQUEST_NULL);
      handler_calls = 0;
      REQUIRE(MPI_Send(out, 2, MPI_INT, 0, 0, comm) == MPI_SUCCESS);
      int flag = 0;
      MPI_Iprobe(0, 1, comm, &flag, MPI_STATUS_IGNORE);  // takes in what was sent
      const MPI_Comm name = freed ? MPI_COMM_NULL : comm;
      if (freed) MPI_Comm_free(&comm);
      CHECK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(handler_calls == 1);
      CHECK(handler_comm == name);
      CHECK(class_of(handler_code) == MPI_ERR_TRUNCATE);
      CHECK(contains(error_string(handler_code), "longer than the receive buffer"));
      CHECK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(handler_calls == 1);
      if (!freed) MPI_Comm_free(&comm);
    }
  });
  CHECK(outcome.report == "");
}

TEST_CASE("a user's handler gets the communicator and the code")
{
  run_rank([](Rank&) {
    handler_calls = 0;
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    REQUIRE(MPI_Comm_create_errhandler(handler, &errhandler) == MPI_SUCCESS);
    REQUIRE(MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler) == MPI_SUCCESS);
    // The communicator keeps the handler when the handle goes.
    REQUIRE(MPI_Errhandler_free(&errhandler) == MPI_SUCCESS);
    const int code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL);
    CHECK(handler_calls == 1);
    CHECK(handler_comm == MPI_COMM_WORLD);
    CHECK(handler_code == code);
    CHECK(class_of(code) == MPI_ERR_ERRHANDLER);
    CHECK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TAG) == MPI_SUCCESS);
    CHECK(handler_calls == 2);
    CHECK(handler_code == MPI_ERR_TAG);
  });
}

TEST_CASE("a handler for another kind of object is refused")
{
  run_rank([](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    REQUIRE(MPI_Win_create_errhandler(win_handler, &errhandler) == MPI_SUCCESS);
    CHECK(class_of(MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler)) == MPI_ERR_ERRHANDLER);
    REQUIRE(MPI_Errhandler_free(&errhandler) == MPI_SUCCESS);
  });
}

TEST_CASE("before MPI_Init most calls are errors that end the job")
{
  const Ending outcome = run_rank([](Rank&) { MPI_Comm_call_errhandler(MPI_COMM_WORLD, 1); }, false);
  CHECK(contains(outcome.report, "MPI_Init was not called before"));
  const Ending early = run_rank(
      [](Rank&) {
        int version = 0;
        int subversion = -1;
        CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS);
        CHECK(version == 5);
        CHECK(subversion == 0);
        MPI_Info info = MPI_INFO_NULL;
        CHECK(MPI_Info_create(&info) == MPI_SUCCESS);
        CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
      },
      false);
  CHECK(early.report == "");
}

TEST_CASE("where nobody can start programs MPI_Comm_spawn says so through the error handler")
{
  const Ending outcome = run_rank([](Rank&) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int codes[2] = {-1, -1};
    const auto spawn = [&] {
      return MPI_Comm_spawn("app", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, codes);
    };
    const int code = spawn();
    CHECK(class_of(code) == MPI_ERR_SPAWN);
    CHECK(contains(error_string(code), "start this one by mpiexec"));
    CHECK(codes[0] == MPI_ERR_SPAWN);
    CHECK(codes[1] == MPI_ERR_SPAWN);
    CHECK(comm == MPI_COMM_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    spawn();
  });
  CHECK(outcome.code == MPI_ERR_SPAWN);
  CHECK(contains(outcome.report, "MPI_Comm_spawn(command=\"app\""));
}

TEST_CASE("a request that stands in MPI_Startall's array twice is started once")
{
  run_rank([](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int value = 7, got = 0;
    MPI_Request receive;
    MPI_Recv_init(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &receive);
    MPI_Request twice[] = {receive, receive};
    const int code = MPI_Startall(2, twice);
    CHECK(class_of(code) == MPI_ERR_REQUEST);
    CHECK(contains(error_string(code), "request 1 of the array is there twice"));
    MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    CHECK(MPI_Wait(&receive, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(got == 7);
    MPI_Request_free(&receive);
    MPI_Finalize();
  });
}

TEST_CASE("MPI_Finalize may not be called by a delete function that it calls itself")
{
  run_rank([](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    static std::string inner;
    const auto finalize = [](MPI_Comm, int, void*, void*) { return inner = error_string(MPI_Finalize()), 0; };
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    MPI_Comm_free_keyval(&key);
    CHECK(MPI_Finalize() == MPI_SUCCESS);
    CHECK(contains(inner, "it calls the function that calls it"));
  });
}

TEST_CASE("null pointers for results are errors")
{
  run_rank([](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const int code = MPI_Info_create(nullptr);
    CHECK(class_of(code) == MPI_ERR_ARG);
    CHECK(error_string(code) == "MPI_ERR_ARG: info is a null pointer");
  });
}

TEST_CASE("a collective without its array of counts is an error, where they are looked at")
{
  run_rank([](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int mine = 1, all = 2, place = 0, one = 1;
    const auto fails = [](int code, const char* array) {
      CHECK(class_of(code) == MPI_ERR_ARG);
      CHECK(error_string(code).find(array) != std::string::npos);
    };
    MPI_Request request;
    fails(MPI_Gatherv(&mine, 1, MPI_INT, &all, nullptr, &place, MPI_INT, 0, MPI_COMM_SELF), "recvcounts");
    fails(MPI_Scatterv(&all, nullptr, &place, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_SELF), "sendcounts");
    fails(MPI_Iallgatherv(&mine, 1, MPI_INT, &all, nullptr, &place, MPI_INT, MPI_COMM_SELF, &request),
          "recvcounts");
    fails(MPI_Alltoallv(&mine, nullptr, &place, MPI_INT, &all, &one, &place, MPI_INT, MPI_COMM_SELF),
          "sendcounts");
    fails(MPI_Reduce_scatter(&mine, &all, nullptr, MPI_INT, MPI_SUM, MPI_COMM_SELF), "recvcounts");
    CHECK(MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, &all, &one, &place, MPI_INT,
                        MPI_COMM_SELF) == MPI_SUCCESS);
    CHECK(all == 2);
    MPI_Finalize();
  });
}

TEST_CASE("codes keep their text while not too many others follow, and their class for ever")
{
  run_rank([](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const int first = MPI_Info_set(MPI_INFO_NULL, "a", "b");
    for (int i = 0; i < 200; ++i) MPI_Error_class(100000 + i, nullptr);
    CHECK(error_string(first) == "MPI_ERR_INFO: info is MPI_INFO_NULL");
    for (int i = 0; i < 1000; ++i) {
      const int code = MPI_Info_set(MPI_INFO_NULL, "a", "b");
      CHECK(code > 0);
      CHECK(code <= MPI_ERR_LASTCODE);
      // No code of a call looks like one of the tool interface.
      CHECK((code < MPI_T_ERR_CANNOT_INIT || code > MPI_T_ERR_PVAR_NO_ATOMIC));
      CHECK(class_of(code) == MPI_ERR_INFO);
    }
    CHECK(class_of(first) == MPI_ERR_INFO);
  });
}

TEST_CASE("programs add and remove classes, codes and texts")
{
  run_rank([](Rank& rank) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int error_class = 0;
    int code = 0;
    REQUIRE(MPI_Add_error_class(&error_class) == MPI_SUCCESS);
    REQUIRE(MPI_Add_error_code(error_class, &code) == MPI_SUCCESS);
    CHECK(error_class > MPI_ERR_LASTCODE);
    CHECK(code > error_class);
    CHECK(rank.comm->last_used_code == code);
    CHECK(class_of(code) == error_class);
    CHECK(class_of(error_class) == error_class);
    CHECK(error_string(code) == "");
    REQUIRE(MPI_Add_error_string(code, "too hot") == MPI_SUCCESS);
    CHECK(error_string(code) == "too hot");
    CHECK(class_of(MPI_Remove_error_class(error_class)) == MPI_ERR_ARG);  // it has a code
    REQUIRE(MPI_Remove_error_string(code) == MPI_SUCCESS);
    CHECK(error_string(code) == "");
    REQUIRE(MPI_Remove_error_code(code) == MPI_SUCCESS);
    CHECK(class_of(MPI_Error_class(code, &code)) == MPI_ERR_ARG);
    REQUIRE(MPI_Remove_error_class(error_class) == MPI_SUCCESS);
    CHECK(class_of(MPI_Add_error_string(MPI_ERR_TAG, "mine")) == MPI_ERR_ARG);
  });
}

TEST_CASE("a code never tells the reason of another error")
{
  run_rank([](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const auto fail_with = [](int rank) { return MPI_Send(nullptr, 0, MPI_INT, rank, 0, MPI_COMM_WORLD); };
    const auto tells = [](int code, int rank) {
      return contains(error_string(code), "dest is " + std::to_string(rank));
    };
    const int old = fail_with(5);
    CHECK(tells(old, 5));
    for (int rank = 1000; rank < 3000; ++rank) {
      const int code = fail_with(rank);
      REQUIRE(tells(code, rank));
      REQUIRE(class_of(code) == MPI_ERR_RANK);
      REQUIRE(code != old);
    }
    CHECK(error_string(old) == "MPI_ERR_RANK: no such rank");
    CHECK(class_of(old) == MPI_ERR_RANK);
  });
}
