#include "coll/allreduce_by_groups.hpp"

#include "coll/coll_state.hpp"

namespace ranklet::coll {

namespace {

// A part for each of `members`, but none much smaller than a cache line. By bytes, which are what is
// compared.
members::Slices lines_for_all(int members, Count bytes)
{
  return {members, static_cast<int>(std::clamp<Count>(bytes / 64, 1, members))};
}

class TwoLevels {
 public:
  TwoLevels(Communicator& comm, Round& round, const Operands& operands, const Datatype& type, const Op& op)
      : round_(round),
        operands_(operands),
        type_(type),
        op_(op),
        inside_(state(comm).near_groups(comm.shared()).block),
        groups_(comm.size() / inside_),
        group_(comm.rank() / inside_),
        me_(comm.rank() % inside_),
        slices_(lines_for_all(inside_, operands.bytes)),
        slice_(slices_.of(me_)),
        mine_(has_slice() ? slice(operands.count, slices_, slice_) : Slice{0, 0}),
        parts_(lines_for_all(groups_, operands.bytes / slices_.count)),
        part_(has_slice() ? parts_.of(group_) : parts_.none)
  {
  }

  void run()
  {
    const Gathering near(round_, operands_, {first(), inside_});
    if (has_slice()) {
      reduce([&](int i) { return near.send(i); }, inside_, mine_);
      round_.tell(near_sums);
      // With the same amount a partner has a slice, and waits for nobody outside of its group before this
      // phase. Members without a slice are told of other amounts by the owners of theirs, who fail.
      each_partner([&](int partner) {
        compare_amount(partner);
        round_.await_told(partner, near_sums);
      });
      reduce_part();
      fetch_parts();
      round_.tell(slice_sums);
    }
    copy_slices();
    // Who has a slice has seen the sums of all groups, and who made these all operands of its group.
    round_.all_have_come();
    round_.finish();
    // Others have our operands only until they have the slices that we have copied.
    if (has_slice()) await_readers();
  }

 private:
  // What a member has complete: its slice of the group's sums, its part of all groups', all of its slice.
  static constexpr int near_sums = 1, part_sums = 2, slice_sums = 3;

  bool has_slice() const { return slice_ != slices_.none; }
  bool has_part() const { return part_ != parts_.none; }
  int first() const { return group_ * inside_; }
  // The one with our slice in another group.
  int partner(int group) const { return group * inside_ + me_; }
  template <class Use>
  void each_partner(Use&& use) const
  {
    members::each_from(group_, groups_, [&](int group) {
      if (group != group_) use(partner(group));
    });
  }
  Slice part(int which) const
  {
    const Slice found = slice(mine_.count, parts_, which);
    return {mine_.begin + found.begin, found.count};
  }

  void compare_amount(int member) const
  {
    const Count bytes = round_.args<Operands>(member).bytes;
    if (bytes != operands_.bytes) round_.reject_amount(member, bytes, operands_.bytes);
  }
  void* result_of(int member) const { return round_.args<Operands>(member).recv; }
  template <class Input>
  void reduce(Input&& input, int n, const Slice& elements) const
  {
    fold(op_, Brackets::pairs, type_, n, input, elements.begin, elements.count, operands_.recv);
  }
  void copy(int member, const Slice& elements) const
  {
    copy_elements(element(result_of(member), elements.begin, type_),
                  element(operands_.recv, elements.begin, type_), elements.count, type_);
  }

  void reduce_part() const
  {
    if (!has_part()) return;
    reduce([&](int group) { return result_of(partner(group)); }, groups_, part(part_));
    round_.reach(part_sums);
  }

  // A part of our near sums is read by its owner only, until it has its sums: then it may be overwritten.
  void fetch_parts() const
  {
    members::each_from(parts_.near(group_), parts_.count, [&](int which) {
      if (which == part_) return;
      const int owner = partner(parts_.owner(which));
      round_.await_phase(owner, part_sums);
      copy(owner, part(which));
    });
  }

  // In place, a slice of our operands is read by its owner until it has its near sums.
  void copy_slices() const
  {
    members::each_from(slices_.near(me_), slices_.count, [&](int which) {
      if (which == slice_) return;
      const int owner = first() + slices_.owner(which);
      round_.await_told(owner, slice_sums);
      copy(owner, slice(operands_.count, slices_, which));
    });
  }

  // Our part is read by our partners, our slice by our group.
  void await_readers() const
  {
    const int groups = has_part() ? groups_ : 0;
    Round::await_each(groups + inside_, [&](int i) {
      if (i >= groups) {
        if (i - groups != me_) round_.await_done(first() + i - groups);
      } else if (i != group_) {
        round_.await_told(partner(i), slice_sums);
      }
    });
  }

  Round& round_;
  const Operands operands_;
  const Datatype& type_;
  const Op& op_;
  const int inside_, groups_;  // members of a group, and how many groups
  const int group_, me_;       // ours, and which one of it we are
  const members::Slices slices_;
  const int slice_;
  const Slice mine_;
  const members::Slices parts_;  // of that slice, by group
  const int part_;
};

}  // namespace

void allreduce_by_groups(Communicator& comm, Round& round, const Operands& operands, const Datatype& type,
                         const Op& op)
{
  TwoLevels(comm, round, operands, type, op).run();
}

}  // namespace ranklet::coll
