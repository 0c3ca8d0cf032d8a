// A doubly linked list whose links lie in its elements: nothing is allocated, removal is O(1).
#pragma once

#include "base/invariant.hpp"

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
  T* last() const noexcept { return last_; }
  static T* next(const T& element) noexcept { return (element.*link).next; }
  static T* previous(const T& element) noexcept { return (element.*link).previous; }

  void push_back(T& element) noexcept
  {
    (element.*link).previous = last_;
    (element.*link).next = nullptr;
    (last_ ? (last_->*link).next : first_) = &element;
    last_ = &element;
    full_invariant([&] { return is_valid(); }, "the links of a list lead there and back");
  }

  void remove(T& element) noexcept
  {
    Link<T>& own = element.*link;
    invariant(
        [&] {
          return (own.previous ? (own.previous->*link).next : first_) == &element &&
                 (own.next ? (own.next->*link).previous : last_) == &element;
        },
        "what is taken out of a list is in it");
    (own.previous ? (own.previous->*link).next : first_) = own.next;
    (own.next ? (own.next->*link).previous : last_) = own.previous;
    own = {};
  }

 private:
  // Both ends, as far as a few elements; a walk over all would make long queues quadratic.
  bool is_valid() const noexcept
  {
    const T* before = nullptr;
    const T* element = first_;
    for (int i = 0; i < 8 && element; ++i, before = element, element = (element->*link).next)
      if ((element->*link).previous != before) return false;
    const T* behind = nullptr;
    element = last_;
    for (int i = 0; i < 8 && element; ++i, behind = element, element = (element->*link).previous)
      if ((element->*link).next != behind) return false;
    return (first_ == nullptr) == (last_ == nullptr);
  }

  T* first_ = nullptr;
  T* last_ = nullptr;
};

}  // namespace ranklet::p2p
