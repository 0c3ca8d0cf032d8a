// Making windows and asking about them (MPI 5.0 §12.2), their names and error handlers (§7.8, §9.3).
#include "api/entry/call.hpp"
#include "api/handles/strings.hpp"
#include "api/impl/impl.hpp"

namespace ranklet::api::impl {

namespace {

static_assert(static_cast<int>(rma::Flavor::create) == MPI_WIN_FLAVOR_CREATE &&
              static_cast<int>(rma::Flavor::allocate) == MPI_WIN_FLAVOR_ALLOCATE &&
              static_cast<int>(rma::Flavor::dynamic) == MPI_WIN_FLAVOR_DYNAMIC &&
              static_cast<int>(rma::Flavor::shared) == MPI_WIN_FLAVOR_SHARED);

// A new window has the handler MPI_ERRORS_ARE_FATAL (§12.6.1), which null stands for.
Window* finish(Window* window)
{
  window->model = MPI_WIN_UNIFIED;
  return window;
}

}  // namespace

void Win_create(Rank&, void* base, Count size, Count disp_unit, Info* info, Communicator& comm, Window*& win)
{
  win = finish(rma::create(comm, base, size, disp_unit, info));
}

void Win_allocate(Rank&, Count size, Count disp_unit, Info* info, Communicator& comm, void*& baseptr,
                  Window*& win)
{
  win = finish(rma::allocate(comm, size, disp_unit, info, false));
  baseptr = win->own().base;
}

void Win_allocate_shared(Rank&, Count size, Count disp_unit, Info* info, Communicator& comm, void*& baseptr,
                         Window*& win)
{
  win = finish(rma::allocate(comm, size, disp_unit, info, true));
  baseptr = win->own().base;
}

void Win_shared_query(Rank&, Window& win, int rank, Count& size, Count& disp_unit, void*& baseptr)
{
  const rma::Segment segment = rma::query(win, rank);
  size = segment.size;
  disp_unit = segment.disp_unit;
  baseptr = segment.base;
}

void Win_create_dynamic(Rank&, Info* info, Communicator& comm, Window*& win)
{
  win = finish(rma::create_dynamic(comm, info));
}

void Win_attach(Rank&, Window& win, void* base, Count size)
{
  rma::attach(win, base, size);
}

void Win_detach(Rank&, Window& win, const void* base)
{
  rma::detach(win, base);
}

void Win_free(Rank&, Window& win)
{
  rma::free(win);
}

void Win_get_group(Rank&, Window& win, GroupPtr& group)
{
  group = win.comm().group();
}

void Win_set_info(Rank&, Window& win, Info* info)
{
  if (info) win.hints.set(*info, false);
}

void Win_get_info(Rank&, Window& win, InfoPtr& info_used)
{
  info_used = std::make_unique<Info>(win.hints.info());
  info_used->set(memory_kinds_key, memory_kinds);
}

void Win_set_name(Rank&, Window& win, const char* win_name)
{
  win.name = win_name;
}

void Win_get_name(Rank&, Window* win, char* win_name, int& resultlen)
{
  resultlen = hand_out(win_name, MPI_MAX_OBJECT_NAME, win ? win->name : "MPI_WIN_NULL");
}

void Win_set_errhandler(Rank&, Window& win, const ErrhandlerPtr& errhandler)
{
  if (!errhandler->serves(Subject::win))
    fail(ErrorClass::errhandler, "the error handler was not made for windows");
  win.errhandler = errhandler;
}

void Win_get_errhandler(Rank& self, Window& win, ErrhandlerPtr& errhandler)
{
  errhandler = win.errhandler ? win.errhandler : self.api->errhandlers.get(MPI_ERRORS_ARE_FATAL, "");
}

void Win_call_errhandler(Rank& self, Window& win, int errorcode)
{
  self.api->codes.class_of(errorcode);  // throws if it is no code
  const ErrhandlerPtr handler = win.errhandler;
  call_errhandler(*self.api, handler.get(), Subject::win, handle_value(self.api->wins.handle_of(win)),
                  errorcode);
}

}  // namespace ranklet::api::impl
