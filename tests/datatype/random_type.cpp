#include "datatype/random_type.hpp"

namespace reference {

using namespace ranklet;

namespace {

constexpr Basic leaves[] = {Basic::char_,   Basic::short_,      Basic::int_,
                            Basic::double_, Basic::long_double, Basic::float_,
                            Basic::byte,    Basic::int64,       Basic::c_double_complex};

Both leaf(Basic which)
{
  return {Ref<Datatype>(predefined(which)), basic(which)};
}

std::vector<Count> list(Random& random, Count n, Count low, Count high)
{
  std::vector<Count> values;
  for (Count i = 0; i < n; ++i) values.push_back(random(low, high));
  return values;
}

std::vector<Count> scaled(std::vector<Count> values, Count factor)
{
  for (Count& value : values) value *= factor;
  return values;
}

Both random_vector(Random& random, const Both& old, bool in_bytes)
{
  const Count count = random(0, 4);
  const Count block = random(0, 3);
  const Count stride = in_bytes ? random(-40, 40) : random(-4, 5);
  const Count unit = in_bytes ? 1 : old.plain.extent();
  std::vector<Count> displacements;
  for (Count i = 0; i < count; ++i) displacements.push_back(i * stride * unit);
  const Type plain =
      blocks(old.plain, std::vector<Count>(static_cast<std::size_t>(count), block), displacements);
  return {in_bytes ? create_hvector(count, block, stride, *old.real)
                   : create_vector(count, block, stride, *old.real),
          plain};
}

Both random_indexed(Random& random, const Both& old, bool in_bytes, bool equal_blocks)
{
  const Count n = random(0, 5);
  const auto places = in_bytes ? list(random, n, -60, 60) : list(random, n, -5, 6);
  auto lengths = list(random, n, 0, 3);
  const Count block = random(0, 3);
  if (equal_blocks) lengths.assign(lengths.size(), block);
  const Type plain = blocks(old.plain, lengths, in_bytes ? places : scaled(places, old.plain.extent()));
  if (equal_blocks)
    return {in_bytes ? create_hindexed_block(block, places, *old.real)
                     : create_indexed_block(block, places, *old.real),
            plain};
  return {in_bytes ? create_hindexed(lengths, places, *old.real) : create_indexed(lengths, places, *old.real),
          plain};
}

Both random_struct(Random& random, int depth)
{
  const Count n = random(0, 4);
  const auto lengths = list(random, n, 0, 3);
  const auto places = list(random, n, -80, 80);
  std::vector<Both> olds;
  std::vector<Datatype*> types;
  Type plain;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    olds.push_back(random_type(random, depth - 1));
    types.push_back(olds.back().real.get());
    const Type part = blocks(olds.back().plain, {lengths[i]}, {places[i]});
    plain.add(part, 0);
  }
  return {create_struct(lengths, places, types), plain};
}

// The index vectors of an array in storage order.
template <typename F>
void for_each_index(const std::vector<Count>& sizes, Order order, F&& f)
{
  std::vector<Count> index(sizes.size(), 0);
  Count total = 1;
  for (const Count size : sizes) total *= size;
  for (Count linear = 0; linear < total; ++linear) {
    Count rest = linear;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const std::size_t d = order == Order::fortran ? k : sizes.size() - 1 - k;
      index[d] = rest % sizes[d];
      rest /= sizes[d];
    }
    f(linear, index);
  }
}

Both random_subarray(Random& random, const Both& old)
{
  const Count dims = random(1, 3);
  const Order order = random(0, 1) ? Order::c : Order::fortran;
  std::vector<Count> sizes, subsizes, starts;
  Count total = 1;
  for (Count d = 0; d < dims; ++d) {
    sizes.push_back(random(1, 4));
    subsizes.push_back(random(1, sizes.back()));
    starts.push_back(random(0, sizes.back() - subsizes.back()));
    total *= sizes.back();
  }
  Type plain;
  for_each_index(sizes, order, [&](Count linear, const std::vector<Count>& index) {
    for (std::size_t d = 0; d < index.size(); ++d)
      if (index[d] < starts[d] || index[d] >= starts[d] + subsizes[d]) return;
    plain.add(old.plain, linear * old.plain.extent());
  });
  plain.marked = true;
  plain.mark_lb = 0;
  plain.mark_ub = total * old.plain.extent();
  return {create_subarray(sizes, subsizes, starts, order, *old.real), plain};
}

Both random_darray(Random& random, const Both& old)
{
  const Count dims = random(1, 3);
  const Order order = random(0, 1) ? Order::c : Order::fortran;
  std::vector<Count> sizes, dargs, grid, blocks_of;
  std::vector<Distribution> distributions;
  Count total = 1;
  Count processes = 1;
  for (Count d = 0; d < dims; ++d) {
    const Count size = random(1, 6);
    Count places = random(1, 3);
    Count darg = default_darg;
    Count block = 1;
    Distribution distribution = Distribution::cyclic;
    switch (random(0, 2)) {
      case 0:
        distribution = Distribution::none;
        places = 1;
        block = size;
        break;
      case 1:
        distribution = Distribution::block;
        block = (size + places - 1) / places;
        if (random(0, 1)) darg = block = random(block, size);
        break;
      default:
        if (random(0, 1)) darg = block = random(1, 3);
    }
    sizes.push_back(size);
    dargs.push_back(darg);
    grid.push_back(places);
    blocks_of.push_back(block);
    distributions.push_back(distribution);
    total *= size;
    processes *= places;
  }
  const Count rank = random(0, processes - 1);
  Type plain;
  for_each_index(sizes, order, [&](Count linear, const std::vector<Count>& index) {
    Count owner = 0;
    for (std::size_t d = 0; d < index.size(); ++d)
      owner = owner * grid[d] + index[d] / blocks_of[d] % grid[d];
    if (owner == rank) plain.add(old.plain, linear * old.plain.extent());
  });
  plain.marked = true;
  plain.mark_lb = 0;
  plain.mark_ub = total * old.plain.extent();
  return {create_darray(static_cast<int>(processes), static_cast<int>(rank), sizes, distributions, dargs,
                        grid, order, *old.real),
          plain};
}

}  // namespace

Both random_type(Random& random, int depth)
{
  if (depth == 0 || random(0, 9) == 0)
    return leaf(leaves[random(0, static_cast<Count>(std::size(leaves)) - 1)]);
  if (random(0, 4) == 0) return random_struct(random, depth);
  const Both old = random_type(random, depth - 1);
  switch (random(0, 9)) {
    case 0: {
      const Count count = random(0, 4);
      return {create_contiguous(count, *old.real), blocks(old.plain, {count}, {0})};
    }
    case 1:
      return random_vector(random, old, false);
    case 2:
      return random_vector(random, old, true);
    case 3:
      return random_indexed(random, old, false, false);
    case 4:
      return random_indexed(random, old, true, false);
    case 5:
      return random_indexed(random, old, false, true);
    case 6:
      return random_indexed(random, old, true, true);
    case 7:
      return random_subarray(random, old);
    case 8:
      return random_darray(random, old);
    default: {
      Type plain = old.plain;
      plain.marked = true;
      plain.mark_lb = random(-20, 20);
      plain.mark_ub = plain.mark_lb + random(-20, 60);
      return {create_resized(*old.real, plain.mark_lb, plain.mark_ub - plain.mark_lb), plain};
    }
  }
}

Both random_receiver(Random& random, const std::vector<Basic>& signature)
{
  const auto n = static_cast<Count>(signature.size());
  const bool uniform =
      std::all_of(signature.begin(), signature.end(), [&](Basic b) { return b == signature[0]; });
  if (n == 1) return leaf(signature[0]);
  if (uniform && random(0, 2) > 0) {
    const Both old = leaf(signature[0]);
    Count block = random(1, n);
    while (n % block != 0) --block;
    if (random(0, 1)) {
      const Count stride = block + random(0, 2);
      std::vector<Count> displacements;
      for (Count i = 0; i < n / block; ++i) displacements.push_back(i * stride * old.plain.extent());
      return {
          create_vector(n / block, block, stride, *old.real),
          blocks(old.plain, std::vector<Count>(static_cast<std::size_t>(n / block), block), displacements)};
    }
    return {create_contiguous(n, *old.real), blocks(old.plain, {n}, {0})};
  }
  // Cut the sequence, make a type of each part and give the parts places in random order.
  std::vector<Both> parts;
  for (Count begin = 0; begin < n;) {
    const Count end = std::min(n, begin + random(1, std::max<Count>(1, n / 2)));
    parts.push_back(random_receiver(random, {signature.begin() + begin, signature.begin() + end}));
    begin = end;
  }
  std::vector<std::size_t> order(parts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (random(0, 1)) std::shuffle(order.begin(), order.end(), random.engine());
  std::vector<Count> places(parts.size());
  Count at = random(-30, 30);
  for (const std::size_t i : order) {
    places[i] = at - parts[i].plain.true_lb();
    at += parts[i].plain.true_ub() - parts[i].plain.true_lb() + random(0, 1) * random(0, 9);
  }
  Type plain;
  std::vector<Datatype*> types;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    types.push_back(parts[i].real.get());
    plain.add(parts[i].plain, places[i]);
  }
  return {create_struct(std::vector<Count>(parts.size(), 1), places, types), plain};
}

}  // namespace reference
