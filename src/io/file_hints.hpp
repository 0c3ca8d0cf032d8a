// What a program says of its use of a file (MPI 5.0 §14.2.8).
#pragma once

#include "terms/info.hpp"

namespace ranklet::io {

// Takes over the keys that the standard reserves for files, or that users of ROMIO set, as MPI_File_get_info
// gives them back; others are ignored. Members' buffers are written from where they are, by whoever is there:
// of all of them only file_perm has an effect.
void keep_hints(Info& kept, const Info& given);

// Permissions of a file to be made: those of file_perm, octal, or all that the mask leaves.
unsigned permissions(const Info& hints);

}  // namespace ranklet::io
