// Which collective a member is in: what is compared when members meet.
#pragma once

#include <cstdint>
#include <string>

#include "datatype/op.hpp"

namespace ranklet::coll {

enum class Collective : std::uint8_t {
  barrier,
  bcast,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce,
  allreduce,
  reduce_scatter,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_alltoall,
  new_communicator,  // of chapter 7 and 8: MPI_Comm_dup, MPI_Cart_create and their like
  finalize,          // the barrier in it
};
const char* name(Collective call);
constexpr bool is_among_neighbors(Collective call) noexcept
{
  return call == Collective::neighbor_allgather || call == Collective::neighbor_alltoall;
}
// Whether members wait for those who read what they give, whatever the data: none of them runs ahead.
bool holds_together(Collective call) noexcept;

// Calls of different forms do not match (MPI 5.0 §6.12, §6.13).
enum class Form : std::uint8_t { blocking, nonblocking, persistent };

// What all members must say alike of a collective, in 28 bits. 0: nothing is known.
class CallSignature {
 public:
  static constexpr unsigned bits = 28;
  // In place of a root, where a call has none: that many wait for the last of them, who may do it for all.
  static constexpr int by_last = 2;
  // Beside a root or in its place: its data are so few that lines.hpp does it.
  static constexpr int in_lines = 1 << 15;

  constexpr CallSignature() = default;
  // op null: none, or one that is not compared. Of a root 15 bits are compared.
  CallSignature(Collective call, Form form, int root, const Op* op)
      : word_((static_cast<std::uint32_t>(call) + 1) | static_cast<std::uint32_t>(form) << 5 |
              (op ? static_cast<std::uint32_t>(op->kind()) + 1 : 0) << 7 |
              static_cast<std::uint32_t>(static_cast<std::uint16_t>(root)) << 12)
  {
  }
  static constexpr CallSignature from(std::uint64_t word)
  {
    CallSignature made;
    made.word_ = static_cast<std::uint32_t>(word) & ((1u << bits) - 1);
    return made;
  }

  constexpr std::uint32_t word() const { return word_; }
  explicit constexpr operator bool() const { return word_ != 0; }
  friend constexpr bool operator==(CallSignature, CallSignature) = default;

  Collective call() const { return static_cast<Collective>((word_ & 31) - 1); }
  Form form() const { return static_cast<Form>(word_ >> 5 & 3); }
  int root() const { return static_cast<int>(word_ >> 12) & ~in_lines; }
  bool is_in_lines() const { return (word_ >> 12 & in_lines) != 0; }
  std::uint32_t op() const { return word_ >> 7 & 31; }

  // "MPI_Reduce with root 3 and MPI_SUM"
  std::string text() const;

 private:
  std::uint32_t word_ = 0;
};

// Where the two members have made their calls: return addresses; null: not known. `mine` only where it is not
// the present call of this one, whose place is said anyway.
struct Sites {
  const void* theirs = nullptr;
  const void* mine = nullptr;
};

// Throws the error about two members that say different things of a collective; `when` is put in front.
[[noreturn]] void reject_call(const char* when, int member, CallSignature theirs, CallSignature mine,
                              Sites sites);
// The same for amounts of data, in bytes. Error: truncate.
[[noreturn]] void reject_amount(int member, Count theirs, Count mine, Sites sites);

}  // namespace ranklet::coll
