// Packing and unpacking (MPI 5.0 §5.2 and §5.3).
#include <cstring>

#include "api/impl/impl.hpp"
#include "datatype/checked.hpp"
#include "datatype/copy.hpp"

namespace ranklet::api::impl {

namespace {

void check_datarep(const char* datarep)
{
  if (std::strcmp(datarep, "external32") != 0)
    fail(ErrorClass::unsupported_datarep, "datarep is \"%s\"; only \"external32\" is known", datarep);
}

// Throws unless `bytes` fit between position and the end of a buffer.
void check_room(Count bytes, Count position, Count size, const char* what)
{
  if (position < 0 || position > size)
    fail(ErrorClass::arg, "position %lld is outside the buffer of %lld bytes",
         static_cast<long long>(position), static_cast<long long>(size));
  if (bytes > size - position)
    fail(ErrorClass::truncate, "%lld bytes %s, and the buffer has %lld from position %lld on",
         static_cast<long long>(bytes), what, static_cast<long long>(size - position),
         static_cast<long long>(position));
}

constexpr const char* to_pack = "are to be packed";
constexpr const char* to_unpack = "are to be unpacked";

}  // namespace

void Pack(Rank&, const void* inbuf, Count incount, Datatype& datatype, void* outbuf, Count outsize,
          Count& position, Communicator&)
{
  const Count bytes = checked_mul(incount, datatype.size());
  check_room(bytes, position, outsize, to_pack);
  position += pack(inbuf, incount, datatype, 0, static_cast<char*>(outbuf) + position, bytes);
}

void Unpack(Rank&, const void* inbuf, Count insize, Count& position, void* outbuf, Count outcount,
            Datatype& datatype, Communicator&)
{
  const Count bytes = checked_mul(outcount, datatype.size());
  check_room(bytes, position, insize, to_unpack);
  position += unpack(outbuf, outcount, datatype, 0, static_cast<const char*>(inbuf) + position, bytes);
}

void Pack_size(Rank&, Count incount, Datatype& datatype, Communicator&, Count& size)
{
  size = checked_mul(incount, datatype.size());
}

void Pack_external(Rank&, const char* datarep, const void* inbuf, Count incount, Datatype& datatype,
                   void* outbuf, Count outsize, Count& position)
{
  check_datarep(datarep);
  check_room(external_size(incount, datatype), position, outsize, to_pack);
  position +=
      pack_external(inbuf, incount, datatype, static_cast<char*>(outbuf) + position, outsize - position);
}

void Unpack_external(Rank&, const char* datarep, const void* inbuf, Count insize, Count& position,
                     void* outbuf, Count outcount, Datatype& datatype)
{
  check_datarep(datarep);
  check_room(external_size(outcount, datatype), position, insize, to_unpack);
  position += unpack_external(outbuf, outcount, datatype, static_cast<const char*>(inbuf) + position,
                              insize - position);
}

void Pack_external_size(Rank&, const char* datarep, Count incount, Datatype& datatype, Count& size)
{
  check_datarep(datarep);
  size = external_size(incount, datatype);
}

}  // namespace ranklet::api::impl
