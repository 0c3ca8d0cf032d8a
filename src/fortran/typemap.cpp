#include "fortran/typemap.hpp"

#include "fortran/values.hpp"

namespace ranklet::fortran {
namespace {

bool is_basic(int combiner)
{
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER ||
         combiner == MPI_COMBINER_VALUE_INDEX;
}

MPI_Count extent_of(MPI_Datatype datatype)
{
  MPI_Count lb = 0, extent = 0;
  PMPI_Type_get_extent_c(datatype, &lb, &extent);
  return extent;
}

int combiner_of(MPI_Datatype datatype)
{
  MPI_Count integers = 0, addresses = 0, large = 0, datatypes = 0;
  int combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope_c(datatype, &integers, &addresses, &large, &datatypes, &combiner);
  return combiner;
}

}  // namespace

void TypeMap::add_blocks(MPI_Datatype datatype, MPI_Count n, MPI_Count place, MPI_Count extent)
{
  for (MPI_Count i = 0; i < n; ++i) add(datatype, place + i * extent);
}

void TypeMap::add(MPI_Datatype datatype, MPI_Count place)
{
  MPI_Count integers = 0, addresses = 0, large = 0, datatypes = 0;
  int combiner = MPI_COMBINER_NAMED;
  if (PMPI_Type_get_envelope_c(datatype, &integers, &addresses, &large, &datatypes, &combiner) != MPI_SUCCESS)
    return;
  if (!is_basic(combiner)) {
    add_contents(datatype, place, combiner, integers, addresses, large, datatypes);
    return;
  }
  MPI_Count lb = 0, true_extent = 0;
  PMPI_Type_get_true_extent_c(datatype, &lb, &true_extent);
  entries_.add({place, true_extent, datatype});
}

void TypeMap::add_contents(MPI_Datatype datatype, MPI_Count place, int combiner, MPI_Count integers,
                           MPI_Count addresses, MPI_Count large, MPI_Count datatypes)
{
  const Scratch<int, 64> int_values(integers);
  const Scratch<MPI_Aint, 64> address_values(addresses);
  const Scratch<MPI_Count, 64> large_values(large);
  const Scratch<MPI_Datatype, 64> types(datatypes);
  PMPI_Type_get_contents_c(datatype, integers, addresses, large, datatypes, int_values.data(),
                           address_values.data(), large_values.data(), types.data());
  // The same arguments in the same order, whether the type was made by the large-count constructor or not.
  List<MPI_Count> a;
  if (large == 0) {
    for (std::size_t i = 0; i < int_values.size(); ++i) a.add(int_values.data()[i]);
    for (std::size_t i = 0; i < address_values.size(); ++i) a.add(address_values.data()[i]);
  }
  for (std::size_t i = 0; i < large_values.size(); ++i) a.add(large_values.data()[i]);
  const MPI_Datatype type = types.data()[0];
  const MPI_Count extent = extent_of(type);
  const auto at = [&](MPI_Count i) { return a[static_cast<std::size_t>(i)]; };
  const MPI_Count n = a.size() > 0 ? at(0) : 0;
  switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      add(type, place);
      break;
    case MPI_COMBINER_CONTIGUOUS:
      add_blocks(type, n, place, extent);
      break;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
      for (MPI_Count i = 0; i < n; ++i)
        add_blocks(type, at(1), place + i * at(2) * (combiner == MPI_COMBINER_VECTOR ? extent : 1), extent);
      break;
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
      for (MPI_Count i = 0; i < n; ++i)
        add_blocks(type, at(1 + i), place + at(1 + n + i) * (combiner == MPI_COMBINER_INDEXED ? extent : 1),
                   extent);
      break;
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
      for (MPI_Count i = 0; i < n; ++i)
        add_blocks(type, at(1), place + at(2 + i) * (combiner == MPI_COMBINER_INDEXED_BLOCK ? extent : 1),
                   extent);
      break;
    case MPI_COMBINER_STRUCT:
      for (MPI_Count i = 0; i < n; ++i) {
        const MPI_Datatype member = types.data()[i];
        add_blocks(member, at(1 + i), place + at(1 + n + i), extent_of(member));
      }
      break;
    default:
      add_probed(datatype, type, place);
      break;  // MPI_COMBINER_SUBARRAY, MPI_COMBINER_DARRAY
  }
  for (std::size_t i = 0; i < types.size(); ++i)
    if (!is_basic(combiner_of(types.data()[i]))) PMPI_Type_free(&types.data()[i]);
}

// The elements of a subarray or distributed array, found by packing: each byte of memory has its place as its
// value, one of the place's digits at a time, and the packed form tells where its bytes come from.
void TypeMap::add_probed(MPI_Datatype datatype, MPI_Datatype element, MPI_Count place)
{
  MPI_Count size = 0, lb = 0, extent = 0, element_size = 0;
  PMPI_Type_size_c(datatype, &size);
  PMPI_Type_size_c(element, &element_size);
  if (size == 0) return;
  PMPI_Type_get_true_extent_c(datatype, &lb, &extent);
  const Scratch<unsigned char, 1> packed(size), memory(extent);
  const Scratch<MPI_Count, 1> source(size);
  for (std::size_t i = 0; i < source.size(); ++i) source.data()[i] = lb;
  for (int shift = 0; shift == 0 || extent >> shift != 0; shift += 8) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory.data()[i] = static_cast<unsigned char>(i >> shift);
    MPI_Count position = 0;
    PMPI_Pack_c(memory.data() - lb, 1, datatype, packed.data(), size, &position, MPI_COMM_SELF);
    for (std::size_t i = 0; i < source.size(); ++i)
      source.data()[i] += static_cast<MPI_Count>(packed.data()[i]) << shift;
  }
  // The first byte of each element tells where the element is.
  const MPI_Count first = TypeMap(element).entries()[0].place;
  for (MPI_Count i = 0; i < size; i += element_size) add(element, place + source.data()[i] - first);
}

}  // namespace ranklet::fortran
