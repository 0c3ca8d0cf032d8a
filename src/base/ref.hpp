// A counted reference to an object that counts itself.
#pragma once

#include <atomic>
#include <utility>

namespace ranklet {

// How many references there are, for objects that count themselves. Starts at one.
class RefCount {
 public:
  // Relaxed is enough: the caller's own count keeps the object alive.
  void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  // True if that was the last one, so that the caller must destroy the object.
  // Release: our uses happen before the destruction; acquire: so do all others', released by their own
  // drop().
  bool drop() noexcept { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

 private:
  std::atomic<int> count_{1};
};

// T has retain() and release(); the last release() destroys the object. A Ref is as large as a pointer and
// owns one count. Different Refs to one object may be used by different threads; one Ref may not.
template <typename T>
class Ref {
 public:
  Ref() = default;
  // Takes a count of its own.
  explicit Ref(T& object) : object_(&object) { object_->retain(); }
  Ref(const Ref& other) : object_(other.object_)
  {
    if (object_) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept
  {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref()
  {
    if (object_) object_->release();
  }

  // Takes over a count that the caller holds, as of a new object or one that detach() gave.
  static Ref adopt(T* object)
  {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  // Gives the count to the caller.
  [[nodiscard]] T* detach() { return std::exchange(object_, nullptr); }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref&, const Ref&) = default;

 private:
  T* object_ = nullptr;
};

}  // namespace ranklet
