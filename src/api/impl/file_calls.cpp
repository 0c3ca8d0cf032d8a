// Files as a whole (MPI 5.0 §14.2), views, representations, consistency, error handlers (§14.3, §14.5 to
// §14.7).
#include <algorithm>

#include "api/entry/call.hpp"
#include "api/handles/strings.hpp"
#include "api/impl/impl.hpp"

namespace ranklet::api::impl {

namespace {

static_assert(io::append == MPI_MODE_APPEND && io::create == MPI_MODE_CREATE &&
              io::delete_on_close == MPI_MODE_DELETE_ON_CLOSE && io::excl == MPI_MODE_EXCL &&
              io::rdonly == MPI_MODE_RDONLY && io::rdwr == MPI_MODE_RDWR &&
              io::sequential == MPI_MODE_SEQUENTIAL && io::unique_open == MPI_MODE_UNIQUE_OPEN &&
              io::wronly == MPI_MODE_WRONLY);
static_assert(static_cast<int>(io::Whence::current) == MPI_SEEK_CUR &&
              static_cast<int>(io::Whence::end) == MPI_SEEK_END &&
              static_cast<int>(io::Whence::set) == MPI_SEEK_SET &&
              io::displacement_current == MPI_DISPLACEMENT_CURRENT);

// A type as MPI_File_get_view gives it: the handle is the caller's, but for predefined ones.
Ref<Datatype> type_of_view(Datatype& type)
{
  if (type.is_predefined()) return Ref<Datatype>(type);
  Ref<Datatype> twin = create_twin(type);
  twin->commit();
  return twin;
}

// A handle of a type for the time of a call of the program's function.
class LentType {
 public:
  LentType(RankState& state, const Datatype& type)
      : state_(state), handle_(state.types.put(Ref<Datatype>(const_cast<Datatype&>(type))))
  {
  }
  ~LentType() { state_.types.retire(&handle_); }
  LentType(const LentType&) = delete;
  LentType& operator=(const LentType&) = delete;
  MPI_Datatype handle() const noexcept { return handle_; }

 private:
  RankState& state_;
  MPI_Datatype handle_;
};

void check_conversion(int code, const char* what)
{
  if (code != MPI_SUCCESS)
    fail(ErrorClass::conversion, "the data representation's %s function returned the error code %d", what,
         code);
}

// In portions that the program's function can count.
std::function<void(void*, const Datatype&, Count, void*, Count)> conversion(
    RankState& state, Callback function, void* extra_state, const char* what, const std::string& name)
{
  if (!function.as<void()>()) return {};
  return [&state, function, extra_state, what, name](void* user, const Datatype& type, Count count,
                                                     void* file, Count position) {
    const LentType lent(state, type);
    if (function.large()) {
      check_conversion(function.as<MPI_Datarep_conversion_function_c>()(user, lent.handle(), count, file,
                                                                        position, extra_state),
                       what);
      return;
    }
    const Count element = io::size_in_file(*state.representations.find(name), type);
    for (Count done = 0; done < count;) {
      const Count n = std::min<Count>(count - done, INT_MAX);
      check_conversion(
          function.as<MPI_Datarep_conversion_function>()(
              static_cast<char*>(user) + done * type.extent(), lent.handle(), static_cast<int>(n),
              static_cast<char*>(file) + done * element, position, extra_state),
          what);
      done += n;
    }
  };
}

}  // namespace

void File_open(Rank& self, Communicator& comm, const char* filename, int amode, Info* info, File*& fh)
{
  fh = io::open(comm, filename, amode, info);
  fh->errhandler = self.api->file_handler;
}

void File_close(Rank&, File& fh)
{
  io::close(fh);
}

void File_delete(Rank& self, const char* filename, Info*)
{
  io::remove(self.job, filename);
}

void File_set_size(Rank&, File& fh, Count size)
{
  io::set_size(fh, size);
}

void File_preallocate(Rank&, File& fh, Count size)
{
  io::preallocate(fh, size);
}

void File_get_size(Rank&, File& fh, Count& size)
{
  size = fh.shared().size();
}

void File_get_group(Rank&, File& fh, GroupPtr& group)
{
  group = fh.comm().group();
}

void File_get_amode(Rank&, File& fh, int& amode)
{
  amode = fh.shared().amode;
}

void File_set_info(Rank&, File& fh, Info* info)
{
  if (info) io::keep_hints(fh.hints, *info);
}

void File_get_info(Rank&, File& fh, InfoPtr& info_used)
{
  info_used = std::make_unique<Info>(fh.hints);
  info_used->set(memory_kinds_key, memory_kinds);
}

void File_set_view(Rank& self, File& fh, Count disp, Datatype& etype, Datatype& filetype, const char* datarep,
                   Info* info)
{
  io::set_view(fh, disp, etype, filetype, self.api->representations.find(datarep), info);
}

void File_get_view(Rank&, File& fh, Count& disp, Ref<Datatype>& etype, Ref<Datatype>& filetype, char* datarep)
{
  disp = fh.view->displacement();
  etype = type_of_view(fh.view->etype());
  filetype = type_of_view(fh.view->filetype());
  hand_out(datarep, MPI_MAX_DATAREP_STRING, fh.view->representation().name());
}

void File_seek(Rank&, File& fh, Count offset, int whence)
{
  io::seek(fh, offset, static_cast<io::Whence>(whence));
}

void File_get_position(Rank&, File& fh, Count& offset)
{
  if (fh.shared().amode & io::sequential)
    fail(ErrorClass::unsupported_operation, "the file is open with MPI_MODE_SEQUENTIAL");
  offset = fh.pointer.value();
}

void File_get_byte_offset(Rank&, File& fh, Count offset, Count& disp)
{
  disp = io::byte_offset(fh, offset);
}

void File_seek_shared(Rank&, File& fh, Count offset, int whence)
{
  io::seek_shared(fh, offset, static_cast<io::Whence>(whence));
}

void File_get_position_shared(Rank&, File& fh, Count& offset)
{
  if (fh.shared().amode & io::sequential)
    fail(ErrorClass::unsupported_operation, "the file is open with MPI_MODE_SEQUENTIAL");
  offset = fh.shared().shared_pointer.value();
}

void File_get_type_extent(Rank&, File& fh, Datatype& datatype, Count& extent)
{
  extent = io::type_in_file(fh.view->representation(), datatype)->extent();
}

void Register_datarep(Rank& self, const char* datarep, Callback read_conversion_fn,
                      Callback write_conversion_fn, MPI_Datarep_extent_function* dtype_file_extent_fn,
                      void* extra_state)
{
  RankState& state = *self.api;
  io::Conversions conversions;
  conversions.read = conversion(state, read_conversion_fn, extra_state, "read conversion", datarep);
  conversions.write = conversion(state, write_conversion_fn, extra_state, "write conversion", datarep);
  conversions.extent = [&state, dtype_file_extent_fn, extra_state](const Datatype& type) {
    const LentType lent(state, type);
    MPI_Aint extent = 0;
    check_conversion(dtype_file_extent_fn(lent.handle(), &extent, extra_state), "extent");
    return static_cast<Count>(extent);
  };
  state.representations.add(datarep, std::move(conversions));
}

void File_set_atomicity(Rank&, File& fh, bool flag)
{
  io::set_atomicity(fh, flag);
}

void File_get_atomicity(Rank&, File& fh, bool& flag)
{
  flag = fh.atomic;
}

void File_sync(Rank&, File& fh)
{
  io::sync(fh);
}

// The handler of MPI_FILE_NULL is what failing opens and new files use (§14.7).
void File_set_errhandler(Rank& self, File* file, const ErrhandlerPtr& errhandler)
{
  if (!errhandler->serves(Subject::file))
    fail(ErrorClass::errhandler, "the error handler was not made for files");
  (file ? file->errhandler : self.api->file_handler) = errhandler;
}

void File_get_errhandler(Rank& self, File* file, ErrhandlerPtr& errhandler)
{
  errhandler = file ? file->errhandler : self.api->file_handler;
}

void File_call_errhandler(Rank& self, File* fh, int errorcode)
{
  self.api->codes.class_of(errorcode);  // throws if it is no code
  const ErrhandlerPtr handler = fh ? fh->errhandler : self.api->file_handler;
  const auto handle = fh ? handle_value(self.api->files.handle_of(*fh)) : handle_value(MPI_FILE_NULL);
  call_errhandler(*self.api, handler.get(), Subject::file, handle, errorcode);
}

}  // namespace ranklet::api::impl
