// Copies that may fault: what they copy, and how they end.
#include <doctest/doctest.h>

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <random>

#include "base/signal_mask.hpp"
#include "io/guarded_store.hpp"
#include "io/world.hpp"

using namespace ranklet;
using ranklet::test::stores_recovered;

namespace {

constexpr std::size_t page = 4096;

// Pages of a file that ends where they begin.
class NothingBehind {
 public:
  NothingBehind() : file_(std::tmpfile())
  {
    memory_ =
        static_cast<char*>(::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, ::fileno(file_), 0));
    REQUIRE(memory_ != MAP_FAILED);
  }
  ~NothingBehind()
  {
    ::munmap(memory_, page);
    std::fclose(file_);
  }
  NothingBehind(const NothingBehind&) = delete;
  NothingBehind& operator=(const NothingBehind&) = delete;
  char* memory() const noexcept { return memory_; }

 private:
  std::FILE* const file_;
  char* memory_;
};

}  // namespace

TEST_CASE("a store copies just its bytes, of any number and place")
{
  std::vector<char> from(600), to(600);
  std::iota(from.begin(), from.end(), '\0');
  for (std::size_t bytes = 0; bytes <= 300; ++bytes) {
    for (std::size_t shift = 0; shift < 17; ++shift) {
      std::fill(to.begin(), to.end(), 'x');
      std::vector<char> expected = to;
      std::memcpy(expected.data() + 50 + shift, from.data() + 30 + 3 * shift, bytes);
      const bool stored = io::store(to.data() + 50 + shift, from.data() + 30 + 3 * shift, bytes);
      REQUIRE(stored);
      REQUIRE(to == expected);
    }
  }
}

TEST_CASE("a store to where nothing is fails, and so does one from there")
{
  const NothingBehind nothing;
  std::vector<char> data(page, 'a');
  test::take_bus_errors();
  for (const std::size_t bytes : {1, 5, 8, 15, 16, 40, 64, 100, 512, 4096}) {
    const int before = stores_recovered;
    CHECK(!io::store(nothing.memory(), data.data(), bytes));
    CHECK(!io::store(data.data(), nothing.memory(), bytes));
    CHECK(stores_recovered == before + 2);
  }
  CHECK(io::store(data.data() + 100, data.data(), 100));
}

TEST_CASE("a thread that blocks SIGBUS takes it for a while")
{
  const NothingBehind nothing;
  const char byte = 'a';
  test::take_bus_errors();
  const SignalsBlocked blocked;
  {
    const BusErrorsTaken taken;
    CHECK(!io::store(nothing.memory(), &byte, 1));
  }
  sigset_t now;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
  CHECK(::sigismember(&now, SIGBUS) == 1);
}

TEST_CASE("faults of others are not taken for those of stores")
{
  ucontext_t elsewhere{};
  CHECK(!io::recover_store(&elsewhere));
  elsewhere.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&io::store));
  CHECK(!io::recover_store(&elsewhere));
}
