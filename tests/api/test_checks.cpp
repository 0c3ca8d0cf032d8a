// The checks that the generated entry points make: classes of errors, and that bad calls leave things as they
// were.
#include <doctest/doctest.h>

#include <climits>
#include <functional>
#include <string>

#include "api/error_class.hpp"
#include "api/handles/rank_state.hpp"
#include "api/impl/job_setup.hpp"
#include "support/ranks.hpp"

using namespace ranklet;
using test::class_of;

namespace {

void run_ranks(int size, const std::function<void(int rank)>& body)
{
  JobOptions options;
  options.extensions = api::extensions();
  Job job(size, options);
  test::run_ranks(job, [&](Rank& rank) {
    REQUIRE(MPI_Init(nullptr, nullptr) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    body(rank.world_rank);
    REQUIRE(MPI_Finalize() == MPI_SUCCESS);
  });
}

std::string text_of(int code)
{
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  REQUIRE(MPI_Error_string(code, text, &length) == MPI_SUCCESS);
  return text;
}

}  // namespace

TEST_CASE("bad arguments of a send give their classes, in both widths")
{
  run_ranks(2, [](int) {
    int x = 0;
    const auto send = [&](const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
      const int small = class_of(MPI_Send(buf, count, type, dest, tag, comm));
      CHECK(class_of(MPI_Send_c(buf, count, type, dest, tag, comm)) == small);
      return small;
    };
    CHECK(send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_ERR_COUNT);
    CHECK(send(&x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
    CHECK(send(&x, 1, MPI_INT, -1, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);  // MPI_ANY_SOURCE is no destination
    CHECK(send(&x, 1, MPI_INT, INT_MIN, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
    CHECK(send(&x, 1, MPI_INT, 0, -1, MPI_COMM_WORLD) == MPI_ERR_TAG);
    CHECK(send(&x, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD) == MPI_ERR_TAG);
    CHECK(send(&x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
    CHECK(send(&x, 1, reinterpret_cast<MPI_Datatype>(MPI_SUM), 0, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
    CHECK(send(&x, 1, MPI_INT, 0, 0, MPI_COMM_NULL) == MPI_ERR_COMM);
    CHECK(send(nullptr, 1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
    CHECK(send(nullptr, 0, MPI_INT, MPI_PROC_NULL, INT_MAX, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(text_of(MPI_Send(&x, 1, MPI_INT, 5, 0, MPI_COMM_WORLD)) ==
          "MPI_ERR_RANK: dest is 5, but the ranks are 0 to 1");
  });
}

TEST_CASE("receives take wildcards, sends and receives the null process")
{
  run_ranks(1, [](int) {
    int x = 0;
    MPI_Status status;
    CHECK(class_of(MPI_Recv(&x, 1, MPI_INT, MPI_ROOT, 0, MPI_COMM_WORLD, &status)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Recv(&x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &status)) == MPI_ERR_TAG);
    REQUIRE(MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    CHECK(status.MPI_TAG == MPI_ANY_TAG);

    const int sent = 77;
    MPI_Request request = MPI_REQUEST_NULL;
    REQUIRE(MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    REQUIRE(MPI_Send(&sent, 1, MPI_INT, 0, 9, MPI_COMM_WORLD) == MPI_SUCCESS);
    REQUIRE(MPI_Wait(&request, &status) == MPI_SUCCESS);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK(x == 77);
    CHECK(status.MPI_TAG == 9);
    int count = -1;
    REQUIRE(MPI_Get_count(&status, MPI_INT, &count) == MPI_SUCCESS);
    CHECK(count == 1);
  });
}

TEST_CASE("a failed call leaves its results alone and later ones work")
{
  run_ranks(1, [](int) {
    int x = 5;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK(class_of(MPI_Irecv(&x, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, &request)) == MPI_ERR_RANK);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK(class_of(MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, nullptr)) == MPI_ERR_ARG);
    int flag = -1;
    CHECK(class_of(MPI_Test(&request, nullptr, MPI_STATUS_IGNORE)) == MPI_ERR_ARG);
    REQUIRE(MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(flag == 1);
  });
}

TEST_CASE("a completed request's handle is refused when it is used again")
{
  run_ranks(1, [](int) {
    int x = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    REQUIRE(MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    MPI_Request copy = request;
    REQUIRE(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    const int code = MPI_Wait(&copy, MPI_STATUS_IGNORE);
    CHECK(class_of(code) == MPI_ERR_REQUEST);
    CHECK(text_of(code).find("freed or completed") != std::string::npos);
  });
}

TEST_CASE("types must be committed before data moves by them")
{
  run_ranks(1, [](int) {
    int x[4] = {};
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    REQUIRE(MPI_Type_contiguous(2, MPI_INT, &pair) == MPI_SUCCESS);
    CHECK(class_of(MPI_Send(x, 1, pair, MPI_PROC_NULL, 0, MPI_COMM_WORLD)) == MPI_ERR_TYPE);
    REQUIRE(MPI_Type_commit(&pair) == MPI_SUCCESS);
    CHECK(MPI_Send(x, 1, pair, MPI_PROC_NULL, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Datatype copy = pair;
    REQUIRE(MPI_Type_free(&pair) == MPI_SUCCESS);
    CHECK(pair == MPI_DATATYPE_NULL);
    CHECK(class_of(MPI_Type_commit(&copy)) == MPI_ERR_TYPE);
    MPI_Datatype predefined = MPI_INT;
    CHECK(class_of(MPI_Type_free(&predefined)) == MPI_ERR_TYPE);
    CHECK(predefined == MPI_INT);
  });
}

TEST_CASE("results that an int cannot hold are MPI_UNDEFINED, and whole in the large-count form")
{
  run_ranks(1, [](int) {
    MPI_Datatype big = MPI_DATATYPE_NULL;
    REQUIRE(MPI_Type_contiguous_c(3'000'000'000, MPI_CHAR, &big) == MPI_SUCCESS);
    int size = 0;
    MPI_Count large = 0;
    REQUIRE(MPI_Type_size(big, &size) == MPI_SUCCESS);
    CHECK(size == MPI_UNDEFINED);
    REQUIRE(MPI_Type_size_c(big, &large) == MPI_SUCCESS);
    CHECK(large == 3'000'000'000);
    REQUIRE(MPI_Type_size_x(big, &large) == MPI_SUCCESS);
    CHECK(large == 3'000'000'000);
    REQUIRE(MPI_Type_free(&big) == MPI_SUCCESS);
  });
}

TEST_CASE("handles and integers convert both ways")
{
  run_ranks(1, [](int) {
    CHECK(MPI_Comm_toint(MPI_COMM_WORLD) == 0x101);
    CHECK(MPI_Comm_fromint(0x101) == MPI_COMM_WORLD);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE);
    MPI_Info info = MPI_INFO_NULL;
    REQUIRE(MPI_Info_create(&info) == MPI_SUCCESS);
    CHECK(MPI_Info_toint(info) > 0);
    CHECK(MPI_Info_fromint(MPI_Info_toint(info)) == info);
    REQUIRE(MPI_Info_free(&info) == MPI_SUCCESS);
  });
}

TEST_CASE("arguments of collectives that are not significant are not looked at")
{
  run_ranks(3, [](int rank) {
    const int mine = rank + 1;
    int all[3] = {};
    const bool root = rank == 1;
    // Away from the root the receive arguments may be anything (§6.5).
    REQUIRE(MPI_Gather(&mine, 1, MPI_INT, root ? all : nullptr, root ? 1 : -9,
                       root ? MPI_INT : MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    if (root) CHECK((all[0] == 1 && all[1] == 2 && all[2] == 3));
    // With MPI_IN_PLACE the send arguments may be anything (§6.2.1).
    int blocks[3] = {-1, -1, -1};
    blocks[rank] = mine;
    REQUIRE(MPI_Allgather(MPI_IN_PLACE, -9, MPI_DATATYPE_NULL, blocks, 1, MPI_INT, MPI_COMM_WORLD) ==
            MPI_SUCCESS);
    CHECK((blocks[0] == 1 && blocks[1] == 2 && blocks[2] == 3));
    int got = 0;
    REQUIRE(MPI_Scatter(root ? all : nullptr, root ? 1 : -9, root ? MPI_INT : MPI_DATATYPE_NULL,
                        root ? MPI_IN_PLACE : &got, root ? -9 : 1, root ? MPI_DATATYPE_NULL : MPI_INT, 1,
                        MPI_COMM_WORLD) == MPI_SUCCESS);
    if (!root) CHECK(got == mine);

    // Where they are significant they are checked, by everybody alike, so that nobody is left waiting.
    CHECK(class_of(MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 3, MPI_COMM_WORLD)) == MPI_ERR_ROOT);
    CHECK(class_of(MPI_Bcast(all, -1, MPI_INT, 0, MPI_COMM_WORLD)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_Allreduce(&mine, all, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD)) == MPI_ERR_OP);
    CHECK(class_of(MPI_Allreduce(&mine, all, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD)) == MPI_ERR_TYPE);
  });
}

TEST_CASE("new communicators have the error handler of the one they were made from")
{
  run_ranks(2, [](int) {
    MPI_Comm copy = MPI_COMM_NULL;
    REQUIRE(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
    CHECK(class_of(MPI_Send(nullptr, -1, MPI_INT, 0, 0, copy)) == MPI_ERR_COUNT);
    REQUIRE(MPI_Comm_free(&copy) == MPI_SUCCESS);
    CHECK(copy == MPI_COMM_NULL);
    MPI_Comm world = MPI_COMM_WORLD;
    CHECK(class_of(MPI_Comm_free(&world)) == MPI_ERR_COMM);
    CHECK(world == MPI_COMM_WORLD);
  });
}

TEST_CASE("MPI_Request_get_status and its kin leave requests as they are")
{
  run_ranks(1, [](int) {
    int x[2] = {};
    const int sent = 4;
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[3];
    int flag = -1;
    int index = -1;
    int count = -1;
    int indices[3];
    REQUIRE(MPI_Request_get_status_any(3, requests, &index, &flag, statuses) == MPI_SUCCESS);
    CHECK((flag == 1 && index == MPI_UNDEFINED));
    REQUIRE(MPI_Request_get_status_some(3, requests, &count, indices, statuses) == MPI_SUCCESS);
    CHECK(count == MPI_UNDEFINED);
    REQUIRE(MPI_Irecv(&x[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]) == MPI_SUCCESS);
    REQUIRE(MPI_Irecv(&x[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[2]) == MPI_SUCCESS);
    REQUIRE(MPI_Request_get_status_any(3, requests, &index, &flag, statuses) == MPI_SUCCESS);
    CHECK(flag == 0);
    REQUIRE(MPI_Send(&sent, 1, MPI_INT, 0, 2, MPI_COMM_WORLD) == MPI_SUCCESS);
    REQUIRE(MPI_Request_get_status_any(3, requests, &index, &flag, statuses) == MPI_SUCCESS);
    CHECK((flag == 1 && index == 2 && statuses[0].MPI_TAG == 2));
    REQUIRE(MPI_Request_get_status_all(3, requests, &flag, statuses) == MPI_SUCCESS);
    CHECK(flag == 0);
    REQUIRE(MPI_Request_get_status_some(3, requests, &count, indices, statuses) == MPI_SUCCESS);
    CHECK((count == 1 && indices[0] == 2));
    REQUIRE(MPI_Send(&sent, 1, MPI_INT, 0, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    REQUIRE(MPI_Request_get_status_all(3, requests, &flag, statuses) == MPI_SUCCESS);
    CHECK((flag == 1 && statuses[1].MPI_TAG == 1 && statuses[2].MPI_TAG == 2));
    CHECK(statuses[0].MPI_SOURCE == MPI_ANY_SOURCE);  // the empty status of a null request
    REQUIRE(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK((x[0] == 4 && x[1] == 4));
  });
}

TEST_CASE("a rank that nobody spawned has no parent; MPI_Comm_disconnect frees")
{
  run_ranks(1, [](int) {
    MPI_Comm comm = MPI_COMM_WORLD;
    REQUIRE(MPI_Comm_get_parent(&comm) == MPI_SUCCESS);
    CHECK(comm == MPI_COMM_NULL);
    REQUIRE(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
    REQUIRE(MPI_Comm_disconnect(&comm) == MPI_SUCCESS);
    CHECK(comm == MPI_COMM_NULL);
  });
}

TEST_CASE("partitioned counts are large, also under the names of headers that have two forms")
{
  run_ranks(1, [](int) {
    int x = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    const MPI_Count negative = -(MPI_Count{1} << 32);  // 0 as an int
    for (const auto start : {MPI_Psend_init, MPI_Psend_init_c}) {
      CHECK(class_of(start(&x, 1, negative, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request)) ==
            MPI_ERR_COUNT);
      REQUIRE(start(&x, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request) == MPI_SUCCESS);
      REQUIRE(MPI_Request_free(&request) == MPI_SUCCESS);
    }
    for (const auto start : {MPI_Precv_init, MPI_Precv_init_c})
      CHECK(class_of(start(&x, 1, negative, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request)) ==
            MPI_ERR_COUNT);
  });
}

TEST_CASE("types with two names have the one that is no synonym (§3.2.2)")
{
  run_ranks(1, [](int) {
    for (const auto& [type, name] :
         {std::pair(MPI_C_FLOAT_COMPLEX, "MPI_C_COMPLEX"), std::pair(MPI_C_COMPLEX, "MPI_C_COMPLEX"),
          std::pair(MPI_LONG_LONG, "MPI_LONG_LONG_INT")}) {
      char found[MPI_MAX_OBJECT_NAME];
      int length = 0;
      REQUIRE(MPI_Type_get_name(type, found, &length) == MPI_SUCCESS);
      CHECK(std::string(found) == name);
    }
  });
}

TEST_CASE("there are no tool variables, also for who does not look at the code")
{
  for (const auto count : {MPI_T_cvar_get_num, MPI_T_pvar_get_num, MPI_T_category_get_num,
                           MPI_T_event_get_num, MPI_T_source_get_num}) {
    int number = 77;
    static_cast<void>(count(&number));
    CHECK(number == 0);
  }
}
