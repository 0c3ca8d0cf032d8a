// A doubly linked list whose links lie in its elements: nothing is allocated, removal is O(1).
#pragma once

namespace ranklet::p2p {

template <class T>
struct Link {
  T* previous = nullptr;
  T* next = nullptr;
};

// Guarded by whoever guards the elements. An element is in at most one list through the same link.
template <class T, Link<T> T::*link>
class List {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  T* first() const noexcept { return first_; }
  static T* next(const T& element) noexcept { return (element.*link).next; }

  void push_back(T& element) noexcept
  {
    (element.*link).previous = last_;
    (element.*link).next = nullptr;
    (last_ ? (last_->*link).next : first_) = &element;
    last_ = &element;
  }

  void remove(T& element) noexcept
  {
    Link<T>& own = element.*link;
    (own.previous ? (own.previous->*link).next : first_) = own.next;
    (own.next ? (own.next->*link).previous : last_) = own.previous;
    own = {};
  }

 private:
  T* first_ = nullptr;
  T* last_ = nullptr;
};

}  // namespace ranklet::p2p
