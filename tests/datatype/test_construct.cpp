// Constructors against values worked out by hand, many from the examples of MPI 5.0 chapter 5.
#include <doctest/doctest.h>

#include "datatype/datatype.hpp"
#include "terms/error.hpp"

using namespace ranklet;

namespace {

Datatype& type_of(Basic basic)
{
  return predefined(basic);
}

// The tables of §5.1: {(double,0),(char,8)}.
Ref<Datatype> double_char()
{
  const Count blocks[] = {1, 1};
  const Count places[] = {0, 8};
  Datatype* const types[] = {&type_of(Basic::double_), &type_of(Basic::char_)};
  return create_struct(blocks, places, types);
}

template <typename F>
ErrorClass class_of_failure(F&& f)
{
  try {
    f();
  } catch (const Error& error) {
    return error.error_class();
  }
  return ErrorClass::success;
}

}  // namespace

TEST_CASE("predefined types")
{
  CHECK(all_predefined().size() == basic_count - 1);
  for (const BasicInfo& row : all_predefined()) {
    CAPTURE(row.name);
    const Datatype& type = predefined(row.basic);
    CHECK(type.is_predefined());
    CHECK(type.committed());
    CHECK(type.basic() == row.basic);
    CHECK(type.size() == row.size);
    CHECK(type.lb() == 0);
    CHECK(type.name() == row.name);
    CHECK(type.extent() % row.alignment == 0);
    CHECK(type.signature().elements == (row.group == TypeGroup::pair ? 2 : 1));
  }
  CHECK(type_of(Basic::int_).extent() == 4);
  CHECK(type_of(Basic::int_).is_contiguous());
  CHECK(type_of(Basic::double_int).size() == 12);
  CHECK(type_of(Basic::double_int).extent() == 16);
  CHECK_FALSE(type_of(Basic::double_int).is_contiguous());
  CHECK(type_of(Basic::short_int).size() == 6);
  CHECK(type_of(Basic::short_int).extent() == 8);
  CHECK(type_of(Basic::short_int).true_extent() == 8);
  CHECK(type_of(Basic::long_double_int).extent() == 32);
  CHECK(type_of(Basic::long_double_int).true_extent() == 20);
  CHECK(type_of(Basic::two_int).is_contiguous());
}

TEST_CASE("contiguous (Example 5.2): three of {(double,0),(char,8)} have extent 48")
{
  const auto pair = double_char();
  CHECK(pair->size() == 9);
  CHECK(pair->extent() == 16);
  CHECK(pair->true_extent() == 9);
  const auto three = create_contiguous(3, *pair);
  CHECK(three->size() == 27);
  CHECK(three->extent() == 48);
  CHECK(three->true_extent() == 41);
  CHECK_FALSE(three->is_contiguous());
  CHECK(create_contiguous(7, type_of(Basic::int_))->is_contiguous());
}

TEST_CASE("vector (Examples 5.3 and 5.4)")
{
  const auto pair = double_char();
  // Two blocks of three, 4 extents apart: the last char ends at 6 * 16 + 9.
  const auto blocks = create_vector(2, 3, 4, *pair);
  CHECK(blocks->size() == 54);
  CHECK(blocks->lb() == 0);
  CHECK(blocks->extent() == 112);
  CHECK(blocks->true_extent() == 105);
  // Three single elements at 0, -32, -64.
  const auto backwards = create_vector(3, 1, -2, *pair);
  CHECK(backwards->lb() == -64);
  CHECK(backwards->ub() == 16);
  CHECK(backwards->true_extent() == 73);
}

TEST_CASE("indexed (Example 5.5): lengths 3 and 1 at 4 and 0")
{
  const auto pair = double_char();
  const Count lengths[] = {3, 1};
  const Count places[] = {4, 0};
  const auto type = create_indexed(lengths, places, *pair);
  CHECK(type->size() == 36);
  CHECK(type->lb() == 0);
  CHECK(type->true_extent() == 6 * 16 + 9);
  CHECK(type->extent() == 112);
}

TEST_CASE("struct (Example 5.6): two floats, one pair, three chars at 0, 16, 26")
{
  const auto pair = double_char();
  const Count lengths[] = {2, 1, 3};
  const Count places[] = {0, 16, 26};
  Datatype* const types[] = {&type_of(Basic::float_), pair.get(), &type_of(Basic::char_)};
  const auto type = create_struct(lengths, places, types);
  CHECK(type->size() == 8 + 9 + 3);
  CHECK(type->true_extent() == 29);
  CHECK(type->extent() == 32);
  CHECK(type->alignment() == 8);
}

TEST_CASE("resized (§5.1.7): markers rule and stay")
{
  // type1 has extent 9 by its markers at -3 and 6 and int at 0.
  const auto type1 = create_resized(type_of(Basic::int_), -3, 9);
  CHECK(type1->lb() == -3);
  CHECK(type1->extent() == 9);
  CHECK(type1->true_lb() == 0);
  CHECK(type1->true_extent() == 4);
  // Example 5.7: two of them have markers at -3 and 15.
  const auto type2 = create_contiguous(2, *type1);
  CHECK(type2->lb() == -3);
  CHECK(type2->extent() == 18);
  // Within a struct, only marked bounds count: the double at 100 does not widen it.
  const Count ones[] = {1, 1};
  const Count places[] = {0, 100};
  Datatype* const types[] = {type1.get(), &type_of(Basic::double_)};
  const auto mixed = create_struct(ones, places, types);
  CHECK(mixed->lb() == -3);
  CHECK(mixed->ub() == 6);
  CHECK(mixed->true_lb() == 0);
  CHECK(mixed->true_extent() == 108);
  // Shrinking, and an extent below zero.
  CHECK(create_resized(*type2, 0, 1)->extent() == 1);
  CHECK(create_resized(type_of(Basic::double_), 8, -8)->ub() == 0);
}

TEST_CASE("subarray and darray")
{
  const Count sizes[] = {100, 100};
  const Count subsizes[] = {100, 25};
  const Count starts[] = {0, 50};
  const auto columns = create_subarray(sizes, subsizes, starts, Order::c, type_of(Basic::double_));
  CHECK(columns->size() == 20000);
  CHECK(columns->lb() == 0);
  CHECK(columns->extent() == 80000);
  CHECK(columns->true_lb() == 400);
  CHECK(columns->true_extent() == 99 * 800 + 200);
  const auto fortran = create_subarray(sizes, subsizes, starts, Order::fortran, type_of(Basic::double_));
  CHECK(fortran->true_lb() == 50 * 800);
  CHECK(fortran->layout().is_run());

  // §5.1.4's example, smaller: 10 x 20 x 30 over 2 x 1 x 3 processes, cyclic(2), whole, block.
  const Count global[] = {10, 20, 30};
  const Distribution distributions[] = {Distribution::cyclic, Distribution::none, Distribution::block};
  const Count dargs[] = {2, default_darg, default_darg};
  const Count grid[] = {2, 1, 3};
  Count data = 0;
  for (int rank = 0; rank < 6; ++rank) {
    const auto part =
        create_darray(6, rank, global, distributions, dargs, grid, Order::fortran, type_of(Basic::float_));
    CHECK(part->extent() == 4 * 6000);
    CHECK(part->size() == 4 * (rank < 3 ? 6 : 4) * 20 * 10);
    data += part->size();
  }
  CHECK(data == 4 * 6000);
}

TEST_CASE("empty types")
{
  for (const auto& type :
       {create_contiguous(0, type_of(Basic::int_)), create_vector(3, 0, 5, type_of(Basic::int_)),
        create_indexed({}, {}, type_of(Basic::int_)), create_struct({}, {}, {})}) {
    CHECK(type->size() == 0);
    CHECK(type->lb() == 0);
    CHECK(type->extent() == 0);
    CHECK(type->is_contiguous());
    CHECK(type->signature().elements == 0);
  }
  // An empty part has no place, so it does not move the bounds.
  const auto nothing = create_contiguous(0, type_of(Basic::double_));
  const Count ones[] = {1, 1};
  const Count places[] = {-50, 4};
  Datatype* const types[] = {nothing.get(), &type_of(Basic::int_)};
  CHECK(create_struct(ones, places, types)->lb() == 4);
}

TEST_CASE("layouts are merged")
{
  // A struct without gaps is as good as an array of bytes.
  const Count ones[] = {1, 1, 1};
  const Count places[] = {0, 8, 12};
  Datatype* const types[] = {&type_of(Basic::double_), &type_of(Basic::int_), &type_of(Basic::float_)};
  const auto dense = create_struct(ones, places, types);
  CHECK(dense->is_contiguous());
  CHECK(create_vector(10, 4, 4, *dense)->is_contiguous());
  // Column vectors nest into one loop.
  const auto column = create_vector(10, 1, 7, type_of(Basic::double_));
  const auto many = create_hvector(5, 1, 560, *column);
  REQUIRE(many->layout().node);
  CHECK(many->layout().node->kind == LayoutNode::Kind::loop);
  CHECK(many->layout().node->count == 50);
  CHECK(many->layout().node->child.is_run());
  // Equal distances in an index list are a loop, neighbours a longer run.
  const Count even[] = {0, 3, 6, 9};
  CHECK(create_indexed_block(1, even, type_of(Basic::int_))->layout().node->kind == LayoutNode::Kind::loop);
  const Count neighbours[] = {5, 6, 7, 20, 21, 22};
  const auto runs = create_indexed_block(1, neighbours, type_of(Basic::int_));
  CHECK(runs->layout().node->count == 2);
  // A few neighbours in a list of numbers are not worth runs of two lengths.
  const Count mostly_apart[] = {0, 3, 4, 9, 20, 21, 30, 33};
  const auto numbers = create_indexed_block(1, mostly_apart, type_of(Basic::int_));
  CHECK(numbers->layout().node->kind == LayoutNode::Kind::list);
  CHECK(numbers->layout().node->count == 8);
  const Count uneven[] = {0, 3, 7, 9};
  CHECK(create_indexed_block(1, uneven, type_of(Basic::int_))->layout().node->kind == LayoutNode::Kind::list);
}

TEST_CASE("contents are what the constructor got")
{
  const Count lengths[] = {2, 1};
  const Count places[] = {-8, 100};
  const auto indexed = create_hindexed(lengths, places, type_of(Basic::int_));
  CHECK(indexed->contents().combiner == Combiner::hindexed);
  CHECK(indexed->contents().integers == std::vector<int>{2, 2, 1});
  CHECK(indexed->contents().addresses == std::vector<Count>{-8, 100});
  CHECK(indexed->contents().large_counts.empty());
  CHECK(indexed->contents().types.size() == 1);
  CHECK(indexed->contents().types[0].get() == &type_of(Basic::int_));

  const auto large = create_hindexed(lengths, places, type_of(Basic::int_), Width::large);
  CHECK(large->contents().integers.empty());
  CHECK(large->contents().addresses.empty());
  CHECK(large->contents().large_counts == std::vector<Count>{2, 2, 1, -8, 100});

  const Count sizes[] = {4, 6};
  const Count subsizes[] = {2, 3};
  const Count starts[] = {1, 2};
  const auto part = create_subarray(sizes, subsizes, starts, Order::c, type_of(Basic::int_));
  CHECK(part->contents().integers == std::vector<int>{2, 4, 6, 2, 3, 1, 2, static_cast<int>(Order::c)});
  const auto large_part =
      create_subarray(sizes, subsizes, starts, Order::c, type_of(Basic::int_), Width::large);
  CHECK(large_part->contents().integers == std::vector<int>{2, static_cast<int>(Order::c)});
  CHECK(large_part->contents().large_counts == std::vector<Count>{4, 6, 2, 3, 1, 2});

  const auto copy = create_dup(*indexed);
  CHECK(copy->contents().combiner == Combiner::dup);
  CHECK(copy->contents().types[0].get() == indexed.get());
  CHECK(copy->extent() == indexed->extent());
  CHECK_FALSE(copy->committed());
  CHECK(create_dup(type_of(Basic::int_))->committed());
  CHECK_FALSE(create_dup(type_of(Basic::int_))->is_predefined());
}

TEST_CASE("an inner type outlives its own handle")
{
  Ref<Datatype> outer;
  {
    const auto inner = create_vector(3, 1, 2, type_of(Basic::int_));
    outer = create_contiguous(2, *inner);
  }
  CHECK(outer->contents().types[0]->size() == 12);
  CHECK(get_elements(16, *outer) == 4);
}

TEST_CASE("Fortran's parameterised types and match_size")
{
  CHECK(create_f90_real(6, 37)->size() == 4);
  CHECK(create_f90_real(15, undefined)->size() == 8);
  CHECK(create_f90_real(undefined, 400)->size() == 16);
  CHECK(create_f90_real(33, 4931)->basic() == Basic::real16);
  CHECK(create_f90_complex(15, 307)->basic() == Basic::complex16);
  CHECK(create_f90_integer(9)->basic() == Basic::integer4);
  CHECK(create_f90_integer(10)->basic() == Basic::integer8);
  CHECK(create_f90_integer(30)->size() == 16);
  const auto real = create_f90_real(15, 307);
  CHECK(real->is_predefined());
  CHECK(real->committed());
  CHECK(real->contents().combiner == Combiner::f90_real);
  CHECK(real->contents().integers == std::vector<int>{15, 307});
  CHECK(real->contents().types.empty());
  CHECK(class_of_failure([] { create_f90_real(40, undefined); }) == ErrorClass::arg);
  CHECK(class_of_failure([] { create_f90_real(undefined, undefined); }) == ErrorClass::arg);
  CHECK(class_of_failure([] { create_f90_integer(39); }) == ErrorClass::arg);

  CHECK(match_size(TypeClass::real, 8).basic() == Basic::real8);
  CHECK(match_size(TypeClass::integer, 2).basic() == Basic::integer2);
  CHECK(match_size(TypeClass::complex, 32).basic() == Basic::complex32);
  CHECK(match_size(TypeClass::logical, 4).basic() == Basic::logical4);
  CHECK(class_of_failure([] { match_size(TypeClass::real, 3); }) == ErrorClass::arg);

  CHECK(value_index(type_of(Basic::double_), type_of(Basic::int_)) == &type_of(Basic::double_int));
  CHECK(value_index(type_of(Basic::integer), type_of(Basic::integer)) == &type_of(Basic::two_integer));
  CHECK(value_index(type_of(Basic::char_), type_of(Basic::int_)) == nullptr);
}

TEST_CASE("arguments that make no type")
{
  Datatype& old = type_of(Basic::int_);
  CHECK(class_of_failure([&] { create_contiguous(-1, old); }) == ErrorClass::count);
  CHECK(class_of_failure([&] { create_vector(1, -1, 1, old); }) == ErrorClass::count);
  const Count one[] = {1};
  const Count negative[] = {-2};
  CHECK(class_of_failure([&] { create_indexed(negative, one, old); }) == ErrorClass::count);
  const Count sizes[] = {4};
  const Count starts[] = {2};
  const Count subsizes[] = {3};
  CHECK(class_of_failure([&] { create_subarray(sizes, subsizes, starts, Order::c, old); }) ==
        ErrorClass::arg);
  CHECK(class_of_failure([&] { create_subarray(sizes, sizes, one, Order{3}, old); }) == ErrorClass::arg);
  const Distribution block[] = {Distribution::block};
  const Count two[] = {2};
  CHECK(class_of_failure([&] { create_darray(2, 0, sizes, block, one, two, Order::c, old); }) ==
        ErrorClass::arg);
  CHECK(class_of_failure([&] { create_darray(3, 0, sizes, block, two, two, Order::c, old); }) ==
        ErrorClass::arg);
}

TEST_CASE("signatures")
{
  Datatype& int_type = type_of(Basic::int_);
  Datatype& double_type = type_of(Basic::double_);
  const Count ones[] = {1, 1};
  const Count places[] = {0, 8};
  Datatype* const forward[] = {&int_type, &double_type};
  Datatype* const reverse[] = {&double_type, &int_type};
  const auto a = create_struct(ones, places, forward);
  const auto b = create_struct(ones, places, reverse);
  CHECK_FALSE(a->signature() == b->signature());
  CHECK(signatures_match(2, *create_contiguous(3, int_type), 6, int_type));
  CHECK(signatures_match(2, int_type, 6, int_type));
  CHECK_FALSE(signatures_match(2, int_type, 6, type_of(Basic::float_)));
  CHECK_FALSE(signatures_match(1, *a, 1, *b));
  // {int, double}, {int, double} received as {int, {double, int}, double}.
  const Count ones3[] = {1, 1, 1};
  const Count places3[] = {0, 8, 32};
  Datatype* const types3[] = {&int_type, b.get(), &double_type};
  const auto c = create_struct(ones3, places3, types3);
  CHECK(signatures_match(2, *a, 1, *c));
  CHECK(signatures_match(1, *a, 1, *c));
  CHECK_FALSE(signatures_match(1, *b, 1, *c));
  CHECK(signatures_match(1, *a, 1000, type_of(Basic::packed)));
  CHECK(signature(5, *a) == create_contiguous(5, *a)->signature());
}
