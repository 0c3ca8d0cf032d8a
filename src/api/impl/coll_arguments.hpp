// The arguments of collective functions as coll wants them.
#pragma once

#include <cstddef>
#include <memory>

#include "api/entry/entry.hpp"
#include "coll/coll.hpp"

namespace ranklet::api::coll_arguments {

inline const void* send_buffer(const void* buffer)
{
  return buffer == MPI_IN_PLACE ? coll::in_place : buffer;
}

inline coll::Array array(CountArray counts)
{
  return counts.large() ? coll::Array(static_cast<const Count*>(counts.data()))
                        : coll::Array(static_cast<const int*>(counts.data()));
}

[[noreturn, gnu::cold, gnu::noinline]] inline void too_many(const char* argument, Count count, int blocks)
{
  fail(ErrorClass::count, "%s is %lld, and offsets in %d such blocks do not fit 64 bits", argument,
       static_cast<long long>(count), blocks);
}

inline void check_displacement(Count displacement, int i, const Datatype& type)
{
  Count bytes = 0;
  if (__builtin_mul_overflow(displacement, type.extent(), &bytes)) [[unlikely]]
    fail(ErrorClass::arg, "displacement %d is %lld, which in bytes does not fit 64 bits", i,
         static_cast<long long>(displacement));
}

inline coll::Part part(const void* buffer, Count count, const Datatype* type)
{
  return {send_buffer(buffer), count, type};
}

// Throws unless all elements of n equal blocks have offsets that fit 64 bits.
inline void check_blocks(Count count, const Datatype& type, int n, const char* argument)
{
  Count all = 0;
  if (__builtin_mul_overflow(count, Count{n}, &all) || all > type.most_elements()) [[unlikely]]
    too_many(argument, count, n);
}

// Equal blocks, or blocks of their own counts and displacements in extents, of n peers. They are checked if
// the type is given.
inline coll::Blocks blocks(const void* buffer, Count count, const Datatype* type, int n, const char* argument)
{
  if (type) check_blocks(count, *type, n, argument);
  return {send_buffer(buffer), count, type};
}

inline coll::Blocks blocks(const void* buffer, CountArray counts, CountArray displacements,
                           const Datatype* type, int n, const char* argument)
{
  for (int i = 0; type && i < n; ++i) {
    check_count(counts[static_cast<std::size_t>(i)], *type, argument);
    check_displacement(displacements[static_cast<std::size_t>(i)], i, *type);
  }
  return {send_buffer(buffer), array(counts), array(displacements), type};
}

// Counts of blocks that follow each other.
inline void check_counts(CountArray counts, int n, const Datatype& type, const char* argument)
{
  Count all = 0;
  for (int i = 0; i < n; ++i) {
    const Count count = counts[static_cast<std::size_t>(i)];
    check_count(count, type, argument);
    if (__builtin_add_overflow(all, count, &all) || all > type.most_elements()) [[unlikely]]
      too_many(argument, count, i + 1);
  }
}

// Types of n blocks. Few need no memory but the stack.
class Types {
 public:
  Types(const HandleArray<TypeHandle>& handles, int n, const char* argument)
      : count_(static_cast<std::size_t>(n))
  {
    if (count_ > few) many_ = std::make_unique<const Datatype*[]>(count_);
    const Datatype** const out = many_ ? many_.get() : few_;
    for (std::size_t i = 0; i < count_; ++i) {
      out[i] = &handles[i];
      check_committed(*out[i], argument);
    }
  }

  std::size_t size() const noexcept { return count_; }
  const Datatype* const* data() const noexcept { return many_ ? many_.get() : few_; }

 private:
  static constexpr std::size_t few = 16;

  std::size_t count_;
  std::unique_ptr<const Datatype*[]> many_;
  const Datatype* few_[few];
};

// Counts of blocks with their own types.
inline void check_counts(CountArray counts, const Types& types, const char* argument)
{
  for (std::size_t i = 0; i < types.size(); ++i) check_count(counts[i], *types.data()[i], argument);
}

// How many blocks a neighbourhood collective sends and receives; none where there is no topology, as the call
// will say.
inline int outdegree(const Communicator& comm)
{
  return comm.topology ? static_cast<int>(comm.topology->destinations.size()) : 0;
}
inline int indegree(const Communicator& comm)
{
  return comm.topology ? static_cast<int>(comm.topology->sources.size()) : 0;
}

}  // namespace ranklet::api::coll_arguments
