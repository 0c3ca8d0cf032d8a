// A type once more, by its constructors' arguments, with other predefined types at the bottom.
#include <span>

#include "io/representation.hpp"

namespace ranklet::io {

namespace {

// The counts of a constructor call in either form (Contents), from a place on.
class Counts {
 public:
  // `skip`: integers before the counts in the normal form.
  Counts(const Contents& contents, std::size_t skip)
  {
    if (contents.large_counts.empty())
      for (std::size_t i = skip; i < contents.integers.size(); ++i) all_.push_back(contents.integers[i]);
    else
      all_ = contents.large_counts;
  }
  Count operator[](std::size_t i) const { return all_[i]; }
  std::span<const Count> part(std::size_t from, std::size_t length) const
  {
    return std::span<const Count>(all_).subspan(from, length);
  }

 private:
  std::vector<Count> all_;
};

// Byte displacements: at the end of the large counts, or by themselves.
std::vector<Count> addresses_of(const Contents& contents, std::size_t length)
{
  const auto& all = contents.addresses.empty() ? contents.large_counts : contents.addresses;
  return {all.end() - static_cast<std::ptrdiff_t>(length), all.end()};
}

Ref<Datatype> remake_subarray(const Contents& contents, Datatype& old)
{
  const auto dims = static_cast<std::size_t>(contents.integers[0]);
  const Counts counts(contents, 1);
  return create_subarray(counts.part(0, dims), counts.part(dims, dims), counts.part(2 * dims, dims),
                         static_cast<Order>(contents.integers.back()), old);
}

Ref<Datatype> remake_darray(const Contents& contents, Datatype& old)
{
  const std::vector<int>& integers = contents.integers;
  const auto dims = static_cast<std::size_t>(integers[2]);
  const bool large = !contents.large_counts.empty();
  std::vector<Count> sizes(
      large ? contents.large_counts
            : std::vector<Count>(integers.begin() + 3, integers.begin() + 3 + integers[2]));
  const auto rest = integers.begin() + 3 + (large ? 0 : integers[2]);
  std::vector<Distribution> distributions;
  std::vector<Count> dargs, processes;
  for (std::size_t i = 0; i < dims; ++i) {
    distributions.push_back(static_cast<Distribution>(rest[static_cast<std::ptrdiff_t>(i)]));
    dargs.push_back(rest[static_cast<std::ptrdiff_t>(dims + i)]);
    processes.push_back(rest[static_cast<std::ptrdiff_t>(2 * dims + i)]);
  }
  return create_darray(integers[0], integers[1], sizes, distributions, dargs, processes,
                       static_cast<Order>(integers.back()), old);
}

Ref<Datatype> remake(const Contents& contents, std::span<Datatype* const> old)
{
  switch (contents.combiner) {
    case Combiner::contiguous:
      return create_contiguous(Counts(contents, 0)[0], *old[0]);
    case Combiner::vector: {
      const Counts counts(contents, 0);
      return create_vector(counts[0], counts[1], counts[2], *old[0]);
    }
    case Combiner::hvector: {
      const Counts counts(contents, 0);
      return create_hvector(counts[0], counts[1], addresses_of(contents, 1)[0], *old[0]);
    }
    case Combiner::indexed: {
      const Counts counts(contents, 0);
      const auto n = static_cast<std::size_t>(counts[0]);
      return create_indexed(counts.part(1, n), counts.part(1 + n, n), *old[0]);
    }
    case Combiner::hindexed: {
      const Counts counts(contents, 0);
      const auto n = static_cast<std::size_t>(counts[0]);
      return create_hindexed(counts.part(1, n), addresses_of(contents, n), *old[0]);
    }
    case Combiner::indexed_block: {
      const Counts counts(contents, 0);
      return create_indexed_block(counts[1], counts.part(2, static_cast<std::size_t>(counts[0])), *old[0]);
    }
    case Combiner::hindexed_block: {
      const Counts counts(contents, 0);
      return create_hindexed_block(counts[1], addresses_of(contents, static_cast<std::size_t>(counts[0])),
                                   *old[0]);
    }
    case Combiner::structure: {
      const Counts counts(contents, 0);
      const auto n = static_cast<std::size_t>(counts[0]);
      return create_struct(counts.part(1, n), addresses_of(contents, n), old);
    }
    case Combiner::subarray:
      return remake_subarray(contents, *old[0]);
    case Combiner::darray:
      return remake_darray(contents, *old[0]);
    case Combiner::resized: {
      const std::vector<Count> bounds = addresses_of(contents, 2);
      return create_resized(*old[0], bounds[0], bounds[1]);
    }
    default:
      return Ref<Datatype>(*old[0]);
  }
}

}  // namespace

Ref<Datatype> type_in_file(const Representation& representation, Datatype& type)
{
  if (representation.is_native()) return Ref<Datatype>(type);
  const Contents& contents = type.contents();
  if (contents.types.empty())
    return create_contiguous(size_in_file(representation, type), predefined(Basic::byte));
  std::vector<Ref<Datatype>> kept;
  std::vector<Datatype*> old;
  for (const Ref<Datatype>& each : contents.types) {
    kept.push_back(type_in_file(representation, *each));
    old.push_back(kept.back().get());
  }
  return remake(contents, old);
}

}  // namespace ranklet::io
