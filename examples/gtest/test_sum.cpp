// GoogleTest tests on ranks, in a program that is started like any other.
#include <ranklet/gtest.hpp>

#include "sum.hpp"

RANKLET_TEST(Sum, OnFourRanks, 4)
{
  ASSERT_EQ(size, 4);
  EXPECT_EQ(ring_sum(rank + 1, comm), 10);
}

class OnRanks : public testing::TestWithParam<int> {};

TEST_P(OnRanks, Sum)
{
  RANKLET_RUN(GetParam())
  {
    EXPECT_EQ(ring_sum(1, comm), size) << "rank " << rank;
  };
}

INSTANTIATE_TEST_SUITE_P(Sizes, OnRanks, testing::Values(1, 2, 5, 16));
