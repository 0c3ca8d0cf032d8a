// Runs of one job, made one after another and judged afterwards: for --explore and --check=all.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "launch/supervisor.hpp"

namespace ranklet::launch {

// A file without a name, for what a run writes.
class Capture {
 public:
  Capture();
  ~Capture() { std::fclose(file_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  int descriptor() const { return ::fileno(file_); }
  std::string text() const;

 private:
  std::FILE* file_;
};

// A file with a name, which goes with the object, for what a run's host is told or tells.
class TemporaryFile {
 public:
  TemporaryFile();
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  void write(const std::string& text) const;
  std::string read() const;

 private:
  std::string path_;
};

void set_variable(std::vector<std::string>& environment, const std::string& name, const std::string& value);

// How long a run without --timeout may take: one may poll for ever for what never happens in it.
constexpr double longest_run = 60;  // seconds

struct RunEnd {
  int status = 0;  // waitpid's
  bool timed_out = false;
  int interrupted_by = 0;  // the signal that ended it all; 0: none
};

// Starts it and waits for its end. timeout in seconds, 0: none. before and after: around the start.
RunEnd run_to_end(ProcessStart start, double timeout,
                  const std::function<void(Supervisor&, ProcessStart&)>& before = {},
                  const std::function<void()>& after = {});

// What the host's last line says: "rank 1 exited with code 3"; empty if it has none.
std::string last_word(const std::string& errors);

// "had not ended after 60 s (--timeout)"
std::string timeout_text(double timeout);

}  // namespace ranklet::launch
