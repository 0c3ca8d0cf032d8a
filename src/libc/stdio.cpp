#include "libc/stdio.hpp"

#include <fcntl.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

// A FILE's cookie: whose descriptors, and which one. The FILE frees it when it is closed.
struct Channel {
  Descriptors* descriptors;
  int descriptor;
};

ssize_t channel_read(void* cookie, char* bytes, std::size_t size)
{
  const auto* channel = static_cast<Channel*>(cookie);
  if (channel->descriptor == 0) {
    // A program that asks and waits for the answer (stdin and stdout are line-buffered on a terminal).
    LibcState* const state = current_libc();
    if (state != nullptr && &state->descriptors == channel->descriptors) std::fflush(state->stdio.out());
  }
  if (!channel->descriptors->owns(channel->descriptor)) return ::read(channel->descriptor, bytes, size);
  return channel->descriptors->read(channel->descriptor, bytes, size);
}

ssize_t channel_write(void* cookie, const char* bytes, std::size_t size)
{
  const auto* channel = static_cast<Channel*>(cookie);
  // Not owned: in the child of a fork, where the kernel's descriptors are right.
  const ssize_t written = channel->descriptors->owns(channel->descriptor)
                              ? channel->descriptors->write(channel->descriptor, bytes, size)
                              : ::write(channel->descriptor, bytes, size);
  return written < 0 ? 0 : written;  // fopencookie(3): a write function reports errors as 0
}

int channel_seek(void* cookie, off64_t* offset, int whence)
{
  const auto* channel = static_cast<Channel*>(cookie);
  const off_t place = channel->descriptors->owns(channel->descriptor)
                          ? channel->descriptors->seek(channel->descriptor, *offset, whence)
                          : ::lseek(channel->descriptor, *offset, whence);
  if (place < 0) return -1;
  *offset = place;
  return 0;
}

int channel_close(void* cookie)
{
  auto* channel = static_cast<Channel*>(cookie);
  const int result =
      channel->descriptors->owns(channel->descriptor) ? channel->descriptors->close(channel->descriptor) : 0;
  delete channel;
  return result;
}

std::FILE* make_file(Descriptors& descriptors, int descriptor, const char* mode)
{
  auto* const channel = new Channel{&descriptors, descriptor};
  std::FILE* const file =
      ::fopencookie(channel, mode, {&channel_read, &channel_write, &channel_seek, &channel_close});
  if (file == nullptr) {
    delete channel;
    return nullptr;
  }
  // What fileno() returns. Nothing else in glibc looks at it while the FILE has a cookie.
  file->_fileno = descriptor;
  return file;
}

// open(2)'s flags for a mode of fopen(3); -1 with errno.
int flags_of_mode(const char* mode)
{
  int flags;
  switch (*mode) {
    case 'r':
      flags = O_RDONLY;
      break;
    case 'w':
      flags = O_WRONLY | O_CREAT | O_TRUNC;
      break;
    case 'a':
      flags = O_WRONLY | O_CREAT | O_APPEND;
      break;
    default:
      errno = EINVAL;
      return -1;
  }
  for (const char* letter = mode + 1; *letter != '\0' && *letter != ','; ++letter) {
    if (*letter == '+') flags = (flags & ~O_ACCMODE) | O_RDWR;
    if (*letter == 'x') flags |= O_EXCL;
  }
  return flags;
}

}  // namespace

Stdio::Stdio(Descriptors& descriptors, const LibcVariables& variables)
    : descriptors_(descriptors),
      in_(variables.in),
      out_(variables.out),
      err_(variables.err),
      files_{make_file(descriptors, 0, "r"), make_file(descriptors, 1, "w"), make_file(descriptors, 2, "w")}
{
  if (std::ranges::find(files_, nullptr) != files_.end()) {
    for (std::FILE* file : files_)
      if (file != nullptr) std::fclose(file);
    throw std::bad_alloc();
  }
  std::setvbuf(files_[1], nullptr, _IOLBF, 0);
  std::setvbuf(files_[2], nullptr, _IONBF, 0);
  *in_ = files_[0];
  *out_ = files_[1];
  *err_ = files_[2];
}

Stdio::~Stdio()
{
  // A buffer that the program gave away (setvbuf) may be gone; what was in it went out with flush().
  for (std::FILE* file : files_) std::fclose(file);
}

int Stdio::descriptor_of(const std::FILE* file) const noexcept
{
  const auto found = std::find(files_.begin(), files_.end(), file);
  return found == files_.end() ? -1 : static_cast<int>(found - files_.begin());
}

std::FILE* Stdio::open(int descriptor, const char* mode)
{
  std::FILE* const file = make_file(descriptors_, descriptor, mode);
  if (file != nullptr && *mode != 'r') std::setvbuf(file, nullptr, _IOLBF, 0);
  return file;
}

void Stdio::flush()
{
  for (std::FILE* file : {out(), err(), files_[1], files_[2]}) std::fflush(file);
}

void Stdio::try_flush(Patience& patience) noexcept
{
  // A handler that ends the rank may have interrupted its writing, and has the stream's recursive lock then.
  if (!descriptors_.are_streams_free(patience)) return;
  for (std::FILE* file : {files_[1], files_[2]}) {
    if (!patience.until([file] { return ::ftrylockfile(file) == 0; })) continue;
    ::fflush_unlocked(file);
    ::funlockfile(file);
  }
}

namespace {

// The rank's stream (0 to 2) behind the FILE, or -1.
int own_stream(const LibcState* state, const std::FILE* file)
{
  return state == nullptr ? -1 : state->stdio.descriptor_of(file);
}

int rank_fclose(std::FILE* file)
{
  LibcState* const state = current_libc();
  const int stream = own_stream(state, file);
  if (stream < 0) return std::fclose(file);
  // libc's own three are never freed either: later calls on them fail, and do no harm.
  const int flushed = std::fflush(file);
  const int closed = state->descriptors.close(stream);
  return flushed != 0 || closed != 0 ? EOF : 0;
}

// On one of the three the descriptor changes its meaning, as in a process: what goes through write(1)
// follows.
std::FILE* rank_freopen(const char* path, const char* mode, std::FILE* file)
{
  LibcState* const state = current_libc();
  const int stream = own_stream(state, file);
  if (stream < 0) return std::freopen(path, mode, file);
  std::fflush(file);
  std::clearerr(file);
  if (path == nullptr) return file;  // only asks for another mode
  const int flags = flags_of_mode(mode);
  const int opened = flags < 0 ? -1 : ::open(path, flags | O_CLOEXEC, 0666);
  if (opened < 0) {
    const int error = errno;
    state->descriptors.close(stream);  // freopen closes the file whatever comes
    errno = error;
    return nullptr;
  }
  state->descriptors.redirect(stream, opened);
  if (stream == 0) ::__fpurge(file);
  if (stream == 1 && ::isatty(opened) == 0) std::setvbuf(file, nullptr, _IOFBF, 0);
  return file;
}

int rank_fflush(std::FILE* file)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return std::fflush(file);
  if (file == nullptr) {
    state->stdio.flush();
    state->descriptors.flush_to_terminal(1);
    // In a child, the other FILEs' contents are the parent's to write.
    if (state->children.in_child()) return 0;
    // The rank's other files are in libc's one list with those of all ranks. A FILE on which a rank waits for
    // input is locked, and libc would wait for it.
    return state->descriptors.input().has_waiting_reader() ? 0 : std::fflush(nullptr);
  }
  const int result = std::fflush(file);
  if (own_stream(state, file) == 1) state->descriptors.flush_to_terminal(1);
  return result;
}

int rank_fflush_unlocked(std::FILE* file)
{
  LibcState* const state = current_libc();
  if (state == nullptr || file == nullptr) return rank_fflush(file);
  const int result = ::fflush_unlocked(file);
  if (own_stream(state, file) == 1) state->descriptors.flush_to_terminal(1);
  return result;
}

std::FILE* rank_fdopen(int descriptor, const char* mode)
{
  LibcState* const state = current_libc();
  if (state == nullptr || !state->descriptors.owns(descriptor)) return ::fdopen(descriptor, mode);
  if (state->descriptors.real_descriptor(descriptor) >= 0) return state->stdio.open(descriptor, mode);
  errno = EBADF;
  return nullptr;
}

int rank_fcloseall()
{
  // Closing would hit all ranks' files.
  return rank_fflush(nullptr);
}

const Override stdio_table[] = {
    override_with("fclose", &rank_fclose),
    override_with("_IO_fclose", &rank_fclose),
    override_with("freopen", &rank_freopen),
    override_with("freopen64", &rank_freopen),
    override_with("fflush", &rank_fflush),
    override_with("_IO_fflush", &rank_fflush),
    override_with("fflush_unlocked", &rank_fflush_unlocked),
    override_with("fdopen", &rank_fdopen),
    override_with("_IO_fdopen", &rank_fdopen),
    override_with("fcloseall", &rank_fcloseall),
};

}  // namespace

std::span<const Override> stdio_overrides()
{
  return stdio_table;
}

}  // namespace ranklet::loader
