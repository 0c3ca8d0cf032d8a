// What a process that hands its program over, mpiexec and the job's host say to each other: packets over
// sockets of the kind SOCK_SEQPACKET, which keep their bounds and carry descriptors.
//
//     stand-in -> mpiexec   hello: who it is      unable: why it cannot
//     mpiexec  -> host      arrival: a stand-in's connection      gone: a rank will not come any more
//     stand-in -> host      program: what to run      signal: to the rank
//     host     -> stand-in  started, then exited or killed
//     mpiexec  -> stand-in  refused, alone; exited or killed if the host is no more
//     host     -> mpiexec   free, used: a rank's program has ended, and whether it had called MPI_Init
//
// And of one universe (launch/universe_door.hpp):
//
//     guest    -> host      job: what to run      signal: to all its ranks
//     host     -> guest     started, then refused, or notes and exited: what is to be said
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ranklet::handover {

// The variable with the name of mpiexec's socket, in the environment of what mpiexec starts.
inline constexpr const char* address_variable = "RANKLET_HANDOVER";

// The greatest number of descriptors in a packet (SCM_MAX_FD of the kernel is 253).
inline constexpr std::size_t most_descriptors = 250;

struct Packet {
  enum class Kind : int {
    hello,    // text: path of the program
    unable,   // text: a clause about the rank
    arrival,  // descriptor: the connection
    gone,     // value: the code with which its process has ended
    program,  // descriptors: the description (program_state.hpp), then those that it counts; the rest follows
    signal,   // value: its number
    started,  // value: the host's process
    refused,  // mpiexec has said why; of a job: text
    alone,    // it may go on as what it is
    exited,   // value: the code; of a job: text
    killed,   // value: the signal
    free,
    used,
    job,   // descriptors: the description (launch/job_description.hpp), more of it, standard ones
    note,  // text
  };
  Kind kind;
  int rank = -1;
  int value = 0;
  std::string text = {};
  std::vector<int> descriptors = {};  // of the receiver, which closes them; close-on-exec
};

// False if the other end is gone, or, with `wait` false, takes nothing at the moment. A text that is too long
// is cut. Descriptors stay the sender's.
bool send(int socket, const Packet& packet, bool wait = true);

enum class Received { packet, nothing, end };
// nothing: only with `wait` false. end: the other end is gone, or speaks another language.
std::pair<Received, Packet> receive(int socket, bool wait = true);

// A listening socket of the abstract namespace, whose name nobody can guess; the name. Throws Error{no_mem}.
std::pair<int, std::string> listen();
// One of this name, or, if it begins with "/", at this path, where nothing is. Throws Error{no_mem}.
int listen_at(const std::string& name);
// The next connection, close-on-exec; -1 if there is none. Others than this user's processes are sent away.
int accept(int listener);
// To such a socket, by its name or path; -1 if nobody listens there.
int connect(const std::string& name);
// The process that has made the other end, or was its listener.
int process_behind(int socket);

}  // namespace ranklet::handover
