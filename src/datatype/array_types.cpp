// Parts of arrays: subarray (§5.1.3) and darray (§5.1.4).
#include "datatype/builder.hpp"
#include "datatype/checked.hpp"
#include "datatype/datatype.hpp"

namespace ranklet {

namespace {

// The dimensions from the fastest to the slowest varying one.
std::vector<std::size_t> fastest_first(std::size_t dims, Order order)
{
  std::vector<std::size_t> sequence(dims);
  for (std::size_t i = 0; i < dims; ++i) sequence[i] = order == Order::fortran ? i : dims - 1 - i;
  return sequence;
}

void check_order(Order order)
{
  if (order != Order::c && order != Order::fortran)
    fail(ErrorClass::arg, "order %d is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN", static_cast<int>(order));
}

// The elements of one dimension that a process owns: `blocks` whole blocks, one every `cycle` elements, and
// `rest` elements of one more.
struct Share {
  Count first = 0;
  Count block = 0;
  Count cycle = 0;
  Count blocks = 0;
  Count rest = 0;

  Count elements() const { return blocks * block + rest; }
};

Share share_of(Count size, Distribution distribution, Count darg, Count processes, Count coordinate)
{
  Count block = darg;
  switch (distribution) {
    case Distribution::none:
      if (processes != 1)
        fail(ErrorClass::arg, "a dimension that is not distributed has %lld processes",
             static_cast<long long>(processes));
      block = size;
      break;
    case Distribution::block:
      if (darg == default_darg) block = (size - 1) / processes + 1;
      // By quotient, so that block * processes cannot overflow.
      if (block <= 0 || (size + block - 1) / block > processes)
        fail(ErrorClass::arg, "blocks of %lld do not distribute %lld elements over %lld processes",
             static_cast<long long>(block), static_cast<long long>(size), static_cast<long long>(processes));
      break;
    case Distribution::cyclic:
      if (darg == default_darg) block = 1;
      if (block <= 0)
        fail(ErrorClass::arg, "cyclic block %lld is not positive", static_cast<long long>(block));
      break;
    default:
      fail(ErrorClass::arg, "distribution %d is not one of MPI_DISTRIBUTE_*", static_cast<int>(distribution));
  }
  Share share;
  share.block = std::min(block, size);
  share.cycle = checked_mul(share.block, processes);
  share.first = checked_mul(coordinate, share.block);
  if (share.first >= size) return share;
  const Count reach = size - share.first;  // from the first owned element to the end
  share.blocks = reach / share.cycle;
  const Count tail = reach % share.cycle;
  if (tail >= share.block)
    ++share.blocks;
  else
    share.rest = tail;
  return share;
}

}  // namespace

Ref<Datatype> create_subarray(std::span<const Count> sizes, std::span<const Count> subsizes,
                              std::span<const Count> starts, Order order, Datatype& old, Width width)
{
  check_same_length(sizes.size(), subsizes.size());
  check_same_length(sizes.size(), starts.size());
  check_order(order);
  const std::size_t dims = sizes.size();
  if (dims == 0) fail(ErrorClass::arg, "the array has no dimension");
  for (std::size_t i = 0; i < dims; ++i)
    if (sizes[i] < 1 || subsizes[i] < 1 || subsizes[i] > sizes[i] || starts[i] < 0 ||
        starts[i] > sizes[i] - subsizes[i])
      fail(ErrorClass::arg, "%lld elements from %lld on are no part of dimension %zu of size %lld",
           static_cast<long long>(subsizes[i]), static_cast<long long>(starts[i]), i,
           static_cast<long long>(sizes[i]));

  TypeBuilder builder(Combiner::subarray);
  std::vector<Count> counts(sizes.begin(), sizes.end());
  counts.insert(counts.end(), subsizes.begin(), subsizes.end());
  counts.insert(counts.end(), starts.begin(), starts.end());
  // ndims and order stay integers in the large form; the normal form puts the counts between them.
  builder.record_integers({static_cast<int>(dims)});
  builder.record(width, counts);
  builder.record_integers({static_cast<int>(order)});
  builder.record_type(old);

  Piece piece = old.layout();
  Count stride = old.extent();
  Count copies = 1;
  Count first = 0;
  Count last = 0;
  for (const std::size_t i : fastest_first(dims, order)) {
    const Count at = checked_mul(starts[i], stride);
    const Count end = checked_mul(starts[i] + subsizes[i] - 1, stride);
    first = checked_add(first, std::min(at, end));
    last = checked_add(last, std::max(at, end));
    piece = shift(repeat(piece, subsizes[i], stride), at);
    copies = checked_mul(copies, subsizes[i]);
    stride = checked_mul(stride, sizes[i]);
  }
  builder.place(old, copies, first, last);
  builder.mark(0, stride);
  return builder.finish(std::move(piece));
}

Ref<Datatype> create_darray(int size, int rank, std::span<const Count> global_sizes,
                            std::span<const Distribution> distributions, std::span<const Count> dargs,
                            std::span<const Count> process_sizes, Order order, Datatype& old, Width width)
{
  const std::size_t dims = global_sizes.size();
  check_same_length(dims, distributions.size());
  check_same_length(dims, dargs.size());
  check_same_length(dims, process_sizes.size());
  check_order(order);
  if (dims == 0) fail(ErrorClass::arg, "the array has no dimension");
  if (size < 1) fail(ErrorClass::arg, "size %d is not positive", size);
  if (rank < 0 || rank >= size) fail(ErrorClass::arg, "rank %d is not one of %d", rank, size);
  Count processes = 1;
  for (std::size_t i = 0; i < dims; ++i) {
    if (global_sizes[i] < 1)
      fail(ErrorClass::arg, "dimension %zu has %lld elements", i, static_cast<long long>(global_sizes[i]));
    if (process_sizes[i] < 1)
      fail(ErrorClass::arg, "dimension %zu has %lld processes", i, static_cast<long long>(process_sizes[i]));
    processes = checked_mul(processes, process_sizes[i]);
  }
  if (processes != size)
    fail(ErrorClass::arg, "the process grid has %lld places for %d processes",
         static_cast<long long>(processes), size);

  TypeBuilder builder(Combiner::darray);
  std::vector<int> integers;
  for (const Distribution distribution : distributions) integers.push_back(static_cast<int>(distribution));
  for (const Count darg : dargs) integers.push_back(static_cast<int>(darg));
  for (const Count process_size : process_sizes) integers.push_back(static_cast<int>(process_size));
  integers.push_back(static_cast<int>(order));
  builder.record_integers({size, rank, static_cast<int>(dims)});
  builder.record(width, {global_sizes.begin(), global_sizes.end()});
  builder.record_integers(integers);
  builder.record_type(old);

  // The process grid is row-major whatever the order of the array (§5.1.4).
  std::vector<Count> coordinates(dims);
  Count rest_of_rank = rank;
  for (std::size_t i = dims; i-- > 0;) {
    coordinates[i] = rest_of_rank % process_sizes[i];
    rest_of_rank /= process_sizes[i];
  }

  Piece piece = old.layout();
  Count stride = old.extent();
  Count copies = 1;
  Count first = 0;
  Count last = 0;
  for (const std::size_t i : fastest_first(dims, order)) {
    const Share share =
        share_of(global_sizes[i], distributions[i], dargs[i], process_sizes[i], coordinates[i]);
    copies = checked_mul(copies, share.elements());
    if (copies == 0) piece = {};
    const Piece whole =
        repeat(repeat(piece, share.block, stride), share.blocks, checked_mul(share.cycle, stride));
    const Piece part =
        shift(repeat(piece, share.rest, stride), checked_mul(checked_mul(share.blocks, share.cycle), stride));
    piece = shift(join({whole, part}), checked_mul(share.first, stride));
    if (share.elements() > 0) {
      const Count final_block = share.rest > 0 ? share.blocks : share.blocks - 1;
      const Count final_length = share.rest > 0 ? share.rest : share.block;
      const Count at = checked_mul(share.first, stride);
      const Count end = checked_mul(share.first + final_block * share.cycle + final_length - 1, stride);
      first = checked_add(first, std::min(at, end));
      last = checked_add(last, std::max(at, end));
    }
    stride = checked_mul(stride, global_sizes[i]);
  }
  builder.place(old, copies, first, last);
  builder.mark(0, stride);
  return builder.finish(std::move(piece));
}

}  // namespace ranklet
