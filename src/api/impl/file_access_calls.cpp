// Access to the data of files (MPI 5.0 §14.4).
#include "api/impl/impl.hpp"

namespace ranklet::api::impl {

namespace {

using io::Direction;
using io::Pointer;
using io::Split;

// A call with an explicit offset, the individual pointer or the shared one.
template <class Buffer>
io::AccessCall data_call(Pointer pointer, Count offset, Buffer* buffer, Count count, const Datatype& datatype)
{
  // A buffer that is only read from is const in C.
  constexpr Direction direction = std::is_const_v<Buffer> ? Direction::write : Direction::read;
  return {direction, pointer, offset, const_cast<void*>(static_cast<const void*>(buffer)), count, &datatype};
}

template <class Buffer>
io::AccessCall at_offset(Count offset, Buffer* buffer, Count count, const Datatype& datatype)
{
  return data_call(Pointer::given, offset, buffer, count, datatype);
}

template <class Buffer>
io::AccessCall at_pointer(Buffer* buffer, Count count, const Datatype& datatype)
{
  return data_call(Pointer::own, 0, buffer, count, datatype);
}

template <class Buffer>
io::AccessCall by_shared(Buffer* buffer, Count count, const Datatype& datatype)
{
  return data_call(Pointer::shared, 0, buffer, count, datatype);
}

// A collective access whose member is in error has no request.
void give(io::FileRequest* started, Request*& request)
{
  request = started;
}

}  // namespace

void File_read_at(Rank&, File& fh, Count offset, void* buf, Count count, Datatype& datatype, Status* status)
{
  io::access(fh, at_offset(offset, buf, count, datatype), status);
}

void File_read(Rank&, File& fh, void* buf, Count count, Datatype& datatype, Status* status)
{
  io::access(fh, at_pointer(buf, count, datatype), status);
}

void File_read_at_all(Rank&, File& fh, Count offset, void* buf, Count count, Datatype& datatype,
                      Status* status)
{
  io::access_all(fh, at_offset(offset, buf, count, datatype), status);
}

void File_read_all(Rank&, File& fh, void* buf, Count count, Datatype& datatype, Status* status)
{
  io::access_all(fh, at_pointer(buf, count, datatype), status);
}

void File_read_shared(Rank&, File& fh, void* buf, Count count, Datatype& datatype, Status* status)
{
  io::access(fh, by_shared(buf, count, datatype), status);
}

void File_read_ordered(Rank&, File& fh, void* buf, Count count, Datatype& datatype, Status* status)
{
  io::access_all(fh, by_shared(buf, count, datatype), status);
}

void File_iread_at(Rank&, File& fh, Count offset, void* buf, Count count, Datatype& datatype,
                   Request*& request)
{
  give(io::start(fh, at_offset(offset, buf, count, datatype)), request);
}

void File_iread(Rank&, File& fh, void* buf, Count count, Datatype& datatype, Request*& request)
{
  give(io::start(fh, at_pointer(buf, count, datatype)), request);
}

void File_iread_at_all(Rank&, File& fh, Count offset, void* buf, Count count, Datatype& datatype,
                       Request*& request)
{
  give(io::start_all(fh, at_offset(offset, buf, count, datatype)), request);
}

void File_iread_all(Rank&, File& fh, void* buf, Count count, Datatype& datatype, Request*& request)
{
  give(io::start_all(fh, at_pointer(buf, count, datatype)), request);
}

void File_iread_shared(Rank&, File& fh, void* buf, Count count, Datatype& datatype, Request*& request)
{
  give(io::start(fh, by_shared(buf, count, datatype)), request);
}

void File_read_at_all_begin(Rank&, File& fh, Count offset, void* buf, Count count, Datatype& datatype)
{
  io::begin(fh, at_offset(offset, buf, count, datatype));
}

void File_read_at_all_end(Rank&, File& fh, void* buf, Status* status)
{
  io::end(fh, Split::at_all, Direction::read, buf, status);
}

void File_read_all_begin(Rank&, File& fh, void* buf, Count count, Datatype& datatype)
{
  io::begin(fh, at_pointer(buf, count, datatype));
}

void File_read_all_end(Rank&, File& fh, void* buf, Status* status)
{
  io::end(fh, Split::all, Direction::read, buf, status);
}

void File_read_ordered_begin(Rank&, File& fh, void* buf, Count count, Datatype& datatype)
{
  io::begin(fh, by_shared(buf, count, datatype));
}

void File_read_ordered_end(Rank&, File& fh, void* buf, Status* status)
{
  io::end(fh, Split::ordered, Direction::read, buf, status);
}

void File_write_at(Rank&, File& fh, Count offset, const void* buf, Count count, Datatype& datatype,
                   Status* status)
{
  io::access(fh, at_offset(offset, buf, count, datatype), status);
}

void File_write(Rank&, File& fh, const void* buf, Count count, Datatype& datatype, Status* status)
{
  io::access(fh, at_pointer(buf, count, datatype), status);
}

void File_write_at_all(Rank&, File& fh, Count offset, const void* buf, Count count, Datatype& datatype,
                       Status* status)
{
  io::access_all(fh, at_offset(offset, buf, count, datatype), status);
}

void File_write_all(Rank&, File& fh, const void* buf, Count count, Datatype& datatype, Status* status)
{
  io::access_all(fh, at_pointer(buf, count, datatype), status);
}

void File_write_shared(Rank&, File& fh, const void* buf, Count count, Datatype& datatype, Status* status)
{
  io::access(fh, by_shared(buf, count, datatype), status);
}

void File_write_ordered(Rank&, File& fh, const void* buf, Count count, Datatype& datatype, Status* status)
{
  io::access_all(fh, by_shared(buf, count, datatype), status);
}

void File_iwrite_at(Rank&, File& fh, Count offset, const void* buf, Count count, Datatype& datatype,
                    Request*& request)
{
  give(io::start(fh, at_offset(offset, buf, count, datatype)), request);
}

void File_iwrite(Rank&, File& fh, const void* buf, Count count, Datatype& datatype, Request*& request)
{
  give(io::start(fh, at_pointer(buf, count, datatype)), request);
}

void File_iwrite_at_all(Rank&, File& fh, Count offset, const void* buf, Count count, Datatype& datatype,
                        Request*& request)
{
  give(io::start_all(fh, at_offset(offset, buf, count, datatype)), request);
}

void File_iwrite_all(Rank&, File& fh, const void* buf, Count count, Datatype& datatype, Request*& request)
{
  give(io::start_all(fh, at_pointer(buf, count, datatype)), request);
}

void File_iwrite_shared(Rank&, File& fh, const void* buf, Count count, Datatype& datatype, Request*& request)
{
  give(io::start(fh, by_shared(buf, count, datatype)), request);
}

void File_write_at_all_begin(Rank&, File& fh, Count offset, const void* buf, Count count, Datatype& datatype)
{
  io::begin(fh, at_offset(offset, buf, count, datatype));
}

void File_write_at_all_end(Rank&, File& fh, const void* buf, Status* status)
{
  io::end(fh, Split::at_all, Direction::write, buf, status);
}

void File_write_all_begin(Rank&, File& fh, const void* buf, Count count, Datatype& datatype)
{
  io::begin(fh, at_pointer(buf, count, datatype));
}

void File_write_all_end(Rank&, File& fh, const void* buf, Status* status)
{
  io::end(fh, Split::all, Direction::write, buf, status);
}

void File_write_ordered_begin(Rank&, File& fh, const void* buf, Count count, Datatype& datatype)
{
  io::begin(fh, by_shared(buf, count, datatype));
}

void File_write_ordered_end(Rank&, File& fh, const void* buf, Status* status)
{
  io::end(fh, Split::ordered, Direction::write, buf, status);
}

}  // namespace ranklet::api::impl
