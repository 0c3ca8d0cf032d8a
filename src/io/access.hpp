// Data access (MPI 5.0 §14.4).
#pragma once

#include "io/file_request.hpp"

namespace ranklet::io {

// By this member alone.
void access(File& file, const AccessCall& call, Status* status);
FileRequest* start(File& file, const AccessCall& call);

// Collective.
void access_all(File& file, const AccessCall& call, Status* status);
FileRequest* start_all(File& file, const AccessCall& call);

// Split collective (§14.4.5). Errors: unsupported_operation, if another one is open; request, if none such
// is.
void begin(File& file, const AccessCall& call);
void end(File& file, Split split, Direction direction, const void* buffer, Status* status);

}  // namespace ranklet::io
