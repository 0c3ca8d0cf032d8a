#include "libc/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "terms/error.hpp"

namespace ranklet::loader {

namespace {

bool same_file(int a, int b)
{
  struct stat left, right;
  return ::fstat(a, &left) == 0 && ::fstat(b, &right) == 0 && left.st_dev == right.st_dev &&
         left.st_ino == right.st_ino;
}

void note_loss(OutputDevice& device, const std::string& name, std::vector<std::string>& losses)
{
  if (const int error = device.lost(); error != 0)
    losses.push_back("output to " + name + " was lost: " + std::strerror(error));
}

}  // namespace

JobOutput::Streams::Streams(int out_descriptor, int err_descriptor, bool owned)
    : out(std::make_unique<OutputDevice>(out_descriptor, owned))
{
  if (!same_file(out_descriptor, err_descriptor))
    err = std::make_unique<OutputDevice>(err_descriptor, owned);
  else if (owned)
    ::close(err_descriptor);
}

std::vector<std::string> JobOutput::Streams::losses() const
{
  std::vector<std::string> result;
  note_loss(*out, "standard output", result);
  if (err) note_loss(*err, "standard error", result);
  return result;
}

JobOutput::JobOutput(const std::vector<RankOutputSettings>& ranks, int out_descriptor, int err_descriptor,
                     std::chrono::milliseconds patience)
    : own_(out_descriptor, err_descriptor, false), late_(patience)
{
  assemblers_.resize(ranks.size() * 2);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    make_assembler(rank * 2, ranks[rank], own_streams, ranks.size() > 1 ? &late_ : nullptr);
}

void JobOutput::make_assembler(std::size_t index, const RankOutputSettings& rank, int streams,
                               LateLines* late)
{
  for (std::size_t stream = 0; stream < 2; ++stream) {
    const std::size_t from = rank.error_to_output ? 0 : stream;
    OutputDevice* device = from == 1 ? &streams_of(streams).error() : streams_of(streams).out.get();
    if (!rank.file[from].empty()) device = &open_device(rank.file[from], streams);
    assemblers_[index + stream] =
        std::make_unique<LineAssembler>(*device, rank.prefix[stream], rank.timestamp, late);
  }
}

int JobOutput::add_streams(int out_descriptor, int err_descriptor)
{
  auto streams = std::make_unique<const Streams>(out_descriptor, err_descriptor, true);
  const Holder guard(mutex_);
  auto place = std::ranges::find_if(others_, [](const auto& one) { return !one; });
  if (place == others_.end()) place = others_.insert(place, nullptr);
  *place = std::move(streams);
  return static_cast<int>(place - others_.begin()) + 1;
}

std::vector<std::string> JobOutput::end_streams(int streams)
{
  const Holder guard(mutex_);
  const Streams& ended = streams_of(streams);
  std::vector<std::string> losses = losses_of(streams);
  ended.out->end();
  if (ended.err) ended.err->end();
  return losses;
}

void JobOutput::remove_streams(int streams)
{
  const Holder guard(mutex_);
  std::erase_if(files_, [streams](const OutputFile& file) { return file.streams == streams; });
  others_[static_cast<std::size_t>(streams - 1)].reset();
}

int JobOutput::add(const std::vector<RankOutputSettings>& ranks, int streams)
{
  const Holder guard(mutex_);
  // The first place that is long enough, if need be at the end.
  std::size_t first = 0;
  for (std::size_t i = 0; i < assemblers_.size() && i - first < ranks.size() * 2; ++i)
    if (assemblers_[i]) first = i + 1;
  assemblers_.resize(std::max(assemblers_.size(), first + ranks.size() * 2));
  for (std::size_t i = 0; i < ranks.size(); ++i) make_assembler(first + i * 2, ranks[i], streams, &late_);
  return static_cast<int>(first / 2);
}

void JobOutput::remove(int first, int ranks)
{
  const Holder guard(mutex_);
  for (int i = first * 2; i < (first + ranks) * 2; ++i) {
    auto& assembler = assemblers_[static_cast<std::size_t>(i)];
    assembler->flush();
    late_.forget(*assembler);
    assembler.reset();
  }
}

JobOutput::~JobOutput()
{
  flush();
}

OutputDevice& JobOutput::open_device(const std::string& path, int streams)
{
  for (const OutputFile& file : files_)
    if (file.path == path && file.streams == streams) return *file.device;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const ErrorClass reason = errno == ENOENT   ? ErrorClass::no_such_file
                              : errno == EACCES ? ErrorClass::access
                                                : ErrorClass::file;
    fail(reason, "cannot create the output file %s: %s", path.c_str(), std::strerror(errno));
  }
  files_.push_back({path, streams, std::make_unique<OutputDevice>(descriptor, true)});
  return *files_.back().device;
}

LineAssembler& JobOutput::assembler(int rank, Stream stream) noexcept
{
  const Holder guard(mutex_);
  return *assemblers_[static_cast<std::size_t>(rank) * 2 + static_cast<std::size_t>(stream)];
}

void JobOutput::note(std::string_view lines)
{
  own_.error().emit(this, lines, {}, false);
}

void JobOutput::note_once(std::string_view lines)
{
  std::call_once(noted_, [&] { note(lines); });
}

void JobOutput::flush()
{
  const Holder guard(mutex_);
  for (auto& assembler : assemblers_)
    if (assembler) assembler->flush();
}

void JobOutput::flush(int first, int ranks)
{
  for (int rank = first; rank < first + ranks; ++rank)
    for (const Stream stream : {Stream::out, Stream::err}) assembler(rank, stream).flush();
}

std::vector<std::string> JobOutput::losses()
{
  const Holder guard(mutex_);
  return losses_of(own_streams);
}

std::vector<std::string> JobOutput::losses_of(int streams)
{
  std::vector<std::string> result = streams_of(streams).losses();
  for (const OutputFile& file : files_)
    if (file.streams == streams) note_loss(*file.device, file.path, result);
  return result;
}

void JobOutput::flush_after_crash(Patience& patience) noexcept
{
  if (!patience.until([&] { return mutex_.try_lock(); })) return;
  const Holder guard(mutex_, std::adopt_lock);
  for (auto& assembler : assemblers_) {
    if (!assembler || !patience.until([&] { return assembler->mutex_.try_lock(); })) continue;
    std::string_view rest = assembler->partial_;
    OutputDevice& device = *assembler->device_;
    if (!rest.empty() && patience.until([&] { return device.mutex_.try_lock(); })) {
      // Straight to the descriptor: the memory for a batch with prefixes may not be available any more.
      if (device.open_line_ != nullptr && device.open_line_ != assembler.get()) device.write("\n");
      if (device.open_line_ != assembler.get()) device.write(assembler->prefix_);
      device.write(rest);
      device.open_line_ = assembler.get();
      device.mutex_.unlock();
      assembler->partial_.clear();
    }
    assembler->mutex_.unlock();
  }
}

std::unique_lock<Mutex> JobOutput::hold_notes() noexcept
{
  OutputDevice& device = own_.error();
  std::unique_lock<Mutex> lock;
  Patience patience(std::chrono::milliseconds(200));
  if (patience.until([&] { return device.mutex_.try_lock(); }))
    lock = std::unique_lock(device.mutex_, std::adopt_lock);
  if (device.open_line_ != nullptr) device.write("\n");
  device.open_line_ = nullptr;
  return lock;
}

void JobOutput::reset_in_child() noexcept
{
  // Threads of the parent may have held the locks; here no thread will release them.
  const auto renew = [](OutputDevice* device) {
    if (device != nullptr) new (&device->mutex_) Mutex;
  };
  new (&mutex_) Mutex;
  const auto renew_both = [&](const Streams& streams) {
    renew(streams.out.get());
    renew(streams.err.get());
  };
  renew_both(own_);
  for (const auto& streams : others_)
    if (streams) renew_both(*streams);
  for (const OutputFile& file : files_) renew(file.device.get());
  for (auto& assembler : assemblers_) {
    if (!assembler) continue;
    new (&assembler->mutex_) Mutex;
    assembler->late_ = nullptr;
    // If a thread was appending, the string may be half changed: leave it, and start with a new one.
    new (&assembler->partial_) std::string;
  }
}

}  // namespace ranklet::loader
