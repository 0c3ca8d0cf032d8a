// Datatypes (MPI 5.0 chapter 5, §19.1.5).
#include <cstring>

#include "api/entry/checks.hpp"
#include "api/handles/strings.hpp"
#include "api/impl/impl.hpp"
#include "datatype/copy.hpp"

namespace ranklet::api::impl {

static_assert(static_cast<int>(Combiner::named) == MPI_COMBINER_NAMED);
static_assert(static_cast<int>(Combiner::dup) == MPI_COMBINER_DUP);
static_assert(static_cast<int>(Combiner::contiguous) == MPI_COMBINER_CONTIGUOUS);
static_assert(static_cast<int>(Combiner::vector) == MPI_COMBINER_VECTOR);
static_assert(static_cast<int>(Combiner::hvector) == MPI_COMBINER_HVECTOR);
static_assert(static_cast<int>(Combiner::indexed) == MPI_COMBINER_INDEXED);
static_assert(static_cast<int>(Combiner::hindexed) == MPI_COMBINER_HINDEXED);
static_assert(static_cast<int>(Combiner::indexed_block) == MPI_COMBINER_INDEXED_BLOCK);
static_assert(static_cast<int>(Combiner::hindexed_block) == MPI_COMBINER_HINDEXED_BLOCK);
static_assert(static_cast<int>(Combiner::structure) == MPI_COMBINER_STRUCT);
static_assert(static_cast<int>(Combiner::subarray) == MPI_COMBINER_SUBARRAY);
static_assert(static_cast<int>(Combiner::darray) == MPI_COMBINER_DARRAY);
static_assert(static_cast<int>(Combiner::f90_real) == MPI_COMBINER_F90_REAL);
static_assert(static_cast<int>(Combiner::f90_complex) == MPI_COMBINER_F90_COMPLEX);
static_assert(static_cast<int>(Combiner::f90_integer) == MPI_COMBINER_F90_INTEGER);
static_assert(static_cast<int>(Combiner::resized) == MPI_COMBINER_RESIZED);
static_assert(static_cast<int>(Combiner::value_index) == MPI_COMBINER_VALUE_INDEX);
static_assert(static_cast<int>(Order::c) == MPI_ORDER_C);
static_assert(static_cast<int>(Order::fortran) == MPI_ORDER_FORTRAN);
static_assert(static_cast<int>(Distribution::none) == MPI_DISTRIBUTE_NONE);
static_assert(static_cast<int>(Distribution::block) == MPI_DISTRIBUTE_BLOCK);
static_assert(static_cast<int>(Distribution::cyclic) == MPI_DISTRIBUTE_CYCLIC);
static_assert(default_darg == MPI_DISTRIBUTE_DFLT_DARG);
static_assert(static_cast<int>(TypeClass::integer) == MPI_TYPECLASS_INTEGER);
static_assert(static_cast<int>(TypeClass::real) == MPI_TYPECLASS_REAL);
static_assert(static_cast<int>(TypeClass::complex) == MPI_TYPECLASS_COMPLEX);
static_assert(undefined == MPI_UNDEFINED);

namespace {

Width width_of(bool large)
{
  return large ? Width::large : Width::normal;
}

// The normal forms cannot show large counts (§5.1.13).
const Contents& shown_contents(const Datatype& type, bool large)
{
  const Contents& contents = type.contents();
  if (!large && !contents.large_counts.empty())
    fail(ErrorClass::type,
         "the type was made by a large-count constructor, so that only the large-count form "
         "of this call can show it");
  return contents;
}

template <typename T>
void show(const std::vector<T>& values, Count room, T* out, const char* what)
{
  if (room < static_cast<Count>(values.size()))
    fail(ErrorClass::arg, "the type has %zu %s, and room is for %lld", values.size(), what,
         static_cast<long long>(room));
  std::copy(values.begin(), values.end(), out);
}

}  // namespace

void Type_contiguous(Rank&, Count count, Datatype& oldtype, Ref<Datatype>& newtype, bool large)
{
  newtype = create_contiguous(count, oldtype, width_of(large));
}

void Type_vector(Rank&, Count count, Count blocklength, Count stride, Datatype& oldtype,
                 Ref<Datatype>& newtype, bool large)
{
  newtype = create_vector(count, blocklength, stride, oldtype, width_of(large));
}

void Type_create_hvector(Rank&, Count count, Count blocklength, Count stride, Datatype& oldtype,
                         Ref<Datatype>& newtype, bool large)
{
  newtype = create_hvector(count, blocklength, stride, oldtype, width_of(large));
}

void Type_indexed(Rank&, Count count, CountArray array_of_blocklengths, CountArray array_of_displacements,
                  Datatype& oldtype, Ref<Datatype>& newtype, bool large)
{
  newtype = create_indexed(array_of_blocklengths.copy(count), array_of_displacements.copy(count), oldtype,
                           width_of(large));
}

void Type_create_hindexed(Rank&, Count count, CountArray array_of_blocklengths,
                          CountArray array_of_displacements, Datatype& oldtype, Ref<Datatype>& newtype,
                          bool large)
{
  newtype = create_hindexed(array_of_blocklengths.copy(count), array_of_displacements.copy(count), oldtype,
                            width_of(large));
}

void Type_create_indexed_block(Rank&, Count count, Count blocklength, CountArray array_of_displacements,
                               Datatype& oldtype, Ref<Datatype>& newtype, bool large)
{
  newtype = create_indexed_block(blocklength, array_of_displacements.copy(count), oldtype, width_of(large));
}

void Type_create_hindexed_block(Rank&, Count count, Count blocklength, CountArray array_of_displacements,
                                Datatype& oldtype, Ref<Datatype>& newtype, bool large)
{
  newtype = create_hindexed_block(blocklength, array_of_displacements.copy(count), oldtype, width_of(large));
}

void Type_create_struct(Rank&, Count count, CountArray array_of_blocklengths,
                        CountArray array_of_displacements, HandleArray<TypeHandle> array_of_types,
                        Ref<Datatype>& newtype, bool large)
{
  std::vector<Datatype*> types(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < types.size(); ++i) types[i] = &array_of_types[i];
  newtype = create_struct(array_of_blocklengths.copy(count), array_of_displacements.copy(count), types,
                          width_of(large));
}

void Type_create_subarray(Rank&, int ndims, CountArray array_of_sizes, CountArray array_of_subsizes,
                          CountArray array_of_starts, int order, Datatype& oldtype, Ref<Datatype>& newtype,
                          bool large)
{
  newtype = create_subarray(array_of_sizes.copy(ndims), array_of_subsizes.copy(ndims),
                            array_of_starts.copy(ndims), static_cast<Order>(order), oldtype, width_of(large));
}

void Type_create_darray(Rank&, int size, int rank, int ndims, CountArray array_of_gsizes,
                        const int* array_of_distribs, const int* array_of_dargs, const int* array_of_psizes,
                        int order, Datatype& oldtype, Ref<Datatype>& newtype, bool large)
{
  std::vector<Distribution> distributions;
  for (int i = 0; i < ndims; ++i) distributions.push_back(static_cast<Distribution>(array_of_distribs[i]));
  newtype = create_darray(size, rank, array_of_gsizes.copy(ndims), distributions,
                          CountArray(array_of_dargs).copy(ndims), CountArray(array_of_psizes).copy(ndims),
                          static_cast<Order>(order), oldtype, width_of(large));
}

void Type_create_resized(Rank&, Datatype& oldtype, Count lb, Count extent, Ref<Datatype>& newtype, bool large)
{
  newtype = create_resized(oldtype, lb, extent, width_of(large));
}

void Type_get_value_index(Rank&, Datatype& value_type, Datatype& index_type, Ref<Datatype>& pair_type)
{
  if (Datatype* const pair = value_index(value_type, index_type)) pair_type = Ref<Datatype>(*pair);
}

void Type_create_f90_real(Rank& self, int p, int r, Ref<Datatype>& newtype)
{
  newtype = self.api->type_state.keep(Combiner::f90_real, p, r, [&] { return create_f90_real(p, r); });
}

void Type_create_f90_complex(Rank& self, int p, int r, Ref<Datatype>& newtype)
{
  newtype = self.api->type_state.keep(Combiner::f90_complex, p, r, [&] { return create_f90_complex(p, r); });
}

void Type_create_f90_integer(Rank& self, int r, Ref<Datatype>& newtype)
{
  newtype = self.api->type_state.keep(Combiner::f90_integer, 0, r, [&] { return create_f90_integer(r); });
}

void Type_match_size(Rank&, int typeclass, int size, Ref<Datatype>& datatype)
{
  datatype = Ref<Datatype>(match_size(static_cast<TypeClass>(typeclass), size));
}

void Type_size(Rank&, Datatype& datatype, Count& size)
{
  size = datatype.size();
}

void Type_get_extent(Rank&, Datatype& datatype, Count& lb, Count& extent)
{
  lb = datatype.lb();
  extent = datatype.extent();
}

void Type_extent(Rank&, Datatype& datatype, Count& extent)
{
  extent = datatype.extent();
}

void Type_lb(Rank&, Datatype& datatype, Count& displacement)
{
  displacement = datatype.lb();
}

void Type_ub(Rank&, Datatype& datatype, Count& displacement)
{
  displacement = datatype.lb() + datatype.extent();
}

void Type_get_true_extent(Rank&, Datatype& datatype, Count& true_lb, Count& true_extent)
{
  true_lb = datatype.true_lb();
  true_extent = datatype.true_extent();
}

void Type_commit(Rank&, Datatype& datatype)
{
  datatype.commit();
}

// The object goes with its last use, its attributes now (§7.7.4).
void Type_free(Rank& self, Datatype& datatype)
{
  if (datatype.is_predefined()) fail(ErrorClass::type, "datatype is predefined, so it may not be freed");
  if (datatype.attachment()) self.api->type_state.attributes(datatype).clear(&datatype);
}

void Type_dup(Rank& self, Datatype& oldtype, Ref<Datatype>& newtype)
{
  Ref<Datatype> copy = create_dup(oldtype);
  TypeState& types = self.api->type_state;
  const AttributeSet& attributes = types.attributes(oldtype);
  if (!attributes.empty()) attributes.copy_to(&oldtype, types.attributes(*copy), copy.get());
  newtype = std::move(copy);
}

void Type_get_envelope(Rank&, Datatype& datatype, Count& num_integers, Count& num_addresses,
                       Count& num_large_counts, Count& num_datatypes, int& combiner, bool large)
{
  const Contents& contents = shown_contents(datatype, large);
  num_integers = static_cast<Count>(contents.integers.size());
  num_addresses = static_cast<Count>(contents.addresses.size());
  num_large_counts = static_cast<Count>(contents.large_counts.size());
  num_datatypes = static_cast<Count>(contents.types.size());
  combiner = static_cast<int>(contents.combiner);
}

void Type_get_contents(Rank&, Datatype& datatype, Count max_integers, Count max_addresses,
                       Count max_large_counts, Count max_datatypes, int* array_of_integers,
                       Count* array_of_addresses, Count* array_of_large_counts,
                       std::vector<Ref<Datatype>>& array_of_datatypes, bool large)
{
  const Contents& contents = shown_contents(datatype, large);
  if (contents.combiner == Combiner::named)
    fail(ErrorClass::type, "datatype is predefined, so it has no contents");
  if (max_datatypes < static_cast<Count>(contents.types.size()))
    fail(ErrorClass::arg, "the type has %zu datatypes, and room is for %lld", contents.types.size(),
         static_cast<long long>(max_datatypes));
  show(contents.integers, max_integers, array_of_integers, "integers");
  show(contents.addresses, max_addresses, array_of_addresses, "addresses");
  if (large) show(contents.large_counts, max_large_counts, array_of_large_counts, "large counts");
  // Derived types come out as types of their own, for the caller to free (§5.1.13).
  for (const Ref<Datatype>& type : contents.types)
    array_of_datatypes.push_back(type->is_predefined() ? type : create_twin(*type));
}

void Type_set_name(Rank& self, Datatype& datatype, const char* type_name)
{
  self.api->type_state.set_name(datatype,
                                std::string(type_name, strnlen(type_name, MPI_MAX_OBJECT_NAME - 1)));
}

void Type_get_name(Rank& self, Datatype* datatype, char* type_name, int& resultlen)
{
  resultlen = hand_out(type_name, MPI_MAX_OBJECT_NAME,
                       datatype ? self.api->type_state.name(*datatype) : "MPI_DATATYPE_NULL");
}

}  // namespace ranklet::api::impl
