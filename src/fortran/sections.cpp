#include "fortran/sections.hpp"

#include "fortran/mutex.hpp"
#include "fortran/typemap.hpp"

namespace ranklet::fortran {
namespace {

// The dimensions of a section without those of one element, neighbours joined where one walks on as the other ends.
struct Shape {
  int rank = 0;
  MPI_Count extent[CFI_MAX_RANK];
  MPI_Count stride[CFI_MAX_RANK];  // in bytes

  explicit Shape(const CFI_cdesc_t& section)
  {
    for (int i = 0; i < section.rank; ++i) {
      const MPI_Count n = section.dim[i].extent, sm = section.dim[i].sm;
      if (n == 1) continue;
      if (rank > 0 && sm == extent[rank - 1] * stride[rank - 1]) {
        extent[rank - 1] *= n;
        continue;
      }
      extent[rank] = n;
      stride[rank++] = sm;
    }
  }

  // Where element i is; past the end the last dimension goes on.
  MPI_Count offset(MPI_Count i) const
  {
    MPI_Count bytes = 0;
    for (int d = 0; d < rank; ++d) {
      const bool last = d == rank - 1;
      bytes += (last ? i : i % extent[d]) * stride[d];
      if (!last) i /= extent[d];
    }
    return bytes;
  }
};

// Two types beside each other; both are freed.
MPI_Datatype joined(MPI_Datatype first, MPI_Datatype second, MPI_Count second_place)
{
  MPI_Datatype types[] = {first, second}, made = MPI_DATATYPE_NULL;
  const MPI_Count lengths[] = {1, 1}, places[] = {0, second_place};
  PMPI_Type_create_struct_c(2, lengths, places, types, &made);
  PMPI_Type_free(&first);
  PMPI_Type_free(&second);
  return made;
}

// The first n elements, of type `element`, of the first `rank` dimensions.
MPI_Datatype first_elements(const Shape& shape, int rank, MPI_Count n, MPI_Datatype element)
{
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (rank == 0) {
    PMPI_Type_contiguous_c(n, element, &made);
    return made;
  }
  if (rank == 1) {
    PMPI_Type_create_hvector_c(n, 1, shape.stride[0], element, &made);
    return made;
  }
  MPI_Count inner = 1;
  for (int d = 0; d < rank - 1; ++d) inner *= shape.extent[d];
  const MPI_Count whole = n / inner, rest = n % inner, stride = shape.stride[rank - 1];
  if (whole == 0) return first_elements(shape, rank - 1, rest, element);
  MPI_Datatype slice = first_elements(shape, rank - 1, inner, element);
  PMPI_Type_create_hvector_c(whole, 1, stride, slice, &made);
  PMPI_Type_free(&slice);
  if (rest == 0) return made;
  return joined(made, first_elements(shape, rank - 1, rest, element), whole * stride);
}

// A datatype whose bytes lie side by side, and of which a whole number makes an element of the section.
MPI_Datatype whole_elements(const Shape& shape, MPI_Count each, MPI_Count count, MPI_Datatype datatype)
{
  if (each == 1) return first_elements(shape, shape.rank, count, datatype);
  MPI_Datatype element = MPI_DATATYPE_NULL, part = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous_c(each, datatype, &element);
  const MPI_Count n = count / each, rest = count % each;
  MPI_Datatype made = first_elements(shape, shape.rank, n, element);
  PMPI_Type_free(&element);
  if (rest == 0) return made;
  PMPI_Type_contiguous_c(rest, datatype, &part);
  return joined(made, part, shape.offset(n));
}

// Any other: each basic element of the datatype's type map goes where its bytes are in the section, or each byte if the
// section tears it apart.
MPI_Datatype mapped(const Shape& shape, MPI_Count elem_len, MPI_Count count, MPI_Datatype datatype, MPI_Count extent)
{
  const TypeMap map(datatype);
  List<MPI_Count> lengths, places;
  List<MPI_Datatype> types;
  for (MPI_Count i = 0; i < count; ++i)
    for (std::size_t k = 0; k < map.entries().size(); ++k) {
      const TypeMap::Entry& entry = map.entries()[k];
      const MPI_Count begin = i * extent + entry.place;
      MPI_Count at = begin;
      const auto address = [&](MPI_Count byte) { return shape.offset(byte / elem_len) + byte % elem_len; };
      if (address(begin + entry.bytes - 1) - address(begin) == entry.bytes - 1 &&
          (begin / elem_len == (begin + entry.bytes - 1) / elem_len || shape.rank == 0)) {
        lengths.add(1);
        places.add(address(begin));
        types.add(entry.type);
        continue;
      }
      for (; at < begin + entry.bytes; ++at) {
        lengths.add(1);
        places.add(address(at));
        types.add(MPI_BYTE);
      }
    }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  PMPI_Type_create_struct_c(static_cast<MPI_Count>(types.size()), lengths.data(), places.data(), types.data(), &made);
  return made;
}

MPI_Datatype make(const CFI_cdesc_t& section, MPI_Count count, MPI_Datatype datatype)
{
  MPI_Count size = 0, lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  if (PMPI_Type_size_c(datatype, &size) != MPI_SUCCESS) return MPI_DATATYPE_NULL;
  PMPI_Type_get_extent_c(datatype, &lb, &extent);
  PMPI_Type_get_true_extent_c(datatype, &true_lb, &true_extent);
  const Shape shape(section);
  const auto elem_len = static_cast<MPI_Count>(section.elem_len);
  const bool dense = lb == 0 && true_lb == 0 && size == extent && size == true_extent && size > 0;
  MPI_Datatype made = dense && elem_len % size == 0 ? whole_elements(shape, elem_len / size, count, datatype)
                                                    : mapped(shape, elem_len, count, datatype, extent);
  if (made != MPI_DATATYPE_NULL) PMPI_Type_commit(&made);
  return made;
}

// Types of sections of predefined datatypes, so that a program that sends the same shape again makes nothing. Nothing
// leaves the table before MPI_Finalize: another thread may be about to use what it found.
struct Kept {
  MPI_Datatype datatype, type;
  MPI_Count count;
  std::size_t elem_len;
  int rank;
  CFI_dim_t dim[4];

  bool is(const CFI_cdesc_t& section, MPI_Count n, MPI_Datatype of) const
  {
    if (datatype != of || count != n || elem_len != section.elem_len || rank != section.rank) return false;
    for (int i = 0; i < rank; ++i)
      if (dim[i].extent != section.dim[i].extent || dim[i].sm != section.dim[i].sm) return false;
    return true;
  }
};

constexpr int last_predefined = 0x3ff;
constexpr int most_kept = 32;
Mutex kept_mutex;
Kept kept_types[most_kept] RANKLET_GUARDED_BY(kept_mutex);
int kept_count RANKLET_GUARDED_BY(kept_mutex);
int cleaner RANKLET_GUARDED_BY(kept_mutex) = MPI_KEYVAL_INVALID;

// MPI_Finalize begins with deleting the attributes of MPI_COMM_SELF (MPI 5.0 §11.2.4).
int free_kept(MPI_Comm, int, void*, void*)
{
  const Locked locked(kept_mutex);
  for (int i = 0; i < kept_count; ++i) PMPI_Type_free(&kept_types[i].type);
  kept_count = most_kept;
  return MPI_SUCCESS;
}

bool prepare_cleaning() RANKLET_REQUIRES(kept_mutex)
{
  int initialized = 0;
  PMPI_Initialized(&initialized);
  if (initialized == 0) return false;
  if (cleaner != MPI_KEYVAL_INVALID) return true;
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_kept, &cleaner, nullptr) != MPI_SUCCESS) return false;
  const bool set = PMPI_Comm_set_attr(MPI_COMM_SELF, cleaner, nullptr) == MPI_SUCCESS;
  int key = cleaner;
  PMPI_Comm_free_keyval(&key);
  return set;
}

}  // namespace

MPI_Datatype strided_type(const CFI_cdesc_t& section, MPI_Count count, MPI_Datatype datatype, bool& kept)
{
  kept = false;
  if (datatype == MPI_DATATYPE_NULL) return MPI_DATATYPE_NULL;
  if (number(datatype) > last_predefined || section.rank > 4) return make(section, count, datatype);
  const Locked locked(kept_mutex);
  for (int i = 0; kept_count < most_kept + 1 && i < kept_count; ++i)
    if (kept_types[i].type != MPI_DATATYPE_NULL && kept_types[i].is(section, count, datatype)) {
      kept = true;
      return kept_types[i].type;
    }
  const MPI_Datatype made = make(section, count, datatype);
  if (made == MPI_DATATYPE_NULL || kept_count >= most_kept || !prepare_cleaning()) return made;
  Kept& place = kept_types[kept_count++];
  place = {datatype, made, count, section.elem_len, section.rank, {}};
  for (int i = 0; i < section.rank; ++i) place.dim[i] = section.dim[i];
  kept = true;
  return made;
}

void Strided::follow(const CFI_cdesc_t& section)
{
  if (count_ <= 0) return;  // an error or nothing: the call sees
  bool kept = false;
  const MPI_Datatype type = strided_type(section, count_, type_, kept);
  if (type == MPI_DATATYPE_NULL) return;
  type_ = type;
  count_ = 1;
  made_type_ = type;
  made_ = !kept;
}

std::size_t Copy::bytes() const
{
  const auto& descriptor = reinterpret_cast<const CFI_cdesc_t&>(section);
  std::size_t n = descriptor.elem_len;
  for (int i = 0; i < descriptor.rank; ++i) n *= static_cast<std::size_t>(descriptor.dim[i].extent);
  return n;
}

namespace {

// Calls move(address in the section, place in the copy, bytes) for the pieces of bytes [begin, end).
template <class Move>
void for_pieces(const CFI_cdesc_t& section, std::size_t begin, std::size_t end, Move move)
{
  const Shape shape(section);
  char* const base = static_cast<char*>(section.base_addr);
  for (std::size_t at = begin; at < end;) {
    const std::size_t within = at % section.elem_len;
    const std::size_t n = section.elem_len - within < end - at ? section.elem_len - within : end - at;
    move(base + shape.offset(static_cast<MPI_Count>(at / section.elem_len)) + within, at, n);
    at += n;
  }
}

}  // namespace

void Copy::gather_part(std::size_t begin, std::size_t end) const
{
  const std::size_t limit = bytes();
  for_pieces(reinterpret_cast<const CFI_cdesc_t&>(section), begin, end < limit ? end : limit,
             [&](const char* place, std::size_t at, std::size_t n) { std::memcpy(memory + at, place, n); });
}

void Copy::gather() const
{
  gather_part(0, bytes());
}

void Copy::scatter(std::size_t begin, std::size_t end) const
{
  const std::size_t limit = bytes();
  for_pieces(reinterpret_cast<const CFI_cdesc_t&>(section), begin, end < limit ? end : limit,
             [&](char* place, std::size_t at, std::size_t n) { std::memcpy(place, memory + at, n); });
}

void Copied::copy(const CFI_cdesc_t& section, bool out)
{
  copy_ = static_cast<Copy*>(std::calloc(1, sizeof(Copy)));
  if (copy_ == nullptr) std::abort();
  std::memcpy(&copy_->section, &section,
              offsetof(CFI_cdesc_t, dim) + static_cast<std::size_t>(section.rank) * sizeof(CFI_dim_t));
  copy_->out = out;
  const std::size_t bytes = copy_->bytes();
  copy_->memory = static_cast<char*>(std::malloc(bytes > 0 ? bytes : 1));
  if (copy_->memory == nullptr) std::abort();
  copy_->gather();
  address_ = copy_->memory;
}

void Copied::finish()
{
  if (copy_->out) copy_->scatter(0, copy_->bytes());
  std::free(copy_->memory);
  std::free(copy_);
}

}  // namespace ranklet::fortran
