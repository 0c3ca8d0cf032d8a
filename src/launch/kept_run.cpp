#include "launch/kept_run.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include <unistd.h>

#include "base/config.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {

Capture::Capture() : file_(std::tmpfile())
{
  if (!file_) fail(ErrorClass::no_space, "no temporary file: %s", std::strerror(errno));
}

std::string Capture::text() const
{
  std::string result;
  std::rewind(file_);
  char part[4096];
  while (const std::size_t bytes = std::fread(part, 1, sizeof part, file_)) result.append(part, bytes);
  return result;
}

TemporaryFile::TemporaryFile()
{
  const char* const directory = environment_variable("TMPDIR");
  path_ = std::string(directory ? directory : "/tmp") + "/ranklet-run-XXXXXX";
  const int descriptor = ::mkstemp(path_.data());
  if (descriptor < 0)
    fail(ErrorClass::no_space, "no temporary file %s: %s", path_.c_str(), std::strerror(errno));
  ::close(descriptor);
}

TemporaryFile::~TemporaryFile()
{
  ::unlink(path_.c_str());
}

void TemporaryFile::write(const std::string& text) const
{
  std::ofstream(path_, std::ios::trunc) << text;
}

std::string TemporaryFile::read() const
{
  std::ifstream file(path_);
  return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void set_variable(std::vector<std::string>& environment, const std::string& name, const std::string& value)
{
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  environment.push_back(name + "=" + value);
}

RunEnd run_to_end(ProcessStart start, double timeout,
                  const std::function<void(Supervisor&, ProcessStart&)>& before,
                  const std::function<void()>& after)
{
  Supervisor supervisor(timeout, SIGUSR1);
  if (before) before(supervisor, start);
  supervisor.add_child(start_process(start));
  if (after) after();
  RunEnd end;
  supervisor.run([&](pid_t, int status) { end.status = status; });
  end.timed_out = supervisor.timed_out();
  end.interrupted_by = supervisor.interrupted_by();
  return end;
}

std::string last_word(const std::string& errors)
{
  constexpr std::string_view name = "mpiexec: ";
  std::string found;
  std::istringstream stream(errors);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(name)) found = line.substr(name.size());
  return found;
}

std::string timeout_text(double timeout)
{
  std::ostringstream text;
  text << "had not ended after " << timeout << " s (--timeout)";
  return text.str();
}

}  // namespace ranklet::launch
