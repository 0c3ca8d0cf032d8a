#include "io/file.hpp"

#include <cerrno>

#include "io/file_request.hpp"
#include "io/split.hpp"

namespace ranklet {

namespace io {

FileShared::FileShared(JobFiles& in_files, std::string in_path, int in_amode, int in_descriptor)
    : files(in_files), path(std::move(in_path)), amode(in_amode), descriptor(in_descriptor)
{
}

FileShared::~FileShared()
{
  if (descriptor >= 0) files.calls->close(descriptor);
}

Count FileShared::size() const
{
  struct stat found;
  if (files.calls->fstat(descriptor, &found) != 0) fail_with(errno, "asking for the size of", path);
  return found.st_size;
}

void check_no_split(const File& file)
{
  if (file.open_split)
    fail(ErrorClass::unsupported_operation, "a split collective access of the file has begun and not ended");
}

}  // namespace io

File::File(CommRef comm, std::shared_ptr<io::FileShared> shared, io::ViewPtr in_view, Info in_hints)
    : view(std::move(in_view)), hints(std::move(in_hints)), comm_(std::move(comm)), shared_(std::move(shared))
{
}

File::~File() = default;

}  // namespace ranklet
