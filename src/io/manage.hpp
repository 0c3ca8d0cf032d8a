// Opening and closing files, and what concerns them as a whole (MPI 5.0 §14.2, §14.3, §14.6).
#pragma once

#include "io/file.hpp"

namespace ranklet::io {

// Collective; what is wrong at one member is thrown at all. Relative names begin at the directory of the
// first member's calling thread. Errors: comm (an intercommunicator), amode, not_same (other modes, or
// another file), and what the system says: no_such_file, file_exists, access, bad_file, read_only, no_space,
// quota, io.
File* open(Communicator& comm, const std::string& name, int amode, const Info* info);
// Collective; when it returns, all members have called it, and a file with delete_on_close is gone.
void close(File& file);
// Errors: no_such_file, file_in_use (the job has it open), access, bad_file, ….
void remove(Job& job, const std::string& name);

// Collective, with equal arguments. Errors: arg, not_same, and what the system says.
void set_size(File& file, Count size);
void preallocate(File& file, Count size);
void set_atomicity(File& file, bool atomic);
void sync(File& file);

inline constexpr Count displacement_current = -1;
// Collective; both pointers go to 0. Errors: arg, io (see View; data that overlaps in a file open for
// writing), not_same (extent of the etype, or representation).
void set_view(File& file, Count displacement, Datatype& etype, Datatype& filetype,
              RepresentationPtr representation, const Info* info);

// With the values of MPI_SEEK_*.
enum class Whence : int { current = 401, end = 402, set = 403 };
// Errors: arg (a negative position), unsupported_operation (a sequential file).
void seek(File& file, Count offset, Whence whence);
void seek_shared(File& file, Count offset, Whence whence);  // collective, with equal arguments
Count byte_offset(File& file, Count offset);

}  // namespace ranklet::io
