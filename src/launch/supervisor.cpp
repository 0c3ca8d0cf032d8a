#include "launch/supervisor.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

constexpr std::chrono::seconds grace{2};
constexpr std::chrono::milliseconds time_for_last_wish{1000};

sigset_t watched_signals()
{
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD})
    sigaddset(&set, signal);
  return set;
}

std::vector<char*> pointers(const std::vector<std::string>& texts)
{
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// In the child: never returns. A failed step is told through `report`, which a successful exec closes.
[[noreturn]] void become(const ProcessStart& start, pid_t parent, int report)
{
  const auto fail_with_errno = [report] {
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(report, &error, sizeof error);
    ::_exit(127);
  };
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before prctl
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  for (int i = 0; i < 3; ++i)
    if (start.standard[static_cast<std::size_t>(i)] >= 0 &&
        ::dup2(start.standard[static_cast<std::size_t>(i)], i) < 0)
      fail_with_errno();
  if (!start.directory.empty() && ::chdir(start.directory.c_str()) != 0) fail_with_errno();
  execute(start);
  fail_with_errno();
  ::_exit(127);
}

}  // namespace

void execute(const ProcessStart& start)
{
  if (start.in_child) start.in_child();
  std::vector<char*> environment = pointers(start.environment);
  ::execve(start.path.c_str(), pointers(start.arguments).data(), environment.data());
  if (errno != ENOEXEC) return;
  std::vector<std::string> shell = {"/bin/sh", start.path};
  for (std::size_t i = 1; i < start.arguments.size(); ++i) shell.push_back(start.arguments[i]);
  ::execve("/bin/sh", pointers(shell).data(), environment.data());
}

StartingProcess::StartingProcess(const ProcessStart& start)
    : name_(start.path + " cannot be started" + (start.directory.empty() ? "" : " in " + start.directory))
{
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) fail(ErrorClass::no_mem, "no pipe: %s", std::strerror(errno));
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become(start, parent, report[1]);
  const int fork_error = errno;
  ::close(report[1]);
  report_ = report[0];
  if (pid_ > 0) return;
  ::close(report_);
  fail(ErrorClass::no_mem, "no new process: %s", std::strerror(fork_error));
}

StartingProcess::~StartingProcess()
{
  if (report_ >= 0) ::close(report_);
}

void StartingProcess::await()
{
  int error = 0;
  ssize_t got = 0;
  while ((got = ::read(report_, &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (got > 0) fail(ErrorClass::access, "%s: %s", name_.c_str(), std::strerror(error));
}

pid_t start_process(const ProcessStart& start)
{
  StartingProcess process(start);
  try {
    process.await();
  } catch (const Error&) {
    ::waitpid(process.pid(), nullptr, 0);
    throw;
  }
  return process.pid();
}

Supervisor::Supervisor(double timeout, int last_wish) : last_wish_(last_wish)
{
  const sigset_t set = watched_signals();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0) fail(ErrorClass::no_mem, "no signal descriptor: %s", std::strerror(errno));
  if (timeout > 0)
    timeout_at_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout));
}

Supervisor::~Supervisor()
{
  ::close(signals_);
}

void Supervisor::add_file(int descriptor, short events, FileKind kind, std::function<bool(short)> action)
{
  files_[descriptor] = {events, kind, std::move(action)};
}

void Supervisor::add_host(pid_t pid)
{
  add_child(pid);
  hosts_.push_back(pid);
  last_wish_ = SIGUSR1;
}

// One that asks what is going on, or is the program's own.
void Supervisor::tell_state_signal(int signal)
{
  for (const pid_t pid : hosts_.empty() ? running_ : hosts_) ::kill(pid, signal);
}

void Supervisor::end_all(int signal)
{
  for (const pid_t pid : running_) ::kill(pid, signal);
  if (signal != SIGKILL && !kill_at_) kill_at_ = Clock::now() + grace;
}

void Supervisor::reap(const std::function<void(pid_t, int)>& on_exit)
{
  // Only our children by number: a caller of this class may have others.
  for (std::size_t i = 0; i < running_.size();) {
    int status = 0;
    const pid_t pid = running_[i];
    if (::waitpid(pid, &status, WNOHANG) != pid) {
      ++i;
      continue;
    }
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    std::erase(hosts_, pid);
    on_exit(pid, status);
    i = 0;  // on_exit may have changed the list
  }
}

void Supervisor::take_signals(const std::function<void(pid_t, int)>& on_exit)
{
  signalfd_siginfo info{};
  while (::read(signals_, &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) {
      reap(on_exit);
    } else if (signal == SIGUSR1 || signal == SIGUSR2) {
      tell_state_signal(signal);
    } else if (interrupted_by_ != 0) {
      end_all(SIGKILL);
    } else {
      interrupted_by_ = signal;
      // The terminal has sent ctrl-C to the children already, as they are in our process group.
      const bool from_terminal = info.ssi_code > 0;
      if (!from_terminal)
        end_all(signal);
      else if (!kill_at_)
        kill_at_ = Clock::now() + grace;
    }
  }
}

void Supervisor::act_on_deadlines()
{
  const Clock::time_point now = Clock::now();
  if (timeout_at_ && now >= *timeout_at_) {
    timeout_at_.reset();
    timed_out_ = true;
    if (last_wish_ != 0) tell_state_signal(last_wish_);
    end_at_ = last_wish_ != 0 ? now + time_for_last_wish : now;
  }
  if (end_at_ && now >= *end_at_) {
    end_at_.reset();
    end_all(SIGTERM);
  }
  if (kill_at_ && now >= *kill_at_) {
    end_all(SIGKILL);
    kill_at_ = now + grace;
  }
}

int Supervisor::milliseconds_to_deadline() const
{
  std::optional<Clock::time_point> next = timeout_at_;
  for (const auto& other : {end_at_, kill_at_})
    if (other && (!next || *other < *next)) next = other;
  if (!next) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1 << 30));
}

bool Supervisor::poll_files(int wait_milliseconds, const std::function<void(pid_t, int)>& on_exit)
{
  std::vector<pollfd> polled = {{signals_, POLLIN, 0}};
  for (const auto& [descriptor, file] : files_) polled.push_back({descriptor, file.events, 0});
  if (::poll(polled.data(), polled.size(), wait_milliseconds) <= 0) return false;
  bool any = false;
  for (const pollfd& entry : polled) {
    if (entry.revents == 0 || entry.fd == signals_) continue;
    any = true;
    const auto file = files_.find(entry.fd);
    if (file != files_.end() && !file->second.action(entry.revents)) files_.erase(entry.fd);
  }
  if (polled[0].revents != 0) take_signals(on_exit);
  return any;
}

void Supervisor::run(const std::function<void(pid_t, int)>& on_exit)
{
  reap(on_exit);  // those whose SIGCHLD came before it was blocked
  while (!running_.empty()) {
    poll_files(milliseconds_to_deadline(), on_exit);
    act_on_deadlines();
  }
  std::erase_if(files_, [](const auto& entry) { return entry.second.kind != FileKind::child_output; });
  // What is in the pipes still; a background process that keeps one open is not waited for.
  while (!files_.empty() && poll_files(0, on_exit)) {
  }
}

int exit_code_of(int status)
{
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace ranklet::launch
