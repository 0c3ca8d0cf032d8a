// Attributes of windows (MPI 5.0 §7.7.3) and the predefined ones (§12.2.7).
#include "api/impl/impl.hpp"
#include "api/impl/user_keyval.hpp"

namespace ranklet::api::impl {

namespace {

KeyvalPtr win_key(Rank& self, int keyval)
{
  return self.comm->keyvals.find(keyval, Keyval::Kind::window);
}

// What the call gives for a predefined key: an address for numbers, the base itself. False for other keys.
bool find_predefined(Window& window, int keyval, void*& value)
{
  switch (keyval) {
    case MPI_WIN_BASE:
      value = window.own().base;
      return true;
    case MPI_WIN_SIZE:
      value = &window.own_size;
      return true;
    case MPI_WIN_DISP_UNIT:
      value = &window.own_disp_unit;
      return true;
    case MPI_WIN_CREATE_FLAVOR:
      value = &window.flavor;
      return true;
    case MPI_WIN_MODEL:
      value = &window.model;
      return true;
    default:
      return false;
  }
}

void check_own_win_key(Window& window, int keyval)
{
  void* value = nullptr;
  if (find_predefined(window, keyval, value))
    fail(ErrorClass::keyval, "predefined attributes cannot be changed");
}

}  // namespace

void Win_create_keyval(Rank& self, MPI_Win_copy_attr_function* win_copy_attr_fn,
                       MPI_Win_delete_attr_function* win_delete_attr_fn, int& win_keyval, void* extra_state)
{
  win_keyval =
      self.comm->keyvals.add(make_keyval<Window>(Keyval::Kind::window, self.api->wins, win_copy_attr_fn,
                                                 MPI_WIN_DUP_FN, win_delete_attr_fn, extra_state));
}

void Win_free_keyval(Rank& self, int& win_keyval)
{
  self.comm->keyvals.remove(win_keyval, Keyval::Kind::window);
  win_keyval = MPI_KEYVAL_INVALID;
}

void Win_set_attr(Rank& self, Window& win, int win_keyval, void* attribute_val)
{
  check_own_win_key(win, win_keyval);
  win.attributes.set(&win, win_key(self, win_keyval), attribute_val);
}

void Win_get_attr(Rank& self, Window& win, int win_keyval, void*& attribute_val, bool& flag)
{
  flag = find_predefined(win, win_keyval, attribute_val);
  if (flag) return;
  const std::optional<void*> value = win.attributes.get(*win_key(self, win_keyval));
  flag = value.has_value();
  if (value) attribute_val = *value;
}

void Win_delete_attr(Rank& self, Window& win, int win_keyval)
{
  check_own_win_key(win, win_keyval);
  win.attributes.remove(&win, *win_key(self, win_keyval));
}

}  // namespace ranklet::api::impl
