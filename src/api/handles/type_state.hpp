// What a rank keeps about datatypes beside their handles.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "comm/attributes.hpp"
#include "datatype/datatype.hpp"
#include "memmodel/memmodel.hpp"

namespace ranklet::api {

// Predefined types are the same objects in all ranks, but their names and attributes are the rank's own. The
// types of MPI_Type_create_f90_* are kept so that equal arguments give the same type (MPI 5.0 §19.1.5).
//
// Thread safety: the lock guards the maps; what they hold stays where it is.
class TypeState {
 public:
  AttributeSet& attributes(Datatype& type);
  std::string name(Datatype& type);
  void set_name(Datatype& type, std::string name);

  // The kept type for these arguments, made by make() the first time.
  template <typename Make>
  Ref<Datatype> keep(Combiner combiner, int precision, int range, Make make)
  {
    const Holder guard(lock_);
    Ref<Datatype>& kept = f90_types_[{combiner, precision, range}];
    if (!kept) kept = make();
    return kept;
  }

 private:
  memmodel::SpinLock<> lock_;
  std::map<const Datatype*, AttributeSet> attributes_ RANKLET_GUARDED_BY(lock_);
  std::map<const Datatype*, std::string> names_ RANKLET_GUARDED_BY(lock_);
  std::map<std::tuple<Combiner, int, int>, Ref<Datatype>> f90_types_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::api
