// What statuses tell (MPI 5.0 §3.2.5, §5.1.11, §13.3) and their Fortran forms (§19.3.5).
#include <cstring>

#include "api/impl/impl.hpp"

namespace ranklet::api::impl {

void Get_count(Rank&, const Status& status, Datatype& datatype, Count& count)
{
  count = get_count(status.bytes, datatype);
}

void Get_elements(Rank&, const Status& status, Datatype& datatype, Count& count)
{
  count = get_elements(status.bytes, datatype);
}

void Status_get_source(Rank&, const Status& status, int& source)
{
  source = status.source;
}

void Status_get_tag(Rank&, const Status& status, int& tag)
{
  tag = status.tag;
}

void Status_get_error(Rank&, const Status& status, int& error)
{
  error = status.error;
}

void Test_cancelled(Rank&, const Status& status, bool& flag)
{
  flag = status.cancelled != 0;
}

void Status_set_elements(Rank&, Status& status, Datatype& datatype, Count count)
{
  status.bytes = elements_to_bytes(count, datatype);
}

void Status_set_cancelled(Rank&, Status& status, bool flag)
{
  status.cancelled = flag;
}

void Status_set_source(Rank&, Status& status, int source)
{
  status.source = source;
}

void Status_set_tag(Rank&, Status& status, int tag)
{
  status.tag = tag;
}

void Status_set_error(Rank&, Status& status, int error)
{
  status.error = error;
}

// In all three forms a status is the same eight words: MPI_F_SOURCE, MPI_F_TAG and MPI_F_ERROR are the places
// of the public fields in the ABI's structure.
static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint));
static_assert(offsetof(MPI_Status, MPI_SOURCE) == MPI_F_SOURCE * sizeof(MPI_Fint));
static_assert(offsetof(MPI_Status, MPI_TAG) == MPI_F_TAG * sizeof(MPI_Fint));
static_assert(offsetof(MPI_Status, MPI_ERROR) == MPI_F_ERROR * sizeof(MPI_Fint));

namespace {

int copy_status(const void* from, void* to) noexcept
{
  if (!from || !to) return MPI_ERR_ARG;
  std::memcpy(to, from, sizeof(MPI_Status));
  return MPI_SUCCESS;
}

}  // namespace

int Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status)
{
  return copy_status(c_status, f_status);
}

int Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status)
{
  return copy_status(f_status, c_status);
}

int Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status)
{
  return copy_status(c_status, f08_status);
}

int Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status)
{
  return copy_status(f08_status, c_status);
}

int Status_f2f08(const MPI_Fint* f_status, MPI_F08_status* f08_status)
{
  return copy_status(f_status, f08_status);
}

int Status_f082f(const MPI_F08_status* f08_status, MPI_Fint* f_status)
{
  return copy_status(f08_status, f_status);
}

}  // namespace ranklet::api::impl
