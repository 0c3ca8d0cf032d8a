// The binary interface (MPI 5.0 §20.2), addresses (§5.1.5) and the profiling call (§15.2.4).
#include <cstring>

#include "api/impl/impl.hpp"

namespace ranklet::api::impl {
namespace {

// The sizes of LOGICAL that Fortran has.
void check_logical_size(int size)
{
  if (size != 1 && size != 2 && size != 4 && size != 8 && size != 16)
    fail(ErrorClass::arg, "logical_size is %d, which is no size of a LOGICAL", size);
}

void check_memory(const void* place, const char* argument)
{
  if (!place) fail(ErrorClass::arg, "%s is a null pointer", argument);
}

}  // namespace

void Abi_get_version(Rank&, int& abi_major, int& abi_minor)
{
  abi_major = MPI_ABI_VERSION;
  abi_minor = MPI_ABI_SUBVERSION;
}

void Abi_get_info(Rank&, InfoPtr& info)
{
  info = std::make_unique<Info>();
  info->set("mpi_aint_size", std::to_string(sizeof(MPI_Aint)));
  info->set("mpi_count_size", std::to_string(sizeof(MPI_Count)));
  info->set("mpi_offset_size", std::to_string(sizeof(MPI_Offset)));
}

void Abi_get_fortran_info(Rank& self, InfoPtr& info)
{
  if (self.api->fortran_info) info = std::make_unique<Info>(*self.api->fortran_info);
}

void Abi_set_fortran_info(Rank& self, Info& info)
{
  if (self.api->fortran_info) fail(ErrorClass::abi, "the Fortran types are known already");
  self.api->fortran_info = std::make_unique<Info>(info);
}

void Abi_get_fortran_booleans(Rank& self, int logical_size, void* logical_true, void* logical_false,
                              bool& is_set)
{
  check_logical_size(logical_size);
  const auto found = self.api->fortran_booleans.find(logical_size);
  is_set = found != self.api->fortran_booleans.end();
  if (!is_set) return;
  check_memory(logical_true, "logical_true");
  check_memory(logical_false, "logical_false");
  const auto size = static_cast<std::size_t>(logical_size);
  std::memcpy(logical_true, found->second.data(), size);
  std::memcpy(logical_false, found->second.data() + size, size);
}

void Abi_set_fortran_booleans(Rank& self, int logical_size, void* logical_true, void* logical_false)
{
  check_logical_size(logical_size);
  check_memory(logical_true, "logical_true");
  check_memory(logical_false, "logical_false");
  const auto size = static_cast<std::size_t>(logical_size);
  std::vector<std::byte> values(2 * size);
  std::memcpy(values.data(), logical_true, size);
  std::memcpy(values.data() + size, logical_false, size);
  const auto [place, added] = self.api->fortran_booleans.emplace(logical_size, values);
  if (!added && place->second != values)
    fail(ErrorClass::abi, "the values of a LOGICAL of %d bytes are known already", logical_size);
}

void Get_address(Rank&, const void* location, Count& address)
{
  address = reinterpret_cast<MPI_Aint>(location);
}

// Addresses wrap like unsigned numbers, so that a sum past the largest signed one is no overflow.
MPI_Aint Aint_add(MPI_Aint base, MPI_Aint disp)
{
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}

MPI_Aint Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}

// Here for profiling libraries to replace; the library itself keeps no profile.
int Pcontrol(const int)
{
  return MPI_SUCCESS;
}

}  // namespace ranklet::api::impl
