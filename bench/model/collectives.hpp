// Subjects of the model: collectives, step by step as src/coll does them.
#pragma once

#include <algorithm>
#include <vector>

#include "members/slices.hpp"
#include "round.hpp"

namespace ranklet::model {

// Self: what member `me` does in round i is once(round, me, i).
template <class Sys, class Self>
class Collective {
 public:
  explicit Collective(int members) : comm(members) {}
  static constexpr double per_round = 1;
  void run(int me, int rounds)
  {
    for (int i = 0; i < rounds; ++i) meet(me, i);
  }
  void meet(int me, int i)
  {
    Round<Sys> round(comm, me);
    static_cast<Self&>(*this).once(round, me, i);
  }

 protected:
  Comm<Sys> comm;
};

// in_turn: each begins at its own place. That all begin at member 0 is what Ranklet did before.
template <class Sys, bool in_turn>
class BarrierOfCells : public Collective<Sys, BarrierOfCells<Sys, in_turn>> {
 public:
  using Collective<Sys, BarrierOfCells<Sys, in_turn>>::Collective;
  void once(Round<Sys>& round, int me, int)
  {
    round.post(0, 0);
    members::each_from(in_turn ? me : 0, round.members(), [&](int member) { round.await(member, 0); });
    round.all_have_come();
    round.finish();
  }
};
template <class Sys>
using FlatBarrier = BarrierOfCells<Sys, true>;
template <class Sys>
using BarrierFrom0 = BarrierOfCells<Sys, false>;

// Not in src/coll any more: in step k each member tells the one 2^k places on, and hears from the one 2^k
// places before.
template <class Sys>
class DisseminationBarrier : public Collective<Sys, DisseminationBarrier<Sys>> {
 public:
  using Collective<Sys, DisseminationBarrier<Sys>>::Collective;
  void once(Round<Sys>& round, int me, int)
  {
    round.post(0, 0);
    const int n = round.members();
    int phase = 0;
    for (int distance = 1; distance < n; distance *= 2) {
      round.reach(++phase);
      round.await_phase((me - distance + n) % n, phase);
    }
    round.await((me + 1) % n, 0);
    round.all_have_come();
    round.finish();
  }
};

// Not in src/coll either: the same in as many steps, first among the eight members of an L3, then from L3 to
// L3, where each member tells the one in its place. Members come in eights, whose number is a power of two.
template <class Sys>
class FollowingBarrier : public Collective<Sys, FollowingBarrier<Sys>> {
 public:
  using Collective<Sys, FollowingBarrier<Sys>>::Collective;
  void once(Round<Sys>& round, int me, int)
  {
    round.post(0, 0);
    const int n = round.members(), inside = n < 8 ? n : 8;
    int phase = 0;
    for (int distance = 1; distance < n; distance *= 2) {
      round.reach(++phase);
      // By flipping a bit of its number a member stays in the smallest part of the machine that holds both.
      const int other =
          distance < inside ? me / inside * inside + (me - distance + n) % inside : me ^ distance;
      round.await_phase(other, phase);
    }
    round.await(me ^ 1, 0);
    round.all_have_come();
    round.finish();
  }
};

// The groups are the eight members of an L3.
template <class Sys>
class BarrierByGroups : public Collective<Sys, BarrierByGroups<Sys>> {
 public:
  using Collective<Sys, BarrierByGroups<Sys>>::Collective;
  void once(Round<Sys>& round, int me, int)
  {
    round.post(0, 0);
    const int n = round.members(), inside = n < 8 ? n : 8, first = me / inside * inside;
    if (me == first) {
      for (int i = 1; i < inside; ++i) round.await(first + i, 0);
      round.tell(1);
      members::each_from(me / inside, n / inside, [&](int group) { round.await_told(group * inside, 1); });
      round.reach(2);
      round.await((first + inside) % n, 0);
    } else {
      round.await_phase(first, 2);
      round.await(first, 0);
    }
    round.all_have_come();
    round.finish();
  }
};

template <class Sys>
class CounterBarrier : public Collective<Sys, CounterBarrier<Sys>> {
 public:
  using Collective<Sys, CounterBarrier<Sys>>::Collective;
  void once(Round<Sys>& round, int me, int)
  {
    round.post(0, 0);
    auto& counted = this->comm.counted;
    if (counted.arrive(round.number(), round.members()))
      counted.open(round.number());
    else
      On<Sys>::await([&] { return counted.is_open(round.number()); });
    round.await((me + 1) % round.members(), 0);
    round.all_have_come();
    round.finish();
  }
};

// The root changes from call to call, so that nobody runs ahead.
template <class Sys>
class SmallBcast : public Collective<Sys, SmallBcast<Sys>> {
 public:
  using Collective<Sys, SmallBcast<Sys>>::Collective;
  void once(Round<Sys>& round, int me, int i)
  {
    const int root = i % round.members();
    if (me == root)
      round.show(1, 1);
    else
      round.await(root);
    round.finish();
  }
};

template <class Sys, bool in_turn>
class AllreduceOfCells : public Collective<Sys, AllreduceOfCells<Sys, in_turn>> {
 public:
  using Collective<Sys, AllreduceOfCells<Sys, in_turn>>::Collective;
  void once(Round<Sys>& round, int me, int)
  {
    round.post(1);
    members::each_from(in_turn ? me : 0, round.members(), [&](int member) { round.await(member); });
    round.all_have_come();
    round.finish();
  }
};
template <class Sys>
using FlatAllreduce = AllreduceOfCells<Sys, true>;
template <class Sys>
using AllreduceFrom0 = AllreduceOfCells<Sys, false>;

template <class Sys>
class CentralAllreduce : public Collective<Sys, CentralAllreduce<Sys>> {
 public:
  using Collective<Sys, CentralAllreduce<Sys>>::Collective;
  void once(Round<Sys>& round, int me, int)
  {
    if (me == 0) {
      for (int member = 1; member < round.members(); ++member) round.await(member);
      round.post(1);
    } else {
      round.post(1);
      round.await(0);
    }
    round.all_have_come();
    round.finish();
  }
};

template <class Sys>
class SmallAllgather : public Collective<Sys, SmallAllgather<Sys>> {
 public:
  explicit SmallAllgather(int members)
      : Collective<Sys, SmallAllgather<Sys>>(members), received_(static_cast<std::size_t>(members))
  {
    for (auto& blocks : received_)
      blocks = std::make_unique<Block<Sys>[]>(static_cast<std::size_t>(members + 7) / 8);
  }
  void once(Round<Sys>& round, int me, int)
  {
    round.post(1);
    const int n = round.members();
    for (int k = 0; k < n; ++k) {
      const int member = (me + k) % n;
      received_[static_cast<std::size_t>(me)][static_cast<std::size_t>(member) / 8].word.set(
          round.await(member));
    }
    round.all_have_come();
    round.finish();
  }

 private:
  std::vector<std::unique_ptr<Block<Sys>[]>> received_;
};

// Large ones, of `blocks` lines for each member.
template <class Sys, class Self, int blocks>
class Large : public Collective<Sys, Self> {
 public:
  explicit Large(int members, int received = 1)
      : Collective<Sys, Self>(members),
        send_(lines(members, blocks)),
        recv_(lines(members, blocks * received))
  {
  }

 protected:
  using Lines = std::vector<std::unique_ptr<Block<Sys>[]>>;
  static Lines lines(int members, int count)
  {
    Lines made(static_cast<std::size_t>(members));
    for (auto& of : made) of = std::make_unique<Block<Sys>[]>(static_cast<std::size_t>(count));
    return made;
  }
  auto& send(int member, int block) { return send_[std::size_t(member)][std::size_t(block)].word; }
  auto& recv(int member, int block) { return recv_[std::size_t(member)][std::size_t(block)].word; }
  // The program writes what it sends.
  void write(int me)
  {
    for (int i = 0; i < blocks; ++i) send(me, i).set(1);
  }
  // Of what a member has received.
  void copy(int from, int to, int begin, int end)
  {
    for (int k = begin; k < end; ++k) recv(to, k).set(recv(from, k).get());
  }

 private:
  Lines send_, recv_;
};

// All copy from the root at once, of many when the first one of their L3 has seen its cell.
template <class Sys, bool by_groups>
class BcastFromRoot : public Large<Sys, BcastFromRoot<Sys, by_groups>, 256> {
 public:
  using Large<Sys, BcastFromRoot<Sys, by_groups>, 256>::Large;
  void once(Round<Sys>& round, int me, int i)
  {
    const int root = i % round.members();
    if (me == root) {
      this->write(me);
      round.show(1, 3);
      round.finish();
      round.await_all_done();
    } else {
      const int first = me / 8 * 8;
      if (by_groups && round.members() > 32 && root / 8 != me / 8) {
        if (me == first) {
          round.await(root, 3);
          round.reach(1);
        } else {
          round.await_phase(first, 1);
        }
      }
      round.await(root, 3);
      round.go_to(root);
      for (int k = 0; k < 256; ++k) this->recv(me, k).set(this->send(root, k).get());
      round.finish();
    }
  }
};
template <class Sys>
using LargeBcast = BcastFromRoot<Sys, true>;
// What Ranklet did before.
template <class Sys>
using OneLevelBcast = BcastFromRoot<Sys, false>;

// Each of several members reduces its slice of all vectors into its own result; then all copy all slices.
// Self: this class, or one derived from it.
template <class Sys, int lines, class Self>
class AllreduceOfSlices : public Large<Sys, Self, lines> {
 public:
  using Large<Sys, Self, lines>::Large;
  static constexpr int most_slices = 128;
  void once(Round<Sys>& round, int me, int)
  {
    const int n = round.members();
    const int worth = std::max(4096 / n, 64);  // bytes of a slice, as coll::select has it
    const members::Slices slices{n, std::clamp(64 * lines / worth, 1, std::min(n, Self::most_slices))};
    const auto begin = [&](int slice) { return lines * slice / slices.count; };
    const int own = slices.of(me);
    this->write(me);
    round.show(1, 4);
    members::each_from(me, n, [&](int member) { round.await(member, 4); });
    round.all_have_come();
    if (own != slices.none) {
      for (int k = begin(own); k < begin(own + 1); ++k) {
        std::uint64_t sum = 0;
        for (int member = 0; member < n; ++member) {
          round.go_to(member);
          sum += this->send(member, k).get();
        }
        this->recv(me, k).set(sum);
      }
      round.reach(1);
    }
    members::each_from(slices.near(me), slices.count, [&](int slice) {
      if (slice == own) return;
      const int owner = slices.owner(slice);
      round.await_phase(owner, 1);
      round.go_to(owner);
      this->copy(owner, me, begin(slice), begin(slice + 1));
    });
    round.finish();
    if (own != slices.none) round.await_all_done();
  }
};

// In groups of the eight members of an L3: each reduces a slice of its group's vectors; those who have the
// same slice of different groups reduce a part of it each, and fetch the others' parts; then the group's
// members copy from each other.
template <class Sys, int lines>
class AllreduceByGroups : public AllreduceOfSlices<Sys, lines, AllreduceByGroups<Sys, lines>> {
  using OneLevel = AllreduceOfSlices<Sys, lines, AllreduceByGroups>;

 public:
  using OneLevel::OneLevel;
  void once(Round<Sys>& round, int me, int i)
  {
    constexpr int inside = 8, near_sums = 1, part_sums = 2, slice_sums = 3;
    const int groups = round.members() / inside;
    if (groups < 2) return OneLevel::once(round, me, i);
    const int group = me / inside, first = group * inside, self = me - first;
    const auto partner = [&](int of) { return of * inside + self; };
    const auto each_partner = [&](auto&& use) {
      members::each_from(group, groups, [&](int of) {
        if (of != group) use(partner(of));
      });
    };
    const members::Slices slices{inside, std::min(inside, lines)};
    const auto begin = [&](int slice) { return lines * slice / slices.count; };
    const int own = slices.of(self);
    const int length = own == slices.none ? 0 : begin(own + 1) - begin(own);
    const members::Slices parts{groups, std::clamp(length, 1, groups)};
    const auto part = [&](int which) { return begin(own) + length * which / parts.count; };
    const int own_part = own == slices.none ? parts.none : parts.of(group);

    this->write(me);
    round.show(1, 4);
    members::each_from(self, inside, [&](int member) { round.await(first + member, 4); });
    if (own != slices.none) {
      for (int k = begin(own); k < begin(own + 1); ++k) {
        std::uint64_t sum = 0;
        for (int member = 0; member < inside; ++member) {
          round.go_to(first + member);
          sum += this->send(first + member, k).get();
        }
        this->recv(me, k).set(sum);
      }
      round.tell(near_sums);
      each_partner([&](int member) {
        round.await(member, 4);
        round.await_told(member, near_sums);
      });
      if (own_part != parts.none) {
        for (int k = part(own_part); k < part(own_part + 1); ++k) {
          std::uint64_t sum = 0;
          for (int of = 0; of < groups; ++of) {
            round.go_to(partner(of));
            sum += this->recv(partner(of), k).get();
          }
          this->recv(me, k).set(sum);
        }
        round.reach(part_sums);
      }
      members::each_from(parts.near(group), parts.count, [&](int which) {
        if (which == own_part) return;
        const int owner = partner(parts.owner(which));
        round.await_phase(owner, part_sums);
        round.go_to(owner);
        this->copy(owner, me, part(which), part(which + 1));
      });
      round.tell(slice_sums);
    }
    members::each_from(slices.near(self), slices.count, [&](int slice) {
      if (slice == own) return;
      const int owner = first + slices.owner(slice);
      round.await_told(owner, slice_sums);
      round.go_to(owner);
      this->copy(owner, me, begin(slice), begin(slice + 1));
    });
    round.all_have_come();
    round.finish();
    if (own_part != parts.none) each_partner([&](int member) { round.await_told(member, slice_sums); });
    if (own == slices.none) return;
    members::each_from(self, inside, [&](int member) {
      if (member != self) round.await_done(first + member);
    });
  }
};
template <class Sys>
using LargeAllreduce = AllreduceByGroups<Sys, 256>;
// Of 256 bytes, where they are not copied.
template <class Sys>
using AllreduceOfLines = AllreduceByGroups<Sys, 4>;
// In one level: what Ranklet did before.
template <class Sys>
struct OneLevelAllreduce : AllreduceOfSlices<Sys, 256, OneLevelAllreduce<Sys>> {
  using AllreduceOfSlices<Sys, 256, OneLevelAllreduce<Sys>>::AllreduceOfSlices;
};
// And of 2 KiB, as two members have them: before that.
template <class Sys>
struct AllreduceOf8 : AllreduceOfSlices<Sys, 256, AllreduceOf8<Sys>> {
  using AllreduceOfSlices<Sys, 256, AllreduceOf8<Sys>>::AllreduceOfSlices;
  static constexpr int most_slices = 8;
};

// 1 KiB of each, which it copies for its readers and need not wait for them.
template <class Sys>
class CopiedAllgather : public Large<Sys, CopiedAllgather<Sys>, 16> {
 public:
  explicit CopiedAllgather(int members) : Large<Sys, CopiedAllgather<Sys>, 16>(members, members) {}
  void once(Round<Sys>& round, int me, int)
  {
    const int n = round.members();
    this->write(me);
    round.post_copy(16, [&](std::size_t k) { return this->send(me, static_cast<int>(k)).get(); });
    for (int step = 0; step < n; ++step) {
      const int member = (me + step) % n;
      round.await(member, 2);
      for (std::size_t k = 0; k < 16; ++k)
        this->recv(me, 16 * member + static_cast<int>(k)).set(round.copied(member, k));
    }
    round.all_have_come();
    round.finish();
  }
};

// What Ranklet did before, and does with more: all read from each other's buffers.
template <class Sys>
class LargeAllgather : public Large<Sys, LargeAllgather<Sys>, 16> {
 public:
  explicit LargeAllgather(int members) : Large<Sys, LargeAllgather<Sys>, 16>(members, members) {}
  void once(Round<Sys>& round, int me, int)
  {
    const int n = round.members();
    this->write(me);
    round.show(1, 3);
    for (int step = 0; step < n; ++step) {
      const int member = (me + step) % n;
      round.await(member, 3);
      round.go_to(member);
      for (int k = 0; k < 16; ++k) this->recv(me, 16 * member + k).set(this->send(member, k).get());
    }
    round.all_have_come();
    round.finish();
    round.await_all_done();
  }
};

// 256 bytes of each, copied; everybody reduces for itself.
template <class Sys>
class CopiedAllreduce : public Large<Sys, CopiedAllreduce<Sys>, 4> {
 public:
  explicit CopiedAllreduce(int members) : Large<Sys, CopiedAllreduce<Sys>, 4>(members) {}
  void once(Round<Sys>& round, int me, int)
  {
    const int n = round.members();
    this->write(me);
    round.post_copy(4, [&](std::size_t k) { return this->send(me, static_cast<int>(k)).get(); });
    members::each_from(me, n, [&](int member) { round.await(member, 2); });
    round.all_have_come();
    for (std::size_t k = 0; k < 4; ++k) {
      std::uint64_t sum = 0;
      for (int member = 0; member < n; ++member) sum += round.copied(member, k);
      this->recv(me, static_cast<int>(k)).set(sum);
    }
    round.finish();
  }
};

}  // namespace ranklet::model
