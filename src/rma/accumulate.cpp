#include "rma/accumulate.hpp"

#include <cstring>

#include "datatype/copy.hpp"
#include "datatype/runs.hpp"
#include "memmodel/closed_gate.hpp"
#include "rma/element_ops.hpp"
#include "rma/target_place.hpp"
#include "terms/error.hpp"

namespace ranklet::rma {

namespace {

constexpr Count staging_bytes = 4096;

// The packed data of a buffer, piece by piece: in place if it is contiguous, else through a small copy.
class Pieces {
 public:
  explicit Pieces(const OriginData* data) : data_(data) {}

  // The bytes [offset, offset + bytes) as the operation may read them; null if there is no buffer.
  const char* read(Count offset, Count bytes)
  {
    if (!data_) return nullptr;
    if (data_->type->is_contiguous()) return static_cast<const char*>(data_->address) + offset;
    pack(data_->address, data_->count, *data_->type, offset, staging_, bytes);
    return staging_;
  }
  // Where to write them, before written().
  char* write(Count offset)
  {
    if (!data_) return nullptr;
    return data_->type->is_contiguous() ? static_cast<char*>(data_->address) + offset : staging_;
  }
  void written(Count offset, Count bytes)
  {
    if (data_ && !data_->type->is_contiguous())
      unpack(data_->address, data_->count, *data_->type, offset, staging_, bytes);
  }

 private:
  const OriginData* const data_;
  alignas(64) char staging_[staging_bytes];
};

// n words at an aligned address; `in` is null for no_op, `out` if nobody asks what was there.
template <class T>
void act_on_words(const ElementOp& op, char* at, Count n, const char* in, char* out)
{
  for (Count i = 0; i < n; ++i) {
    const Count offset = i * static_cast<Count>(sizeof(T));
    T value{};
    if (in) std::memcpy(&value, in + offset, sizeof value);
    const T before = act<T>(op, at + offset, value);
    if (out) std::memcpy(out + offset, &before, sizeof before);
  }
}

// What is done: origin and result may be null, see above.
struct Operation {
  const Op& op;
  const OriginData* origin;
  const OriginData* result;
};

// The whole of it while nobody else accumulates: fetch, then combine.
void act_alone(const Operation& operation, char* at, const TargetData& target)
{
  const auto& [op, origin, result] = operation;
  if (result) copy(at, target.count, *target.type, result->address, result->count, *result->type);
  if (origin)
    ranklet::accumulate(op, origin->address, origin->count, *origin->type, at, target.count, *target.type);
}

// The basic type of an operation on these; null types do not matter.
Basic basic_of(const Op& op, const Datatype* origin, const Datatype* result, const Datatype& target)
{
  if (!op.is_predefined()) fail(ErrorClass::op, "a user-defined operator cannot accumulate");
  const Basic basic = target.uniform();
  if (basic == Basic::none)
    fail(ErrorClass::type, "the target's datatype does not consist of one predefined type");
  for (const Datatype* other : {origin, result})
    if (other && other->uniform() != basic)
      fail(ErrorClass::type, "the datatypes do not consist of one and the same predefined type");
  if (op.kind() != OpKind::replace && op.kind() != OpKind::no_op) check_valid_for(op, predefined(basic));
  return basic;
}

// From so many elements on it pays to close the gate: it costs as much as some hundred atomic instructions.
constexpr Count worth_closing = 512;

// Under the window lock that excludes everybody else, unless this rank's other threads may come.
bool is_alone(const Window& window, int target)
{
  return window.is_alone_at(target) && !window.self().concurrent();
}

template <class Body>
void under_lock(Window& window, int target, Body&& body)
{
  if (is_alone(window, target)) return body();
  const Holder guard(window.target(target).accumulate_lock);
  body();
}

// The gates of a window's targets.
struct Gates {
  Window& window;
  int count() const noexcept { return window.size(); }
  memmodel::Gate<>& gate(int target) const noexcept { return window.target(target).accumulate_gate; }
  memmodel::SpinLock<>& lock(int target) const noexcept { return window.target(target).accumulate_lock; }
  const memmodel::Gate<>::Passer& passer(int target) const noexcept { return window.target(target).passer; }
};

// Element by element; runs at addresses where the machine has no atomic instructions go under the lock.
// has_lock: the caller has it.
void act_by_words(Window& window, const Operation& operation, char* at, const TargetData& target, Basic basic,
                  Count bytes, bool has_lock)
{
  const ElementOp op(operation.op, basic);
  const Datatype& element = predefined(basic);
  const Count width = element.size();
  Pieces origin(operation.origin), result(operation.result);
  Count offset = 0;
  for_each_run(at, target.count, *target.type, [&](char* run, Count run_bytes) {
    const Count end = std::min(offset + run_bytes, bytes);
    for (Count n; offset < end; offset += n, run += n) {
      n = std::min(end - offset, staging_bytes);
      const char* const in = origin.read(offset, n);
      char* const out = result.write(offset);
      const auto act = [&] {
        with_word(width, [&]<class T>(T) { act_on_words<T>(op, run, n / width, in, out); });
      };
      if (has_lock) {
        act();
      } else if (is_aligned(run, width)) {
        passing(window, target.rank, act);
      } else {
        const Holder guard(window.target(target.rank).accumulate_lock);
        if (out) std::memcpy(out, run, static_cast<std::size_t>(n));
        if (in) ranklet::accumulate(operation.op, in, n / width, element, run, n / width, element);
      }
      result.written(offset, n);
    }
  });
}

void perform(Window& window, const Operation& operation, const TargetData& target)
{
  const Op& op = operation.op;
  const OriginData* const origin = operation.origin;
  const OriginData* const result = operation.result;
  char* const at = place(window, target.rank, target.disp, target.count, *target.type);
  Count bytes = target.count * target.type->size();
  if (origin) bytes = amount(origin->count, *origin->type, target.count, *target.type);
  if (result) amount(target.count, *target.type, result->count, *result->type);
  if (bytes == 0) return;
  const Basic basic =
      basic_of(op, origin ? origin->type : nullptr, result ? result->type : nullptr, *target.type);
  const Datatype& element = predefined(basic);
  const bool single = bytes == element.size();
  if (!is_word(element) || (!single && is_alone(window, target.rank)))
    return under_lock(window, target.rank, [&] { act_alone(operation, at, target); });
  if (bytes >= worth_closing * element.size()) {
    // Nobody changes words at the target meanwhile.
    constexpr int patience = 1000;  // looks
    const memmodel::ClosedGate<Gates> closed(Gates{window}, target.rank, patience);
    return act_alone(operation, at, target);
  }
  // One contiguous element: what most programs do.
  if (single && target.type->is_contiguous() && is_aligned(at, bytes) &&
      (!origin || origin->type->is_contiguous()) && (!result || result->type->is_contiguous())) {
    passing(window, target.rank, [&] {
      with_word(bytes, [&]<class T>(T) {
        act_on_words<T>(ElementOp(op, basic), at, 1,
                        origin ? static_cast<const char*>(origin->address) : nullptr,
                        result ? static_cast<char*>(result->address) : nullptr);
      });
    });
    return;
  }
  if (element.size() > 1) return act_by_words(window, operation, at, target, basic, bytes, false);
  // Bytes that are one thing for the program: the others who come with several wait, as do those who would
  // close the gate. Single ones pass, so bytes are changed by atomic instructions here as well.
  const Holder guard(window.target(target.rank).accumulate_lock);
  act_by_words(window, operation, at, target, basic, bytes, true);
}

Basic predefined_basic(const Datatype& type)
{
  if (type.basic() == Basic::none) fail(ErrorClass::type, "the datatype is not a predefined one");
  return type.basic();
}

void check_given(const void* buffer, const char* argument)
{
  if (!buffer) fail(ErrorClass::buffer, "%s is a null pointer", argument);
}

}  // namespace

void accumulate(Window& window, const OriginData& origin, const TargetData& target, const Op& op)
{
  if (op.kind() == OpKind::no_op)
    fail(ErrorClass::op, "MPI_NO_OP changes nothing: it is for operations that fetch");
  if (target.rank != proc_null) perform(window, {op, &origin, nullptr}, target);
}

void get_accumulate(Window& window, const OriginData& origin, const OriginData& result,
                    const TargetData& target, const Op& op)
{
  if (target.rank == proc_null) return;
  perform(window, {op, op.kind() == OpKind::no_op ? nullptr : &origin, &result}, target);
}

void fetch_and_op(Window& window, const void* origin, void* result, const Datatype& type, int target,
                  Count disp, const Op& op)
{
  predefined_basic(type);
  check_given(result, "result_addr");
  if (op.kind() != OpKind::no_op) check_given(origin, "origin_addr");
  if (target == proc_null) return;
  const OriginData in{const_cast<void*>(origin), 1, &type};
  const OriginData out{result, 1, &type};
  perform(window, {op, op.kind() == OpKind::no_op ? nullptr : &in, &out}, {target, disp, 1, &type});
}

void compare_and_swap(Window& window, const void* origin, const void* compare, void* result,
                      const Datatype& type, int target, Count disp)
{
  const Basic basic = predefined_basic(type);
  const TypeGroup group = info(basic).group;
  if (group != TypeGroup::c_integer && group != TypeGroup::fortran_integer && group != TypeGroup::logical &&
      group != TypeGroup::multi_language && group != TypeGroup::byte)
    fail(ErrorClass::type, "%s is no integer, logical, multi-language or byte type", info(basic).name);
  check_given(origin, "origin_addr");
  check_given(compare, "compare_addr");
  check_given(result, "result_addr");
  if (target == proc_null) return;
  char* const at = place(window, target, disp, 1, type);
  const Datatype& element = predefined(basic);
  const auto size = static_cast<std::size_t>(element.size());
  if (is_word(element) && is_aligned(at, element.size())) {
    passing(window, target, [&] {
      with_word(element.size(), [&]<class T>(T) {
        T desired, expected;
        std::memcpy(&desired, origin, sizeof desired);
        std::memcpy(&expected, compare, sizeof expected);
        const T before = memmodel::swap_element_if<T>(at, expected, desired);
        std::memcpy(result, &before, sizeof before);
      });
    });
    return;
  }
  under_lock(window, target, [&] {
    const bool same = std::memcmp(at, compare, size) == 0;
    std::memcpy(result, at, size);
    if (same) std::memcpy(at, origin, size);
  });
}

}  // namespace ranklet::rma
