#include <doctest/doctest.h>

#include "check/file_accesses.hpp"

using namespace ranklet;
using namespace ranklet::check;

namespace {

constexpr bool reads = false, writes = true;

// A file that three members have open.
class FileMembers {
 public:
  std::optional<FileConflict> access(int rank, bool is_write, std::vector<Range> pieces, bool atomic = false)
  {
    return accesses.add(member(rank), {is_write, atomic, std::move(pieces), {}});
  }
  void sync()
  {
    for (int i = 0; i < 3; ++i) accesses.synced(member(i));
  }
  FileMember member(int rank) const { return {file_, 3, rank}; }

  FileAccesses accesses;

 private:
  std::shared_ptr<const int> file_ = std::make_shared<const int>(0);
};

}  // namespace

TEST_CASE("two members' accesses to the same bytes conflict, if one writes and nothing is synced between")
{
  FileMembers file;
  CHECK_FALSE(file.access(0, reads, {{0, 10}}));
  CHECK_FALSE(file.access(1, reads, {{0, 10}}));
  CHECK_FALSE(file.access(2, writes, {{10, 20}}));
  CHECK_FALSE(file.access(2, writes, {{12, 14}}));  // its own
  const auto late = file.access(1, writes, {{4, 6}});
  REQUIRE(late);
  CHECK_FALSE(late->both_write);
  CHECK(late->first == 4);
  // Of a read and a write the write counts more.
  const auto both = file.access(0, writes, {{5, 11}});
  REQUIRE(both);
  CHECK(both->both_write);
  file.sync();
  CHECK(file.accesses.kept(file.member(0)) == 0);
  CHECK_FALSE(file.access(0, writes, {{4, 6}}));
}

TEST_CASE("what a member does before it has synced conflicts with nothing that others do after they have")
{
  FileMembers file;
  CHECK_FALSE(file.access(0, writes, {{0, 10}}));
  file.accesses.synced(file.member(0));
  CHECK_FALSE(file.access(0, writes, {{0, 10}}));
  const auto found = file.access(1, writes, {{0, 10}});  // of the first one
  REQUIRE(found);
  CHECK(file.accesses.kept(file.member(0)) == 3);
  file.accesses.synced(file.member(1));
  CHECK(file.accesses.kept(file.member(0)) == 3);  // member 2 may still come
  CHECK(file.access(2, writes, {{0, 10}}));
  file.accesses.synced(file.member(2));
  CHECK(file.accesses.kept(file.member(0)) == 1);
}

TEST_CASE("pieces that lie between each other do not conflict")
{
  FileMembers file;
  CHECK_FALSE(file.access(0, writes, {{0, 4}, {12, 16}, {24, 28}}));
  CHECK_FALSE(file.access(1, writes, {{4, 8}, {16, 20}, {28, 32}}));
  CHECK_FALSE(file.access(2, writes, {{8, 12}, {20, 24}}));
  const auto found = file.access(2, writes, {{8, 9}, {27, 28}});
  REQUIRE(found);
  CHECK(found->first == 27);
}

TEST_CASE("in atomic mode of both nothing conflicts")
{
  FileMembers file;
  CHECK_FALSE(file.access(0, writes, {{0, 10}}, true));
  CHECK_FALSE(file.access(1, writes, {{0, 10}}, true));
  CHECK(file.access(2, writes, {{0, 10}}, false));
}

TEST_CASE("what is kept has bounds")
{
  FileMembers file;
  for (int i = 0; i < 100; ++i) CHECK_FALSE(file.access(0, writes, {{0, 10}}));
  CHECK(file.accesses.kept(file.member(0)) == 1);
  for (std::uintptr_t i = 0; i < 20'000; ++i) file.access(0, writes, {{100 + 10 * i, 105 + 10 * i}});
  CHECK(file.accesses.kept(file.member(0)) <= 8192);
  std::vector<Range> many;
  for (std::uintptr_t i = 0; i < 4096; ++i) many.push_back({2 * i, 2 * i + 1});
  for (int i = 0; i < 300; ++i) {
    many.back().end += 1;  // not the same again
    file.access(1, reads, many);
  }
  CHECK(file.accesses.kept(file.member(0)) <= 256);
}

TEST_CASE("a file that is gone leaves nothing for the next one at its address")
{
  FileAccesses accesses;
  for (int i = 0; i < 300; ++i) {
    const FileMember member{std::make_shared<const int>(i), 2, i % 2};
    CHECK_FALSE(accesses.add(member, {writes, false, {{0, 10}}, {}}));
  }
}

TEST_CASE("views are compared by number")
{
  struct Call final : RecordedCall {
    using RecordedCall::RecordedCall;
    std::string text() const override { return "a call"; }
  };
  FileMembers file;
  const auto see = [&](int rank, std::uint64_t shape) {
    file.accesses.viewed(file.member(rank),
                         {shape, Ref<const RecordedCall>::adopt(new Call("rank 0", 0, nullptr))});
  };
  CHECK_FALSE(file.accesses.other_view(file.member(0)));
  see(0, 1);
  CHECK_FALSE(file.accesses.other_view(file.member(0)));  // the others are about to
  see(1, 2);
  CHECK(file.accesses.other_view(file.member(0)));
  CHECK(file.accesses.other_view(file.member(1)));
  see(0, 3);
  see(1, 3);
  see(2, 2);
  CHECK_FALSE(file.accesses.other_view(file.member(1)));
  see(2, 3);
  for (int i = 0; i < 3; ++i) CHECK_FALSE(file.accesses.other_view(file.member(i)));
}
