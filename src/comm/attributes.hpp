// Attributes (MPI 5.0 §7.7): values that the user hangs on a communicator, datatype or window under a key,
// with functions that are called when the object is copied and when the value goes.
//
// Everything here belongs to one rank and is used by its threads, one at a time for each object; the key
// table by several at once. The functions may call back into this interface, also for the same object.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "memmodel/memmodel.hpp"

namespace ranklet {

// A key. The layer that knows the user's functions derives from it; what they return is an error code of the
// user's (0: success), which reaches the caller as the class of the Error.
class Keyval {
 public:
  enum class Kind { communicator, datatype, window };

  explicit Keyval(Kind kind) noexcept : kind_(kind) {}
  Keyval(const Keyval&) = delete;
  Keyval& operator=(const Keyval&) = delete;
  virtual ~Keyval() = default;

  // `object` is what the caller of the AttributeSet named as the owner. *wanted says whether the new object
  // gets *copy.
  virtual int copy(void* object, void* value, void** copy, bool* wanted) = 0;
  virtual int remove(void* object, void* value) = 0;

  Kind kind() const noexcept { return kind_; }
  // Given by KeyvalTable; 0 before.
  int number() const noexcept { return number_; }

 private:
  friend class KeyvalTable;
  const Kind kind_;
  int number_ = 0;
};

using KeyvalPtr = std::shared_ptr<Keyval>;

// The keys that the rank's program has made. Numbers are not used again and lie above all that the standard
// gives to predefined keys. A freed key is found as long as a value lies under it somewhere: programs delete
// such values by the number that they have kept (§7.7.2).
class KeyvalTable {
 public:
  int add(KeyvalPtr keyval);
  // Errors: keyval, if there is none of that kind.
  KeyvalPtr find(int number, Keyval::Kind kind) const;
  // MPI_Comm_free_keyval and its like: values under the key stay, with its functions. Errors: keyval, also
  // for a key that was freed before.
  void remove(int number, Keyval::Kind kind);

 private:
  mutable memmodel::SpinLock<> lock_;
  std::unordered_map<int, KeyvalPtr> keyvals_ RANKLET_GUARDED_BY(lock_);
  std::unordered_map<int, std::weak_ptr<Keyval>> freed_
      RANKLET_GUARDED_BY(lock_);  // those that values still use
  int next_ RANKLET_GUARDED_BY(lock_) = 4096;
};

// The values of one object, in the order in which they were set.
class AttributeSet {
 public:
  bool empty() const noexcept { return attributes_.empty(); }
  std::optional<void*> get(const Keyval& keyval) const noexcept;

  // Replaces an older value, for which the delete function is called first; if that fails, the older value
  // stays and its error is thrown.
  void set(void* object, KeyvalPtr keyval, void* value);
  // Calls the delete function; if that fails the value stays. Without such a value nothing happens.
  void remove(void* object, const Keyval& keyval);
  // Removes all, the last one first (§11.2.4 wants that order for MPI_COMM_SELF); stops where one fails.
  void clear(void* object);
  // Fills `target`, the set of the object `copy`, through the copy functions, in order. If one fails, what
  // was copied is removed again and the error thrown.
  void copy_to(void* object, AttributeSet& target, void* copy) const;

 private:
  struct Attribute {
    KeyvalPtr keyval;
    void* value;
  };
  void erase(const Keyval& keyval) noexcept;

  std::vector<Attribute> attributes_;
};

}  // namespace ranklet
