// How data is represented in a file (MPI 5.0 §14.5): native and internal, as in memory; external32; and what
// the program has registered.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/guarded.hpp"
#include "datatype/datatype.hpp"

namespace ranklet::io {

// What MPI_Register_datarep gives, with handles looked up. The functions are called on threads of the rank
// that has registered them, and throw what they fail with.
struct Conversions {
  // Null: none, the data is in the file as in memory.
  std::function<void(void*user, const Datatype&type, Count count, void*file, Count position)> read, write;
  std::function<Count(const Datatype& predefined)> extent;
};

class Representation {
 public:
  virtual ~Representation() = default;

  const std::string& name() const noexcept { return name_; }
  // As in memory: nothing is converted.
  virtual bool is_native() const noexcept { return true; }
  // Only the rank's own threads may convert.
  virtual bool converts_by_callback() const noexcept { return false; }
  // Of a predefined type in the file, in bytes.
  virtual Count size_of(const Datatype& predefined) const { return predefined.size(); }
  // Between `count` elements in memory and their packed form, size_in_file() bytes.
  virtual void write(const void*, Count, const Datatype&, char*) const {}
  virtual void read(void*, Count, const Datatype&, const char*) const {}
  // Of one element, whose packed form ends after `bytes`: as much as can be converted, in bytes of memory.
  virtual Count read_part(void*, const Datatype&, const char*, Count /*bytes*/) const { return 0; }

 protected:
  explicit Representation(std::string name) : name_(std::move(name)) {}

 private:
  const std::string name_;
};
using RepresentationPtr = std::shared_ptr<const Representation>;

// The bytes that an element takes in the file.
Count size_in_file(const Representation& representation, const Datatype& type);
// The type that has `type`'s form in the file, with MPI_BYTEs: the sizes of the predefined types in it are
// those of the representation, displacements given in bytes stay (§14.5).
Ref<Datatype> type_in_file(const Representation& representation, Datatype& type);

// The representations that a rank knows. Thread safety: any thread of the rank.
class Representations {
 public:
  Representations();
  // Errors: dup_datarep; arg, for a name too long.
  void add(const std::string& name, Conversions conversions);
  // Errors: unsupported_datarep.
  RepresentationPtr find(const std::string& name) const;

 private:
  mutable Mutex lock_;
  std::map<std::string, RepresentationPtr> known_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::io
