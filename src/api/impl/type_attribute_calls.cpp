// Attributes of datatypes (MPI 5.0 §7.7.4).
#include "api/impl/impl.hpp"
#include "api/impl/user_keyval.hpp"

namespace ranklet::api::impl {

namespace {

KeyvalPtr type_key(Rank& self, int keyval)
{
  return self.comm->keyvals.find(keyval, Keyval::Kind::datatype);
}

}  // namespace

void Type_create_keyval(Rank& self, MPI_Type_copy_attr_function* type_copy_attr_fn,
                        MPI_Type_delete_attr_function* type_delete_attr_fn, int& type_keyval,
                        void* extra_state)
{
  type_keyval =
      self.comm->keyvals.add(make_keyval<Datatype>(Keyval::Kind::datatype, self.api->types, type_copy_attr_fn,
                                                   MPI_TYPE_DUP_FN, type_delete_attr_fn, extra_state));
}

void Type_free_keyval(Rank& self, int& type_keyval)
{
  self.comm->keyvals.remove(type_keyval, Keyval::Kind::datatype);
  type_keyval = MPI_KEYVAL_INVALID;
}

void Type_set_attr(Rank& self, Datatype& datatype, int type_keyval, void* attribute_val)
{
  self.api->type_state.attributes(datatype).set(&datatype, type_key(self, type_keyval), attribute_val);
}

void Type_get_attr(Rank& self, Datatype& datatype, int type_keyval, void*& attribute_val, bool& flag)
{
  const std::optional<void*> value =
      self.api->type_state.attributes(datatype).get(*type_key(self, type_keyval));
  flag = value.has_value();
  if (value) attribute_val = *value;
}

void Type_delete_attr(Rank& self, Datatype& datatype, int type_keyval)
{
  self.api->type_state.attributes(datatype).remove(&datatype, *type_key(self, type_keyval));
}

}  // namespace ranklet::api::impl
