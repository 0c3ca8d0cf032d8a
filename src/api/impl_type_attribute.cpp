// Attributes of datatypes (MPI 5.0 §7.7.4).
#include "api/impl.hpp"

namespace ranklet::api::impl {

namespace {

// A key with the program's functions.
class TypeKeyval : public Keyval {
 public:
  TypeKeyval(RankState& state, MPI_Type_copy_attr_function* copy_fn, MPI_Type_delete_attr_function* delete_fn,
             void* extra_state)
      : Keyval(Kind::datatype), state_(state), copy_(copy_fn), delete_(delete_fn), extra_state_(extra_state)
  {
  }

  int copy(void* object, void* value, void** copy, bool* wanted) override
  {
    *wanted = false;
    if (copy_ == MPI_TYPE_NULL_COPY_FN) return MPI_SUCCESS;
    if (copy_ == MPI_TYPE_DUP_FN) {
      *wanted = true;
      *copy = value;
      return MPI_SUCCESS;
    }
    int flag = 0;
    const int code = copy_(handle(object), number(), extra_state_, value, copy, &flag);
    *wanted = flag != 0;
    return code;
  }

  int remove(void* object, void* value) override
  {
    if (delete_ == MPI_TYPE_NULL_DELETE_FN) return MPI_SUCCESS;
    return delete_(handle(object), number(), value, extra_state_);
  }

 private:
  MPI_Datatype handle(void* object) { return state_.types.handle_of(*static_cast<Datatype*>(object)); }

  RankState& state_;
  MPI_Type_copy_attr_function* const copy_;
  MPI_Type_delete_attr_function* const delete_;
  void* const extra_state_;
};

KeyvalPtr find(Rank& self, int keyval)
{
  return self.comm->keyvals.find(keyval, Keyval::Kind::datatype);
}

}  // namespace

void Type_create_keyval(Rank& self, MPI_Type_copy_attr_function* type_copy_attr_fn,
                        MPI_Type_delete_attr_function* type_delete_attr_fn, int& type_keyval,
                        void* extra_state)
{
  type_keyval = self.comm->keyvals.add(
      std::make_shared<TypeKeyval>(*self.api, type_copy_attr_fn, type_delete_attr_fn, extra_state));
}

void Type_free_keyval(Rank& self, int& type_keyval)
{
  self.comm->keyvals.remove(type_keyval, Keyval::Kind::datatype);
  type_keyval = MPI_KEYVAL_INVALID;
}

void Type_set_attr(Rank& self, Datatype& datatype, int type_keyval, void* attribute_val)
{
  self.api->type_state.attributes(datatype).set(&datatype, find(self, type_keyval), attribute_val);
}

void Type_get_attr(Rank& self, Datatype& datatype, int type_keyval, void*& attribute_val, bool& flag)
{
  const std::optional<void*> value = self.api->type_state.attributes(datatype).get(*find(self, type_keyval));
  flag = value.has_value();
  if (value) attribute_val = *value;
}

void Type_delete_attr(Rank& self, Datatype& datatype, int type_keyval)
{
  self.api->type_state.attributes(datatype).remove(&datatype, *find(self, type_keyval));
}

}  // namespace ranklet::api::impl
