// The calls of every_collective.c: each collective of chapter 6 of MPI 5.0 in its three forms.
#ifndef RANKLET_BENCH_EVERY_COLLECTIVE_CALLS_H
#define RANKLET_BENCH_EVERY_COLLECTIVE_CALLS_H

#include <mpi.h>

enum operation {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan,
  operations
};

enum form { blocking, nonblocking, persistent };

struct job {
  int rank, size;
  enum operation operation;
  enum form form;
  int count;                       // doubles of one block
  double *in, *out;                // `size` blocks each
  int *counts, *places, *offsets;  // of the blocks: doubles, where they begin, and that in bytes
  MPI_Datatype* types;
  MPI_Request* made;  // persistent: one for each root
};

static void call(struct job* j, int root)
{
  const MPI_Datatype type = MPI_DOUBLE;
  const MPI_Comm comm = MPI_COMM_WORLD;
  double *in = j->in, *out = j->out;
  const int n = j->count, *counts = j->counts, *places = j->places;
  switch (j->operation) {
    case barrier:
      MPI_Barrier(comm);
      break;
    case bcast:
      MPI_Bcast(j->rank == root ? in : out, n, type, root, comm);
      break;
    case gather:
      MPI_Gather(in, n, type, out, n, type, root, comm);
      break;
    case gatherv:
      MPI_Gatherv(in, n, type, out, counts, places, type, root, comm);
      break;
    case scatter:
      MPI_Scatter(in, n, type, out, n, type, root, comm);
      break;
    case scatterv:
      MPI_Scatterv(in, counts, places, type, out, n, type, root, comm);
      break;
    case allgather:
      MPI_Allgather(in, n, type, out, n, type, comm);
      break;
    case allgatherv:
      MPI_Allgatherv(in, n, type, out, counts, places, type, comm);
      break;
    case alltoall:
      MPI_Alltoall(in, n, type, out, n, type, comm);
      break;
    case alltoallv:
      MPI_Alltoallv(in, counts, places, type, out, counts, places, type, comm);
      break;
    case alltoallw:
      MPI_Alltoallw(in, counts, j->offsets, j->types, out, counts, j->offsets, j->types, comm);
      break;
    case reduce:
      MPI_Reduce(in, out, n, type, MPI_SUM, root, comm);
      break;
    case allreduce:
      MPI_Allreduce(in, out, n, type, MPI_SUM, comm);
      break;
    case reduce_scatter_block:
      MPI_Reduce_scatter_block(in, out, n, type, MPI_SUM, comm);
      break;
    case reduce_scatter:
      MPI_Reduce_scatter(in, out, counts, type, MPI_SUM, comm);
      break;
    case scan:
      MPI_Scan(in, out, n, type, MPI_SUM, comm);
      break;
    case exscan:
      MPI_Exscan(in, out, n, type, MPI_SUM, comm);
      break;
    case operations:
      break;
  }
}

static void start(struct job* j, int root, MPI_Request* request)
{
  const MPI_Datatype type = MPI_DOUBLE;
  const MPI_Comm comm = MPI_COMM_WORLD;
  double *in = j->in, *out = j->out;
  const int n = j->count, *counts = j->counts, *places = j->places;
  switch (j->operation) {
    case barrier:
      MPI_Ibarrier(comm, request);
      break;
    case bcast:
      MPI_Ibcast(j->rank == root ? in : out, n, type, root, comm, request);
      break;
    case gather:
      MPI_Igather(in, n, type, out, n, type, root, comm, request);
      break;
    case gatherv:
      MPI_Igatherv(in, n, type, out, counts, places, type, root, comm, request);
      break;
    case scatter:
      MPI_Iscatter(in, n, type, out, n, type, root, comm, request);
      break;
    case scatterv:
      MPI_Iscatterv(in, counts, places, type, out, n, type, root, comm, request);
      break;
    case allgather:
      MPI_Iallgather(in, n, type, out, n, type, comm, request);
      break;
    case allgatherv:
      MPI_Iallgatherv(in, n, type, out, counts, places, type, comm, request);
      break;
    case alltoall:
      MPI_Ialltoall(in, n, type, out, n, type, comm, request);
      break;
    case alltoallv:
      MPI_Ialltoallv(in, counts, places, type, out, counts, places, type, comm, request);
      break;
    case alltoallw:
      MPI_Ialltoallw(in, counts, j->offsets, j->types, out, counts, j->offsets, j->types, comm, request);
      break;
    case reduce:
      MPI_Ireduce(in, out, n, type, MPI_SUM, root, comm, request);
      break;
    case allreduce:
      MPI_Iallreduce(in, out, n, type, MPI_SUM, comm, request);
      break;
    case reduce_scatter_block:
      MPI_Ireduce_scatter_block(in, out, n, type, MPI_SUM, comm, request);
      break;
    case reduce_scatter:
      MPI_Ireduce_scatter(in, out, counts, type, MPI_SUM, comm, request);
      break;
    case scan:
      MPI_Iscan(in, out, n, type, MPI_SUM, comm, request);
      break;
    case exscan:
      MPI_Iexscan(in, out, n, type, MPI_SUM, comm, request);
      break;
    case operations:
      break;
  }
}

#if MPI_VERSION >= 4
static void make(struct job* j, int root, MPI_Request* request)
{
  const MPI_Datatype type = MPI_DOUBLE;
  const MPI_Comm comm = MPI_COMM_WORLD;
  const MPI_Info info = MPI_INFO_NULL;
  double *in = j->in, *out = j->out;
  const int n = j->count, *counts = j->counts, *places = j->places;
  switch (j->operation) {
    case barrier:
      MPI_Barrier_init(comm, info, request);
      break;
    case bcast:
      MPI_Bcast_init(j->rank == root ? in : out, n, type, root, comm, info, request);
      break;
    case gather:
      MPI_Gather_init(in, n, type, out, n, type, root, comm, info, request);
      break;
    case gatherv:
      MPI_Gatherv_init(in, n, type, out, counts, places, type, root, comm, info, request);
      break;
    case scatter:
      MPI_Scatter_init(in, n, type, out, n, type, root, comm, info, request);
      break;
    case scatterv:
      MPI_Scatterv_init(in, counts, places, type, out, n, type, root, comm, info, request);
      break;
    case allgather:
      MPI_Allgather_init(in, n, type, out, n, type, comm, info, request);
      break;
    case allgatherv:
      MPI_Allgatherv_init(in, n, type, out, counts, places, type, comm, info, request);
      break;
    case alltoall:
      MPI_Alltoall_init(in, n, type, out, n, type, comm, info, request);
      break;
    case alltoallv:
      MPI_Alltoallv_init(in, counts, places, type, out, counts, places, type, comm, info, request);
      break;
    case alltoallw:
      MPI_Alltoallw_init(in, counts, j->offsets, j->types, out, counts, j->offsets, j->types, comm, info,
                         request);
      break;
    case reduce:
      MPI_Reduce_init(in, out, n, type, MPI_SUM, root, comm, info, request);
      break;
    case allreduce:
      MPI_Allreduce_init(in, out, n, type, MPI_SUM, comm, info, request);
      break;
    case reduce_scatter_block:
      MPI_Reduce_scatter_block_init(in, out, n, type, MPI_SUM, comm, info, request);
      break;
    case reduce_scatter:
      MPI_Reduce_scatter_init(in, out, counts, type, MPI_SUM, comm, info, request);
      break;
    case scan:
      MPI_Scan_init(in, out, n, type, MPI_SUM, comm, info, request);
      break;
    case exscan:
      MPI_Exscan_init(in, out, n, type, MPI_SUM, comm, info, request);
      break;
    case operations:
      break;
  }
}
#endif

#endif
