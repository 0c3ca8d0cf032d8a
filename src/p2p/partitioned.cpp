#include "p2p/partitioned.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "p2p/engine.hpp"
#include "p2p/p2p.hpp"
#include "terms/error.hpp"

namespace ranklet::p2p {

namespace {

Partitions describe(const void* buffer, int partitions, Count count, const Datatype& type)
{
  if (partitions < 0) fail(ErrorClass::arg, "partitions is %d, and must not be negative", partitions);
  Count all = 0, bytes = 0;
  if (__builtin_mul_overflow(count, Count{partitions}, &all) ||
      __builtin_mul_overflow(all, type.size(), &bytes))
    fail(ErrorClass::count, "%d partitions of %lld elements are more than a Count can hold", partitions,
         static_cast<long long>(count));
  const Buffer whole{buffer, all, Ref<const Datatype>(type)};
  // The sides still have to meet where one has no partitions (MPI 5.0 §4.2.1 allows zero): in an empty one.
  if (partitions == 0) return {{1, 0}, whole, 0};
  return {{partitions, count * type.size()}, whole, partitions};
}

void check_partition(int partition, int partitions)
{
  if (partition < 0 || partition >= partitions)
    fail(ErrorClass::arg, "partition %d is none of the %d partitions", partition, partitions);
}

[[noreturn]] void may_not_be_let_go()
{
  fail(ErrorClass::request, "a partitioned operation may not be freed while it is active (MPI 5.0 §4.2.1)");
}

}  // namespace

void Channel::open(bool odd)
{
  flags.open(odd, from, [this](int partition) { move(partition); });
}

void Channel::move(int partition)
{
  // The channel lives as long as one of the requests, and both are active until they are finished.
  PartitionedSend* const sender = send;
  PartitionedReceive* const receiver = receive;
  const auto copy = [&](Count begin, Count bytes) {
    copy_part(from.buffer.address, from.buffer.count, *from.buffer.type, const_cast<void*>(to.buffer.address),
              to.buffer.count, *to.buffer.type, begin, bytes);
  };
  if (!flags.move(partition, from, to, copy)) return;
  receiver->finish();
  sender->finish();
}

std::shared_ptr<Channel> PartitionedMatching::match(const Key& key, bool send_is_missing)
{
  const auto found = unmatched_.find(key);
  if (found != unmatched_.end() && (found->second.front()->send == nullptr) == send_is_missing) {
    std::shared_ptr<Channel> channel = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) unmatched_.erase(found);
    return channel;
  }
  auto channel = std::make_shared<Channel>();
  unmatched_[key].push_back(channel);
  return channel;
}

std::shared_ptr<Channel> PartitionedMatching::add_send(std::uint32_t context, int source, int tag,
                                                       PartitionedSend& send, Partitions from)
{
  PartitionFlags<>::MeetingArray meetings(static_cast<std::size_t>(from.count));
  const Holder guard(lock_);
  std::shared_ptr<Channel> channel = match({context, source, tag}, true);
  channel->send = &send;
  channel->from = std::move(from);
  channel->flags.meetings = std::move(meetings);
  // The first round of both has number 1; the send is not started yet, so nothing is copied here.
  if (channel->receive_started) channel->open(true);
  return channel;
}

std::shared_ptr<Channel> PartitionedMatching::add_receive(std::uint32_t context, int source, int tag,
                                                          PartitionedReceive& receive, Partitions to)
{
  PartitionFlags<>::Left left(static_cast<std::size_t>(to.count));
  const Holder guard(lock_);
  std::shared_ptr<Channel> channel = match({context, source, tag}, false);
  channel->receive = &receive;
  channel->to = std::move(to);
  channel->flags.left = std::move(left);
  return channel;
}

void PartitionedMatching::start(Channel& channel)
{
  {
    const Holder guard(lock_);
    channel.receive_started = true;
    if (!channel.send) return;
  }
  channel.open(true);
}

PartitionedSend::PartitionedSend(Communicator& comm, Partitions from, int dest, int tag)
    : Request(comm.self()), to_nobody_(dest == proc_null)
{
  context_ = comm.context();
  persistent_ = true;
  if (to_nobody_) {
    channel_ = std::make_shared<Channel>();
    channel_->flags.meetings = PartitionFlags<>::MeetingArray(static_cast<std::size_t>(from.count));
    channel_->from = std::move(from);
  } else {
    channel_ = comm.peer(dest).p2p->partitioned.add_send(context_, comm.rank(), tag, *this, std::move(from));
  }
}

void PartitionedSend::start()
{
  done_.reset();
  active_ = true;
  odd_ = !odd_;
  if (to_nobody_) channel_->flags.begin(channel_->from.count);
  if (channel_->from.named == 0) mark(0);
}

void PartitionedSend::ready(int partition)
{
  if (!active_) fail(ErrorClass::request, "the partitioned send is not active");
  check_partition(partition, channel_->from.named);
  mark(partition);
}

void PartitionedSend::mark(int partition)
{
  using Arrival = PartitionFlags<>::Arrival;
  const Arrival arrival = channel_->flags.ready(partition, odd_);
  if (arrival == Arrival::again) fail(ErrorClass::arg, "partition %d was marked ready before", partition);
  if (to_nobody_) {
    if (channel_->flags.end_one()) finish();
  } else if (arrival == Arrival::second) {
    channel_->move(partition);
  }
}

ErrorClass PartitionedSend::reap(Status* status)
{
  if (status) *status = Status{};
  active_ = false;
  return ErrorClass::success;
}

void PartitionedSend::check_may_be_let_go() const
{
  may_not_be_let_go();
}

PartitionedReceive::PartitionedReceive(Communicator& comm, Partitions to, int source, int tag)
    : Request(comm.self()), source_(source), tag_(tag)
{
  done_.set();
  context_ = comm.context();
  persistent_ = true;
  if (source == proc_null) {
    channel_ = std::make_shared<Channel>();
    channel_->to = std::move(to);
  } else {
    channel_ = owner_->p2p->partitioned.add_receive(context_, source, tag, *this, std::move(to));
  }
}

void PartitionedReceive::start()
{
  done_.reset();
  active_ = true;
  if (source_ == proc_null) {
    done_.set();
    return;
  }
  odd_ = !odd_;
  Channel& channel = *channel_;
  channel.flags.expect(channel.to);
  if (channel.receive_started)
    channel.open(odd_);
  else
    owner_->p2p->partitioned.start(channel);
}

bool PartitionedReceive::arrived(int partition) const
{
  const Partitions& to = channel_->to;
  check_partition(partition, to.named);
  // Complete is also what is not active: another thread may wait for the request at the same time, and what
  // the flag says is ordered with the data.
  return complete() ||
         channel_->flags.has_arrived(partition, channel_->from, to, [this] { return complete(); });
}

ErrorClass PartitionedReceive::reap(Status* status)
{
  if (status) peek(status);
  const bool was_active = active_;
  active_ = false;
  if (!was_active || source_ == proc_null) return ErrorClass::success;
  const Count sent = channel_->from.all_bytes(), room = channel_->to.all_bytes();
  if (sent <= room) return ErrorClass::success;
  error_message_ = "the partitions sent are " + std::to_string(sent) + " bytes, those of the receive only " +
                   std::to_string(room);
  return ErrorClass::truncate;
}

void PartitionedReceive::peek(Status* status) const
{
  *status = Status{};
  if (!active_) return;
  status->source = source_;
  if (source_ == proc_null) return;
  status->tag = tag_;
  status->bytes = std::min(channel_->from.all_bytes(), channel_->to.all_bytes());
}

void PartitionedReceive::check_may_be_let_go() const
{
  may_not_be_let_go();
}

Request& partitioned_send_init(Communicator& comm, const void* buffer, int partitions, Count count,
                               const Datatype& type, int dest, int tag)
{
  return *new PartitionedSend(comm, describe(buffer, partitions, count, type), dest, tag);
}

Request& partitioned_receive_init(Communicator& comm, void* buffer, int partitions, Count count,
                                  const Datatype& type, int source, int tag)
{
  return *new PartitionedReceive(comm, describe(buffer, partitions, count, type), source, tag);
}

void mark_ready(Request& send, int partition)
{
  PartitionedSend* const request = request_cast<PartitionedSend>(send);
  if (!request) fail(ErrorClass::request, "the request is no partitioned send");
  request->ready(partition);
}

bool has_arrived(Request& receive, int partition)
{
  PartitionedReceive* const request = request_cast<PartitionedReceive>(receive);
  if (!request) fail(ErrorClass::request, "the request is no partitioned receive");
  return request->arrived(partition);
}

}  // namespace ranklet::p2p
