#include "io/representation.hpp"

#include "datatype/copy.hpp"
#include "terms/error.hpp"

namespace ranklet::io {

namespace {

constexpr std::size_t longest_name = 127;  // MPI_MAX_DATAREP_STRING - 1

class AsInMemory final : public Representation {
 public:
  explicit AsInMemory(const char* name) : Representation(name) {}
};

class External32 final : public Representation {
 public:
  External32() : Representation("external32") {}
  bool is_native() const noexcept override { return false; }
  Count size_of(const Datatype& predefined) const override { return external_size(1, predefined); }
  void write(const void* user, Count count, const Datatype& type, char* file) const override
  {
    pack_external(user, count, type, file, external_size(count, type));
  }
  void read(void* user, Count count, const Datatype& type, const char* file) const override
  {
    unpack_external(user, count, type, file, external_size(count, type));
  }
  Count read_part(void* user, const Datatype& type, const char* file, Count bytes) const override
  {
    return unpack_external_part(user, 1, type, file, bytes);
  }
};

class Registered final : public Representation {
 public:
  Registered(const std::string& name, Conversions conversions)
      : Representation(name), conversions_(std::move(conversions))
  {
  }
  bool is_native() const noexcept override { return false; }
  bool converts_by_callback() const noexcept override { return true; }
  Count size_of(const Datatype& predefined) const override
  {
    if (!conversions_.extent) return predefined.size();
    const Count size = conversions_.extent(predefined);
    if (size < 0)
      fail(ErrorClass::conversion, "the datarep's extent of %s is negative", predefined.name().c_str());
    return size;
  }
  void write(const void* user, Count count, const Datatype& type, char* file) const override
  {
    if (conversions_.write)
      conversions_.write(const_cast<void*>(user), type, count, file, 0);
    else
      pack(user, count, type, 0, file, count * type.size());
  }
  void read(void* user, Count count, const Datatype& type, const char* file) const override
  {
    if (conversions_.read)
      conversions_.read(user, type, count, const_cast<char*>(file), 0);
    else
      unpack(user, count, type, 0, file, count * type.size());
  }

 private:
  const Conversions conversions_;
};

}  // namespace

Count size_in_file(const Representation& representation, const Datatype& type)
{
  if (representation.is_native()) return type.size();
  if (type.basic() != Basic::none || type.parts().empty())
    return type.size() == 0 ? 0 : representation.size_of(type);
  Count bytes = 0;
  for (const SignatureRun& run : type.parts()) bytes += run.count * size_in_file(representation, *run.type);
  return bytes;
}

Representations::Representations()
{
  known_["native"] = std::make_shared<AsInMemory>("native");
  known_["internal"] = std::make_shared<AsInMemory>("internal");
  known_["external32"] = std::make_shared<External32>();
}

void Representations::add(const std::string& name, Conversions conversions)
{
  if (name.empty() || name.size() > longest_name)
    fail(ErrorClass::arg, "the name of a data representation has 1 to %zu characters", longest_name);
  const Holder guard(lock_);
  auto made = std::make_shared<Registered>(name, std::move(conversions));
  if (!known_.emplace(name, std::move(made)).second)
    fail(ErrorClass::dup_datarep, "the data representation %s is defined already", name.c_str());
}

RepresentationPtr Representations::find(const std::string& name) const
{
  const Holder guard(lock_);
  const auto found = known_.find(name);
  if (found == known_.end())
    fail(ErrorClass::unsupported_datarep, "no data representation %s is known", name.c_str());
  return found->second;
}

}  // namespace ranklet::io
