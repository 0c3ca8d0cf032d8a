// How arguments that are not single values reach the hand-written part of the interface.
#pragma once

#include <climits>
#include <vector>

#include "api/handles/rank_state.hpp"

namespace ranklet::api {

// An array of counts or displacements in either width; `large` tells which. It does not know its length.
class CountArray {
 public:
  CountArray() = default;
  explicit CountArray(const int* narrow) noexcept : data_(narrow) {}
  explicit CountArray(const Count* wide) noexcept : data_(wide), large_(true) {}

  Count operator[](std::size_t i) const noexcept
  {
    return large_ ? static_cast<const Count*>(data_)[i] : static_cast<const int*>(data_)[i];
  }
  const void* data() const noexcept { return data_; }
  bool large() const noexcept { return large_; }
  std::vector<Count> copy(Count length) const
  {
    std::vector<Count> counts(static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = (*this)[i];
    return counts;
  }

 private:
  const void* data_ = nullptr;
  bool large_ = false;
};

// The table of a rank that holds handles of a kind.
inline HandleTable<TypeHandle>& table_of(RankState& state, TypeHandle)
{
  return state.types;
}
inline HandleTable<InfoHandle>& table_of(RankState& state, InfoHandle)
{
  return state.infos;
}

// An array of handles; looked up when used. Bad handles throw.
template <typename Kind>
class HandleArray {
 public:
  HandleArray(RankState& state, const typename Kind::Handle* handles, const char* argument) noexcept
      : state_(state), handles_(handles), argument_(argument)
  {
  }

  typename Kind::Borrowed operator[](std::size_t i) const
  {
    return table_of(state_, Kind{}).get(handles_[i], argument_);
  }
  // Null for the null handle.
  auto find(std::size_t i) const { return table_of(state_, Kind{}).find(handles_[i], argument_); }
  const void* data() const noexcept { return handles_; }

 private:
  RankState& state_;
  const typename Kind::Handle* handles_;
  const char* argument_;
};

// A place that holds a request's handle: MPI_Wait's argument.
class RequestRef {
 public:
  RequestRef(RankState& state, MPI_Request* place) noexcept : state_(&state), place_(place) {}

  // Null for MPI_REQUEST_NULL; throws for a bad handle.
  Request* get() const { return state_->requests.find(*place_, "request"); }
  // Ends the handle; the object is the caller's.
  void retire() const { state_->requests.retire(place_); }
  MPI_Request* address() const noexcept { return place_; }

 private:
  RankState* state_;
  MPI_Request* place_;
};

// A place for the handle of a new request: for cores that hand it out in a section of theirs.
class RequestOut {
 public:
  RequestOut(RankState& state, MPI_Request* place) noexcept : requests_(state.requests), place_(place) {}

  void operator()(Request& request, const Section& section) { *place_ = requests_.put(&request, section); }
  // Its start has failed.
  void take_back() { requests_.retire(place_); }

 private:
  HandleTable<RequestHandle>& requests_;
  MPI_Request* place_;
};

// MPI_Waitall's array of requests.
class RequestArray {
 public:
  // For calls that do not change the handles the array is const in C; retire() must not be used then.
  RequestArray(RankState& state, const MPI_Request* handles, int size) noexcept
      : state_(&state), handles_(const_cast<MPI_Request*>(handles)), size_(size)
  {
  }

  int size() const noexcept { return size_; }
  // Null for MPI_REQUEST_NULL; throws for a bad handle.
  Request* operator[](int i) const { return state_->requests.find(handles_[i], "array_of_requests"); }
  // Looks up all of them, so that a bad one is found before anything is changed.
  void check() const { state_->requests.check_all(handles_, size_, "array_of_requests"); }
  // Ends handles from i on in one section: HandleTable::retire_while(). The first that is left.
  template <typename Ends>
  int retire_while(int i, Ends&& ends) const
  {
    return i + state_->requests.retire_while(&handles_[i], size_ - i,
                                             [&](Request& request, int n, const Section& alone) {
                                               return ends(request, i + n, alone);
                                             });
  }
  // Ends handle i; the object is the caller's.
  void retire(int i) const { state_->requests.retire(&handles_[i]); }

 private:
  RankState* state_;
  MPI_Request* handles_;
  int size_;
};

// A function of the user whose type depends on the width of the call: MPI_User_function and its kin.
class Callback {
 public:
  template <typename Function>
  explicit Callback(Function* function) noexcept
      : function_(reinterpret_cast<void (*)()>(function)),
        large_(std::is_same_v<Function, MPI_User_function_c> ||
               std::is_same_v<Function, MPI_Datarep_conversion_function_c>)
  {
  }

  bool large() const noexcept { return large_; }
  // Function is the type that large() says.
  template <typename Function>
  Function* as() const noexcept
  {
    return reinterpret_cast<Function*>(function_);
  }

 private:
  void (*function_)();
  bool large_;
};

// Statuses have the ABI's layout inside as well.
static_assert(sizeof(MPI_Status) == sizeof(Status) && alignof(MPI_Status) == alignof(Status));

// Null for MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE.
inline Status* status_out(MPI_Status* status) noexcept
{
  return reinterpret_cast<Status*>(status);
}

// A large result into an argument of the call's width. A value that does not fit becomes MPI_UNDEFINED.
inline void store_count(int* place, Count value) noexcept
{
  *place = value > INT_MAX || value < INT_MIN ? MPI_UNDEFINED : static_cast<int>(value);
}
inline void store_count(Count* place, Count value) noexcept
{
  *place = value;
}

// The same for a position that goes on being used: what does not fit is an error.
inline void store_position(int* place, Count value)
{
  if (value > INT_MAX)
    fail(ErrorClass::value_too_large, "the result %lld needs the large-count form of the call",
         static_cast<long long>(value));
  *place = static_cast<int>(value);
}
inline void store_position(Count* place, Count value) noexcept
{
  *place = value;
}

template <typename Table, typename Owner>
void put_all(Table& table, std::vector<Owner>& objects, typename Table::Handle* handles)
{
  for (std::size_t i = 0; i < objects.size(); ++i) handles[i] = table.put(std::move(objects[i]));
}

}  // namespace ranklet::api
