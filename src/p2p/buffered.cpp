#include "p2p/buffered.hpp"

#include <string>

#include "p2p/engine.hpp"
#include "p2p/p2p.hpp"
#include "terms/error.hpp"

namespace ranklet::p2p {

namespace {

// What a message is charged beyond its data. MPI_BSEND_OVERHEAD is an upper bound (§3.6); the model of §3.6.1
// needs a pointer and a few words, and programs exist that count on no more.
constexpr Count header = 32;

// "the message needs 516 bytes (4 and MPI_BSEND_OVERHEAD, which is 512)"
std::string need_of(Count bytes)
{
  return "the message needs " + std::to_string(bytes + buffer_overhead) + " bytes (" + std::to_string(bytes) +
         " and MPI_BSEND_OVERHEAD, which is " + std::to_string(buffer_overhead) + ")";
}

// By the rule of §3.6: room for all messages at once, each with MPI_BSEND_OVERHEAD.
[[noreturn, gnu::cold, gnu::noinline]] void fail_for_room(Count bytes, Count size, BufferAccount::Use use)
{
  const Count enough = use.bytes + use.messages * (buffer_overhead - header) + bytes + buffer_overhead;
  const std::string used = use.messages == 0
                               ? ""
                               : ", of which " + std::to_string(use.messages) +
                                     (use.messages == 1 ? " message that is" : " messages that are") +
                                     " under way " + (use.messages == 1 ? "uses " : "use ") +
                                     std::to_string(use.bytes);
  fail(ErrorClass::buffer, "%s, and %lld are attached%s: attach %lld", need_of(bytes).c_str(),
       static_cast<long long>(size), used.c_str(), static_cast<long long>(enough));
}

}  // namespace

bool BufferAccount::charge(Count bytes) noexcept
{
  if (used_.add(bytes + header) > size_) {
    used_.add(-(bytes + header));
    return false;
  }
  references_.add(1);
  return true;
}

void BufferAccount::refund(Count bytes) noexcept
{
  used_.add(-(bytes + header));
  drop();
}

BufferAccount::Use BufferAccount::in_use() const noexcept
{
  return {used_.value(), references_.value() - 1};
}

void BufferAccount::drop() noexcept
{
  // The last one sees that all others are through with it.
  if (references_.add(-1) == 0) delete this;
}

AttachedBuffer::~AttachedBuffer()
{
  if (account_) account_->close();
}

void AttachedBuffer::attach(void* address, Count size, bool automatic)
{
  if (!automatic && size < 0)
    fail(ErrorClass::arg, "the size of the buffer is %lld", static_cast<long long>(size));
  const Section guard(owner_, lock_);
  if (attached_)
    fail(ErrorClass::buffer, "a buffer of %lld bytes is attached already", static_cast<long long>(size_));
  address_ = address;
  size_ = automatic ? 0 : size;
  account_ = automatic ? nullptr : new BufferAccount(size);
  attached_ = true;
}

std::pair<void*, Count> AttachedBuffer::detach()
{
  const Section guard(owner_, lock_);
  // As in other implementations: for libraries that detach what may be there, to restore it later (§3.6).
  if (!attached_) return {nullptr, 0};
  if (account_) std::exchange(account_, nullptr)->close();
  attached_ = false;
  return {address_, size_};
}

void AttachedBuffer::detach_any()
{
  const Section guard(owner_, lock_);
  if (account_) std::exchange(account_, nullptr)->close();
  attached_ = false;
}

void AttachedBuffer::flush()
{
  const Section guard(owner_, lock_);
  check_attached();
  if (!account_) return;
  BufferAccount* const fresh = new BufferAccount(size_);
  std::exchange(account_, fresh)->close();
}

bool AttachedBuffer::charge(Count bytes, BufferAccount** account)
{
  const Section guard(owner_, lock_);
  if (!attached_) return false;
  if (account_ && !account_->charge(bytes)) fail_for_room(bytes, size_, account_->in_use());
  *account = account_;
  return true;
}

void AttachedBuffer::check_attached() const
{
  if (!attached_) fail(ErrorClass::buffer, "no buffer is attached");
}

AttachedBuffer& comm_buffer(Communicator& comm)
{
  const Holder guard(comm.buffer_lock);
  if (!comm.buffer) comm.buffer = std::make_shared<AttachedBuffer>(comm.self());
  return *comm.buffer;
}

AttachedBuffer& process_buffer(Rank& self)
{
  return self.p2p->attached;
}

BufferAccount* charge_buffer(Communicator& comm, Count bytes)
{
  BufferAccount* account = nullptr;
  std::shared_ptr<AttachedBuffer> own;
  {
    const Holder guard(comm.buffer_lock);
    own = comm.buffer;
  }
  if (own && own->charge(bytes, &account)) return account;
  if (comm.session_buffer && comm.session_buffer->charge(bytes, &account)) return account;
  if (process_buffer(comm.self()).charge(bytes, &account)) return account;
  fail(ErrorClass::buffer, "%s, and no buffer is attached to the communicator, its session or the process",
       need_of(bytes).c_str());
}

}  // namespace ranklet::p2p
