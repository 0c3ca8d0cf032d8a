// Array sections that mpi_f08 hands over as descriptors (MPI 5.0 §19.1.2). The standard's picture: the elements of the
// section, in array element order, form a contiguous array, and count, datatype and displacements speak of that array.
//
// Contiguous sections go straight through. For others
//  - Strided gives one datatype that leads to the same bytes as (count, datatype) in the contiguous array; nothing is copied;
//  - Copied makes that contiguous array, where a call takes reductions, or blocks for several ranks, out of one buffer.
#pragma once

#include <cstddef>

#include <mpi.h>

#include "fortran/compiler_descriptors.hpp"
#include "fortran/sentinels.hpp"
#include "fortran/values.hpp"

namespace ranklet::fortran {

// Whether the elements lie side by side in memory. An assumed-size array says -1 for its last extent.
inline bool is_contiguous(const CFI_cdesc_t& section)
{
  auto expected = static_cast<CFI_index_t>(section.elem_len);
  for (int i = 0; i < section.rank; ++i) {
    if (section.dim[i].extent == -1) return true;
    if (section.dim[i].sm != expected && section.dim[i].extent > 1) {
      for (int j = 0; j < section.rank; ++j)
        if (section.dim[j].extent == 0) return true;
      return false;
    }
    expected *= section.dim[i].extent;
  }
  return true;
}

// Makes the datatype, committed; MPI_DATATYPE_NULL if `datatype` is none that a call takes, which the call itself reports.
MPI_Datatype strided_type(const CFI_cdesc_t& section, MPI_Count count, MPI_Datatype datatype, bool& kept);

class Strided {
 public:
  Strided(const CFI_cdesc_t* section, MPI_Count count, MPI_Datatype datatype)
      : address_(section->base_addr), count_(count), type_(datatype)
  {
    if (is_contiguous(*section)) [[likely]]
      address_ = choice(address_);
    else
      follow(*section);
  }
  ~Strided()
  {
    // Operations that use the type go on (MPI 5.0 §5.1.9).
    if (made_) [[unlikely]]
      PMPI_Type_free(&made_type_);
  }
  Strided(const Strided&) = delete;
  Strided& operator=(const Strided&) = delete;

  void* address() const { return address_; }
  template <class Number>
  Number count() const
  {
    return static_cast<Number>(count_);
  }
  MPI_Datatype type() const { return type_; }

 private:
  void follow(const CFI_cdesc_t& section);

  void* address_;
  MPI_Count count_;
  MPI_Datatype type_;
  MPI_Datatype made_type_ = MPI_DATATYPE_NULL;
  bool made_ = false;
};

// A section with memory for its contiguous copy. The section's descriptor dies with the call, so here is another.
struct Copy {
  CFI_CDESC_T(CFI_MAX_RANK) section;
  char* memory;
  bool out;  // goes back to the section when the operation is complete

  std::size_t bytes() const;
  void gather() const;                                         // section -> memory
  void scatter(std::size_t begin, std::size_t end) const;      // memory -> section, of bytes [begin, end)
  void gather_part(std::size_t begin, std::size_t end) const;  // section -> memory
};

class Copied {
 public:
  Copied(const CFI_cdesc_t* section, bool out) : address_(section->base_addr)
  {
    if (is_contiguous(*section)) [[likely]]
      address_ = choice(address_);
    else
      copy(*section, out);
  }
  ~Copied()
  {
    if (copy_ != nullptr) [[unlikely]]
      finish();
  }
  Copied(const Copied&) = delete;
  Copied& operator=(const Copied&) = delete;

  void* address() const { return address_; }
  // Hands the copy over to whoever waits for the operation.
  Copy* release()
  {
    Copy* const copy = copy_;
    copy_ = nullptr;
    return copy;
  }

 private:
  void copy(const CFI_cdesc_t& section, bool out);
  void finish();

  void* address_;
  Copy* copy_ = nullptr;
};

}  // namespace ranklet::fortran
