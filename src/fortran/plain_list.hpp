// A growing array of plain values, as std::vector without C++'s run-time library.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace ranklet::fortran {

template <class T>
class List {
 public:
  List() = default;
  ~List() { std::free(data_); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  void add(const T& value)
  {
    if (size_ == room_) {
      room_ = room_ == 0 ? 16 : 2 * room_;
      data_ = static_cast<T*>(std::realloc(data_, room_ * sizeof(T)));
      if (data_ == nullptr) std::abort();
    }
    data_[size_++] = value;
  }
  T* data() { return data_; }
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

}  // namespace ranklet::fortran
