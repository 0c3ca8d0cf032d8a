// Where the output of ranks goes: whole lines, each with one write(2), never mixed with another rank's.
//
// A LineAssembler per rank and stream collects bytes and hands complete lines to an OutputDevice, of which
// there is one per destination (the job's stdout, its stderr, files). Lines leave as soon as they are
// complete, so what rank 1 prints after a message from rank 0 comes after what rank 0 printed before sending
// it.
//
// A partial line stays in its assembler until its newline comes, or until one of these events: its rank waits
// for input or ends, the job ends, a crash, fflush(stdout) while stdout is a terminal, a tenth of a second
// has passed (late_lines.hpp), or it has become very long. Jobs of one rank pass everything through at once.
// If another rank prints while a partial line is visible, the device ends that line first: a line on the
// device never holds bytes of two ranks.
//
// What a device does not take (a full disk) is lost; the device remembers that, and the job then fails.
//
// Thread safety: all members may be called from any thread. Lock order: assembler, then device.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.hpp"
#include "libc/late_lines.hpp"
#include "libc/patience.hpp"

namespace ranklet::loader {

enum class Stream : int { out = 0, err = 1 };

// What mpiexec's options say about one rank's output. Index: Stream.
struct RankOutputSettings {
  std::array<std::string, 2> prefix;  // put before every line, for instance "[3] "
  std::array<std::string, 2>
      file;  // path to create; empty: the job's stdout or stderr. Equal paths share a file.
  bool error_to_output = false;  // stderr goes where stdout goes
  bool timestamp = false;        // "YYYY-MM-DD hh:mm:ss.mmm " in local time before the prefix
};

class OutputDevice {
 public:
  OutputDevice(int descriptor, bool owned);
  ~OutputDevice();
  OutputDevice(const OutputDevice&) = delete;
  OutputDevice& operator=(const OutputDevice&) = delete;

  // Writes bytes as one unit, each line with the prefix. Returns 0 or an errno value. `writer` tells whose
  // line is left open if the bytes do not end with a newline.
  int emit(const void* writer, std::string_view bytes, std::string_view prefix, bool timestamp);
  int descriptor() const noexcept { return descriptor_; }
  bool is_terminal() const noexcept { return terminal_; }
  // Bytes that are written from now on are lost; the reader of a pipe sees its end.
  void end() noexcept;
  // When no more will come: the errno value of the first output that was lost, 0 if none was. That nobody
  // reads a pipe any more is no loss.
  int lost() noexcept;

 private:
  friend class JobOutput;
  friend class LineAssembler;
  int write(std::string_view bytes) noexcept RANKLET_REQUIRES(mutex_);
  void note_loss(int error) noexcept RANKLET_REQUIRES(mutex_);

  int descriptor_;
  bool owned_;
  bool terminal_;
  Mutex mutex_;
  int lost_ RANKLET_GUARDED_BY(mutex_) = 0;
  const void* open_line_ RANKLET_GUARDED_BY(mutex_) = nullptr;  // whose partial line ends the output so far
  std::string scratch_ RANKLET_GUARDED_BY(mutex_);              // a batch with its prefixes
};

class LineAssembler {
 public:
  // late: null where partial lines are not held.
  LineAssembler(OutputDevice& device, std::string prefix, bool timestamp, LateLines* late);

  static constexpr std::size_t longest_partial = 65536;

  // Like write(2): the number of bytes taken, which is all of them, or -1 with errno.
  ssize_t append(const char* bytes, std::size_t size);
  // The program asked for its output to be visible: emits a partial line if the device is a terminal.
  void flush_to_terminal();
  // Emits what is there, complete or not.
  void flush();
  // Whether nobody is found writing here, such as the code that a signal handler has interrupted.
  bool is_free(Patience& patience) noexcept;
  // Emits a partial line that is so old. False: there is one that is younger.
  bool show_late(std::chrono::milliseconds age);
  OutputDevice& device() noexcept { return *device_; }

 private:
  friend class JobOutput;
  int emit(std::string_view bytes);
  int keep(std::string_view bytes) RANKLET_REQUIRES(mutex_);

  OutputDevice* device_;
  std::string prefix_;
  bool timestamp_;
  LateLines* late_;
  Mutex mutex_;
  std::string partial_ RANKLET_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point begun_ RANKLET_GUARDED_BY(mutex_);  // of partial_
  bool expected_ RANKLET_GUARDED_BY(mutex_) = false;                        // `late_` knows of it
};

// All output of a job, and of those that come to it. Lives longer than its ranks.
class JobOutput {
 public:
  // A standard output and a standard error: those of the job, and of others that have brought their own.
  static constexpr int own_streams = 0;

  // One element per rank. Throws Error (no_such_file, access, file) naming the path if a file cannot be
  // created. patience: how long partial lines wait for their end.
  explicit JobOutput(const std::vector<RankOutputSettings>& ranks, int out_descriptor = 1,
                     int err_descriptor = 2,
                     std::chrono::milliseconds patience = std::chrono::milliseconds(100));
  ~JobOutput();
  JobOutput(const JobOutput&) = delete;
  JobOutput& operator=(const JobOutput&) = delete;

  // For ranks that come later; both become this object's. Returns their number.
  int add_streams(int out_descriptor, int err_descriptor);
  // No rank of theirs has more to write: their readers see their end. Returns their losses.
  std::vector<std::string> end_streams(int streams);
  // After their ranks were removed; the number may be given again.
  void remove_streams(int streams);
  // For ranks that come later; returns the number of the first of them here. Throws as the constructor does.
  int add(const std::vector<RankOutputSettings>& ranks, int streams = own_streams);
  // Shows what these have left; their numbers may be given again.
  void remove(int first, int ranks);
  LineAssembler& assembler(int rank, Stream stream) noexcept;

  // Whole lines of the launcher itself, to the job's own stderr, without a prefix.
  void note(std::string_view lines);
  // The same, but the second and later calls of a job say nothing.
  void note_once(std::string_view lines);

  // Emits all partial lines: at the end of the job, also before _exit.
  void flush();
  // Those of the ranks from `first` on. Waits for nobody who reads others' output.
  void flush(int first, int ranks);
  // When no more will come: a line for each file or stream of which something was lost ("output to
  // standard output was lost: No space left on device"). Of the job's own.
  std::vector<std::string> losses();
  // The same as flush() when locks may stay taken, also from a signal handler: what cannot be had is left
  // out.
  void flush_after_crash(Patience& patience) noexcept RANKLET_UNCHECKED;  // tries locks for a while
  // For a report in a signal handler, written straight to the descriptor of notes: keeps other ranks' lines
  // away while the result lives, if that is possible, and begins a new line.
  std::unique_lock<Mutex> hold_notes() noexcept RANKLET_UNCHECKED;  // does without it, if it must
  int note_descriptor() const noexcept { return own_.error().descriptor(); }
  // In the child of a fork: forgets what the parent will print and renews the locks.
  void reset_in_child() noexcept RANKLET_UNCHECKED;  // there is one thread

 private:
  struct Streams {
    Streams(int out_descriptor, int err_descriptor, bool owned);
    OutputDevice& error() const noexcept { return err ? *err : *out; }
    std::vector<std::string> losses() const;

    std::unique_ptr<OutputDevice> out,
        err;  // err is null where both are one file: then one device keeps order
  };

  OutputDevice& open_device(const std::string& path, int streams) RANKLET_REQUIRES(mutex_);
  // Of those of that number.
  std::vector<std::string> losses_of(int streams) RANKLET_REQUIRES(mutex_);
  void make_assembler(std::size_t index, const RankOutputSettings& rank, int streams, LateLines* late)
      RANKLET_REQUIRES(mutex_);
  const Streams& streams_of(int number) const RANKLET_REQUIRES(mutex_)
  {
    return number == own_streams ? own_ : *others_[static_cast<std::size_t>(number - 1)];
  }

  std::once_flag noted_;
  const Streams own_;
  Mutex mutex_;  // taken before an assembler's lock
  // By number, from 1 on; null: none.
  std::vector<std::unique_ptr<const Streams>> others_ RANKLET_GUARDED_BY(mutex_);
  struct OutputFile {
    std::string path;
    int streams;  // whose ranks write there: later ones with the same path create the file anew
    std::unique_ptr<OutputDevice> device;
  };
  std::vector<OutputFile> files_ RANKLET_GUARDED_BY(mutex_);
  // rank * 2 + stream; null: none.
  std::vector<std::unique_ptr<LineAssembler>> assemblers_ RANKLET_GUARDED_BY(mutex_);
  LateLines late_;  // goes first, as its thread uses the assemblers
};

}  // namespace ranklet::loader
