// The front header of ranks: ranks and jobs, waiting, boards, and the common part of requests.
//
//   Rank, current_rank()  one MPI process and the slots where the layers above keep its state
//   Job                   the ranks that start together; runs, cancels and aborts them
//   wait_until            the only way to wait: spin, yield, park by the job's WaitPolicy
//   ProgressList          what only the rank's own threads may advance, served while it waits
//   DeadlockWatch         finds that no rank can go on
//   Section               in which one of a rank's threads changes what all of them use
//   Board                 members post a pointer each and read the others'
//   Topology, Placement   the machine's cores, and which of them each rank is pinned to
//   Place                 which objects of the machine a rank stays in, hence who is near to whom
//   Request               completion, waiting, cancelling, common to all kinds of operations
//   DoneRequest           that of operations that are complete at once
#pragma once

#include "machine/placement.hpp"
#include "machine/topology.hpp"
#include "ranks/done_request.hpp"
#include "ranks/job.hpp"
#include "ranks/progress.hpp"
#include "ranks/rank.hpp"
#include "ranks/rank_board.hpp"
#include "ranks/request.hpp"
#include "ranks/section.hpp"
#include "ranks/wait.hpp"
