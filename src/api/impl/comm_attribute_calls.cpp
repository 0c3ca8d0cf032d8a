// Attributes of communicators (MPI 5.0 §7.7.2) and the predefined ones (§9.1.2, §11.10).
#include "api/impl/impl.hpp"
#include "api/impl/user_keyval.hpp"

namespace ranklet::api::impl {

namespace {

KeyvalPtr comm_key(Rank& self, int keyval)
{
  return self.comm->keyvals.find(keyval, Keyval::Kind::communicator);
}

// Null for a key that is not predefined.
int* predefined_attribute(Rank& self, int keyval)
{
  switch (keyval) {
    case MPI_TAG_UB:
      return &self.comm->tag_ub;
    case MPI_IO:
      return &self.comm->io;
    case MPI_HOST:
      return &self.comm->host;
    case MPI_WTIME_IS_GLOBAL:
      return &self.comm->wtime_is_global;
    case MPI_APPNUM:
      return &self.comm->appnum;
    case MPI_LASTUSEDCODE:
      return &self.comm->last_used_code;
    case MPI_UNIVERSE_SIZE:
      return &self.comm->universe_size;
    default:
      return nullptr;
  }
}

void check_own_comm_key(Rank& self, int keyval)
{
  if (predefined_attribute(self, keyval)) fail(ErrorClass::keyval, "predefined attributes cannot be changed");
}

}  // namespace

void Comm_create_keyval(Rank& self, MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                        MPI_Comm_delete_attr_function* comm_delete_attr_fn, int& comm_keyval,
                        void* extra_state)
{
  comm_keyval = self.comm->keyvals.add(make_keyval<Communicator>(Keyval::Kind::communicator, self.api->comms,
                                                                 comm_copy_attr_fn, MPI_COMM_DUP_FN,
                                                                 comm_delete_attr_fn, extra_state));
}

void Comm_free_keyval(Rank& self, int& comm_keyval)
{
  self.comm->keyvals.remove(comm_keyval, Keyval::Kind::communicator);
  comm_keyval = MPI_KEYVAL_INVALID;
}

void Comm_set_attr(Rank& self, Communicator& comm, int comm_keyval, void* attribute_val)
{
  check_own_comm_key(self, comm_keyval);
  comm.attributes.set(&comm, comm_key(self, comm_keyval), attribute_val);
}

void Comm_get_attr(Rank& self, Communicator& comm, int comm_keyval, void*& attribute_val, bool& flag)
{
  if (int* const value = predefined_attribute(self, comm_keyval)) {
    attribute_val = value;
    flag = true;
    return;
  }
  const std::optional<void*> value = comm.attributes.get(*comm_key(self, comm_keyval));
  flag = value.has_value();
  if (value) attribute_val = *value;
}

void Comm_delete_attr(Rank& self, Communicator& comm, int comm_keyval)
{
  check_own_comm_key(self, comm_keyval);
  comm.attributes.remove(&comm, *comm_key(self, comm_keyval));
}

}  // namespace ranklet::api::impl
