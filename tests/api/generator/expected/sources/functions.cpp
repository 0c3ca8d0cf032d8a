// Made from src/api/table.
#include "api/handles/functions.hpp"

namespace ranklet::api {
namespace {

constexpr NamedValue values_comm[] = {
    {"MPI_COMM_NULL", 0x100},
    {"MPI_COMM_WORLD", 0x101},
};
constexpr NamedValue values_datatype[] = {
    {"MPI_DATATYPE_NULL", 0x200},
    {"MPI_INT", 0x209},
};
constexpr NamedValue values_dest[] = {
    {"MPI_ANY_SOURCE", -1},
    {"MPI_PROC_NULL", -3},
};
constexpr NamedValue values_request[] = {
    {"MPI_REQUEST_NULL", 0x180},
};
constexpr NamedValue values_root[] = {
    {"MPI_ANY_SOURCE", -1},
    {"MPI_PROC_NULL", -3},
};
constexpr NamedValue values_source[] = {
    {"MPI_ANY_SOURCE", -1},
    {"MPI_PROC_NULL", -3},
};

constexpr KindInfo kinds[] = {
    {"anytag", ArgumentSort::number, {}, false},
    {"buf", ArgumentSort::buffer, {}, false},
    {"comm", ArgumentSort::comms, values_comm, false},
    {"count", ArgumentSort::number, {}, false},
    {"datatype", ArgumentSort::types, values_datatype, false},
    {"dest", ArgumentSort::number, values_dest, false},
    {"int", ArgumentSort::number, {}, false},
    {"request", ArgumentSort::requests, values_request, false},
    {"root", ArgumentSort::number, values_root, false},
    {"source", ArgumentSort::number, values_source, false},
    {"status", ArgumentSort::pointer, {}, false},
    {"tag", ArgumentSort::number, {}, false},
};
constexpr ParameterInfo parameters_0[] = {
    {"buf", &kinds[1], true, false, false, false},
    {"count", &kinds[3], false, false, false, false},
    {"datatype", &kinds[4], false, false, false, false},
    {"dest", &kinds[5], false, false, false, false},
    {"tag", &kinds[11], false, false, false, false},
    {"comm", &kinds[2], false, false, false, false}};
constexpr ParameterInfo parameters_1[] = {
    {"buf", &kinds[1], true, false, false, true},
    {"count", &kinds[3], false, false, false, false},
    {"datatype", &kinds[4], false, false, false, false},
    {"source", &kinds[9], false, false, false, false},
    {"tag", &kinds[0], false, false, false, false},
    {"comm", &kinds[2], false, false, false, false},
    {"status", &kinds[10], true, false, false, true}};
constexpr ParameterInfo parameters_2[] = {
    {"buf", &kinds[1], true, false, false, false},
    {"count", &kinds[3], false, false, false, false},
    {"datatype", &kinds[4], false, false, false, false},
    {"dest", &kinds[5], false, false, false, false},
    {"tag", &kinds[11], false, false, false, false},
    {"comm", &kinds[2], false, false, false, false}};
constexpr ParameterInfo parameters_3[] = {
    {"buf", &kinds[1], true, false, false, false},
    {"count", &kinds[3], false, false, false, false},
    {"datatype", &kinds[4], false, false, false, false},
    {"dest", &kinds[5], false, false, false, false},
    {"tag", &kinds[11], false, false, false, false},
    {"comm", &kinds[2], false, false, false, false},
    {"request", &kinds[7], true, false, false, true}};
constexpr ParameterInfo parameters_4[] = {
    {"buf", &kinds[1], true, false, false, true},
    {"count", &kinds[3], false, false, false, false},
    {"datatype", &kinds[4], false, false, false, false},
    {"source", &kinds[9], false, false, false, false},
    {"tag", &kinds[0], false, false, false, false},
    {"comm", &kinds[2], false, false, false, false},
    {"request", &kinds[7], true, false, false, true}};
constexpr ParameterInfo parameters_5[] = {
    {"request", &kinds[7], true, true, false, true},
    {"status", &kinds[10], true, false, false, true}};
constexpr ParameterInfo parameters_6[] = {
    {"buffer", &kinds[1], true, true, false, true},
    {"count", &kinds[3], false, false, false, false},
    {"datatype", &kinds[4], false, false, false, false},
    {"root", &kinds[8], false, false, false, false},
    {"comm", &kinds[2], false, false, false, false}};
constexpr ParameterInfo parameters_7[] = {
    {"sendbuf", &kinds[1], true, false, false, false},
    {"sendcount", &kinds[3], false, false, false, false},
    {"sendtype", &kinds[4], false, false, false, false},
    {"recvbuf", &kinds[1], true, false, false, true},
    {"recvcount", &kinds[3], false, false, false, false},
    {"recvtype", &kinds[4], false, false, false, false},
    {"root", &kinds[8], false, false, false, false},
    {"comm", &kinds[2], false, false, false, false}};
constexpr ParameterInfo parameters_8[] = {
    {"comm", &kinds[2], false, false, false, false},
    {"rank", &kinds[6], true, false, false, true}};
constexpr ParameterInfo parameters_9[] = {
    {"comm", &kinds[2], false, false, false, false},
    {"newcomm", &kinds[2], true, false, false, true}};
constexpr ParameterInfo parameters_10[] = {
    {"comm", &kinds[2], true, true, false, true}};

constexpr ChapterInfo chapter_list[] = {
    {3, "p2p", "Messages"},
    {6, "coll", "Collective operations"},
    {7, "comm", "Communicators"},
};

}  // namespace

constexpr FunctionInfo functions[] = {
    {"MPI_Send", &chapter_list[0], "3.2", "send a message", parameters_0, 5, true, false, true, false, true, false},
    {"MPI_Recv", &chapter_list[0], "3.2", "receive a message", parameters_1, 5, true, false, true, false, true, false},
    {"MPI_Ssend", &chapter_list[0], "3.2", "send a message, and return when its receive has started", parameters_2, 5, true, false, true, false, true, false},
    {"MPI_Isend", &chapter_list[0], "3.7", "start sending a message", parameters_3, 5, true, false, true, false, true, false},
    {"MPI_Irecv", &chapter_list[0], "3.7", "start receiving a message", parameters_4, 5, true, false, false, false, true, false},
    {"MPI_Wait", &chapter_list[0], "3.7", "wait until an operation is complete", parameters_5, -1, true, false, false, false, true, false},
    {"MPI_Bcast", &chapter_list[1], "6.4", "send data from one rank to all", parameters_6, 4, true, false, true, false, true, false},
    {"MPI_Gather", &chapter_list[1], "6.5", "gather the blocks of all ranks at one", parameters_7, 7, true, false, true, false, true, false},
    {"MPI_Comm_rank", &chapter_list[2], "7.4", "rank of the caller", parameters_8, 0, true, false, false, false, true, false},
    {"MPI_Comm_dup", &chapter_list[2], "7.4", "copy a communicator", parameters_9, 0, true, false, false, false, true, false},
    {"MPI_Comm_free", &chapter_list[2], "7.4", "free a communicator", parameters_10, 0, true, false, false, false, true, true},
};

std::span<const FunctionInfo> all_functions()
{
  return functions;
}

std::span<const KindInfo> all_kinds()
{
  return kinds;
}

std::span<const ChapterInfo> all_chapters()
{
  return chapter_list;
}

static_assert(std::size(functions) == 11);

}  // namespace ranklet::api
