// Numbers, truth values, handles and strings between Fortran and C. The classes live for one call. Nothing
// here needs the run-time library of C++, so that this library, of which each rank has its own, brings none
// along.
#pragma once

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <mpi.h>

namespace ranklet::fortran {

using Procedure = void();

// A handle is its integer (MPI 5.0 §20.4).
template <class Handle>
Handle handle(int number)
{
  return reinterpret_cast<Handle>(static_cast<std::intptr_t>(number));
}

template <class Handle>
int number(Handle handle)
{
  return static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
}

// No result of C has this value.
inline constexpr int unset = INT_MIN;

// LOGICAL: odd is .TRUE.: gfortran has 1, other compilers -1, where .NOT. of a 1 is -2.
inline int truth(int logical)
{
  return logical & 1;
}

inline int logical(int truth)
{
  return truth != 0 ? 1 : 0;
}

// Memory for n values, on the stack if they are few.
template <class T, std::size_t Few>
class Scratch {
 public:
  explicit Scratch(std::ptrdiff_t n) : size_(n > 0 ? static_cast<std::size_t>(n) : 0)
  {
    if (size_ > Few) data_ = static_cast<T*>(std::malloc(size_ * sizeof(T)));
    if (data_ == nullptr) std::abort();
  }
  ~Scratch()
  {
    if (data_ != few_) std::free(data_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  T few_[Few];
  T* data_ = few_;
};

template <class Handle>
class Handles {
 public:
  Handles(const int* numbers, std::ptrdiff_t n) : handles_(n)
  {
    for (std::size_t i = 0; i < handles_.size(); ++i) handles_.data()[i] = handle<Handle>(numbers[i]);
  }
  Handle* data() const { return handles_.data(); }
  void store(int* numbers) const
  {
    for (std::size_t i = 0; i < handles_.size(); ++i) numbers[i] = number(handles_.data()[i]);
  }

 private:
  Scratch<Handle, 32> handles_;
};

// Of the removed routines (MPI 5.0 §17.1), whose addresses and displacements are INTEGERs.
class Displacements {
 public:
  Displacements(const int* integers, std::ptrdiff_t n) : values_(n)
  {
    std::copy_n(integers, values_.size(), values_.data());
  }
  MPI_Aint* data() const { return values_.data(); }

 private:
  Scratch<MPI_Aint, 32> values_;
};

// Of an address: differences of two are right if they fit, and that is what old programs make of them.
inline int lower_half(MPI_Aint address)
{
  return static_cast<int>(address);
}

// MPI_UNDEFINED if it does not fit.
inline int integer(MPI_Aint value)
{
  return static_cast<int>(value) == value ? static_cast<int>(value) : MPI_UNDEFINED;
}

class Logicals {
 public:
  // Elements that C does not write to (`input` false) stay as they are in Fortran.
  Logicals(const int* logicals, std::ptrdiff_t n, bool input) : truths_(n)
  {
    for (std::size_t i = 0; i < truths_.size(); ++i) truths_.data()[i] = input ? truth(logicals[i]) : unset;
  }
  int* data() const { return truths_.data(); }
  void store(int* logicals) const
  {
    for (std::size_t i = 0; i < truths_.size(); ++i)
      if (truths_.data()[i] != unset) logicals[i] = logical(truths_.data()[i]);
  }

 private:
  Scratch<int, 16> truths_;
};

// A string without the blanks before and after it, with a final zero.
class String {
 public:
  enum class Leading { blanks_go, blanks_stay };

  String(const char* text, std::size_t length, Leading leading = Leading::blanks_go)
      : text_(trim(text, length, leading) + 1)
  {
    std::memcpy(text_.data(), text, length);
    text_.data()[length] = '\0';
  }
  char* data() const { return text_.data(); }

 private:
  // Moves both to what is left, and returns its length.
  static std::ptrdiff_t trim(const char*& text, std::size_t& length, Leading leading)
  {
    while (length > 0 && text[length - 1] == ' ') --length;
    while (leading == Leading::blanks_go && length > 0 && *text == ' ') ++text, --length;
    return static_cast<std::ptrdiff_t>(length);
  }
  Scratch<char, 256> text_;
};

// A string that C writes: up to `size` bytes with the final zero; in Fortran blanks follow.
class Text {
 public:
  Text(char* text, std::size_t length, std::ptrdiff_t size)
      : text_(text), length_(length), c_(size > 0 ? size : 1)
  {
    c_.data()[0] = '\0';
  }
  char* data() const { return c_.data(); }
  void store() const
  {
    const std::size_t n = std::strlen(c_.data()) < length_ ? std::strlen(c_.data()) : length_;
    std::memcpy(text_, c_.data(), n);
    std::memset(text_ + n, ' ', length_ - n);
  }
  int clamped(int n) const { return static_cast<std::size_t>(n) > length_ ? static_cast<int>(length_) : n; }

 private:
  char* text_;
  std::size_t length_;
  Scratch<char, 1024> c_;
};

// Positions in an array count from 1 in Fortran.
inline void from_one(int* indices, int n)
{
  for (int i = 0; n != MPI_UNDEFINED && i < n; ++i) ++indices[i];
}

// Lengths of arrays that follow from a communicator.
int peers(MPI_Comm comm);
int cartesian_dimensions(MPI_Comm comm);
int neighbours(MPI_Comm comm, bool sources);

// Whether arguments that count only at the root count here.
bool is_root(int root, MPI_Comm comm);

// Arrays of strings, each `length` characters; a blank one ends a list of arguments (MPI 5.0 §11.8.2).
class Strings {
 public:
  Strings(const char* first, std::size_t length, int n);
  ~Strings();
  Strings(const Strings&) = delete;
  Strings& operator=(const Strings&) = delete;
  char** data() const { return strings_; }

 private:
  char** strings_ = nullptr;
};

class Arguments {
 public:
  Arguments(const char* first, std::size_t length, bool counts);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  char** data() const { return arguments_; }

 private:
  char** arguments_ = nullptr;
};

// One list for each of n programs: a matrix in Fortran's order, whose rows are the lists.
class ArgumentLists {
 public:
  ArgumentLists(const char* first, std::size_t length, int n);
  ~ArgumentLists();
  ArgumentLists(const ArgumentLists&) = delete;
  ArgumentLists& operator=(const ArgumentLists&) = delete;
  char*** data() const { return lists_; }

 private:
  char*** lists_ = nullptr;
  int n_;
};

}  // namespace ranklet::fortran
