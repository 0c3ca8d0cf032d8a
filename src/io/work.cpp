#include "io/work.hpp"

#include <cerrno>
#include <new>
#include <system_error>

#include "base/byte_at.hpp"
#include "datatype/checked.hpp"

namespace ranklet::io {

namespace {

// Moves a portion with data that is not one run. Returns the errno of its failure; 0: none.
int write_pieces(const FileShared& shared, Portion& portion)
{
  Portion rest = portion;
  if (shared.mappings) rest.from = shared.mappings->store(shared.descriptor, portion);
  const int number = rest.from < rest.to
                         ? shared.inode->writers.write(shared.medium(), rest, shared.files.wait_policy())
                         : 0;
  portion.done = rest.from - portion.from + rest.done;
  portion.cut = rest.cut;
  return number;
}

void check_mode(const FileShared& shared, const AccessCall& call)
{
  if (call.direction == Direction::read && (shared.amode & wronly))
    fail(ErrorClass::access, "the file is open with MPI_MODE_WRONLY");
  if (call.direction == Direction::write && (shared.amode & rdonly))
    fail(ErrorClass::read_only, "the file is open with MPI_MODE_RDONLY");
  if (call.pointer != Pointer::shared && (shared.amode & sequential))
    fail(ErrorClass::unsupported_operation,
         "a file open with MPI_MODE_SEQUENTIAL is accessed by its shared file pointer only");
}

}  // namespace

void Work::prepare(File& file, const AccessCall& call, bool ordered)
{
  FileShared& shared = file.shared();
  check_mode(shared, call);
  const ViewPtr view = file.view;
  const Representation& representation = view->representation();
  if (call.pointer == Pointer::given && call.offset < 0)
    fail(ErrorClass::arg, "the offset %lld is negative", static_cast<long long>(call.offset));
  element_in_file_ = size_in_file(representation, *call.type);
  const Count bytes = checked_mul(call.count, element_in_file_);
  if (bytes > 0 && !view->has_data()) fail(ErrorClass::arg, "the filetype of the view has no data");
  if (bytes > 0 && bytes % view->etype_size() != 0)
    fail(ErrorClass::arg, "%lld bytes are not a whole number of etypes of %lld bytes",
         static_cast<long long>(bytes), static_cast<long long>(view->etype_size()));
  if (direction_ == Direction::write && bytes > 0 && !view->is_writable())
    fail(ErrorClass::arg, "the filetype's data overlaps, and cannot be written through");
  buffer_ = call.buffer;
  count_ = call.count;
  type_ = Ref<const Datatype>(*call.type);
  access.view = view;
  access.bytes = bytes;
  if (representation.is_native() || bytes == 0) {
    access.buffer = call.buffer;
    access.count = call.count;
    access.type = call.type;
  } else {
    needs_owner_ = direction_ == Direction::read && representation.converts_by_callback();
    converted_ = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
    if (direction_ == Direction::write)
      representation.write(call.buffer, call.count, *call.type, converted_.get());
    access.buffer = converted_.get();
    access.count = bytes;
    access.type = &predefined(Basic::byte);
  }
  if (ordered) return;
  Count at = call.offset;
  if (call.pointer == Pointer::own) at = file.pointer.add(etypes()) - etypes();
  if (call.pointer == Pointer::shared) at = shared.shared_pointer.add(etypes()) - etypes();
  place_at(at);
}

Count Work::etypes() const noexcept
{
  return access.bytes > 0 ? access.bytes / access.view->etype_size() : 0;
}

void Work::place_at(Count etypes)
{
  if (access.bytes == 0) return;
  access.begin = checked_mul(etypes, access.view->etype_size());
  extent();  // fits 64 bits
}

Work::Extent Work::extent() const
{
  if (access.bytes == 0) return {0, 0};
  const Count last = checked_add(access.begin, access.bytes - 1);
  return {access.view->place_of(access.begin), checked_add(access.view->place_of(last), 1)};
}

void Work::run(const FileShared& shared)
{
  if (access.bytes == 0 || error_) return;
  try {
    std::optional<RangeLocks::Hold> hold;
    if (atomic_) {
      const Extent range = extent();
      hold.emplace(shared.inode->locks, range.begin, range.end, direction_ == Direction::write);
    }
    Portion portion{&access, 0, access.bytes};
    const Medium medium = shared.medium();
    if (!move_run(medium, direction_, portion, &number))
      number = direction_ == Direction::write ? write_pieces(shared, portion)
                                              : transfer(medium, direction_, {&portion, 1});
    done = portion.done;
  } catch (const std::bad_alloc&) {
    number = ENOMEM;
  }
}

Count Work::whole_elements() const
{
  return element_in_file_ > 0 ? done / element_in_file_ : 0;
}

void Work::convert()
{
  if (!converted_ || direction_ == Direction::write || done == 0) return;
  const Representation& representation = access.view->representation();
  const Count whole = whole_elements(), in_file = whole * element_in_file_;
  representation.read(buffer_, whole, *type_, converted_.get());
  if (in_file < done)
    part_ = representation.read_part(byte_at(static_cast<char*>(buffer_), whole * type_->extent()), *type_,
                                     converted_.get() + in_file, done - in_file);
}

void Work::fill(Status& status) const
{
  status = Status{};
  status.bytes = !type_ ? 0 : converted_ ? whole_elements() * type_->size() + part_ : done;
}

Error Work::error(const std::string& path) const
{
  if (error_) return *error_;
  const std::string doing = direction_ == Direction::read ? "reading " : "writing ";
  return Error(class_of(number), doing + path + ": " + std::generic_category().message(number) + ", after " +
                                     std::to_string(done) + " of " + std::to_string(access.bytes) + " bytes");
}

}  // namespace ranklet::io
