// Starting programs (MPI 5.0 §11.8).
#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <sys/utsname.h>
#include <unistd.h>

#include "api/impl/impl.hpp"
#include "coll/coll.hpp"
#include "comm/spawn.hpp"

namespace ranklet::api::impl {

namespace {

std::string trimmed(const std::string& text)
{
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// The keys of an info object, and of the file that its key "file" names: lines "key = value".
class Keys {
 public:
  explicit Keys(const Info* info) : own_(info)
  {
    const std::string* const path = own_ ? own_->find("file") : nullptr;
    if (!path) return;
    std::ifstream file(*path);
    if (!file) fail(ErrorClass::spawn, "the file %s, which info names, cannot be read", path->c_str());
    for (std::string line; std::getline(file, line);) {
      const std::size_t equals = line.find('=');
      const std::string key = trimmed(line.substr(0, equals));
      if (key.empty() || key.starts_with('#')) continue;
      if (equals == line.npos)
        fail(ErrorClass::spawn,
             "the file %s, which info names, has the line \"%s\", which is not key = value", path->c_str(),
             line.c_str());
      of_file_.set(key, trimmed(line.substr(equals + 1)));
    }
  }

  std::string get(const char* key) const
  {
    const std::string* value = own_ ? own_->find(key) : nullptr;
    if (!value) value = of_file_.find(key);
    return value ? *value : "";
  }

 private:
  const Info* own_;
  Info of_file_;
};

bool is_this_machine(const std::string& host)
{
  const utsname system = [] {
    utsname name{};
    ::uname(&name);
    return name;
  }();
  const std::string own = system.nodename;
  const auto without_domain = [](const std::string& name) { return name.substr(0, name.find('.')); };
  return host == "localhost" || host == "127.0.0.1" || host == "::1" ||
         without_domain(host) == without_domain(own);
}

// §11.8.4, for keys that say where.
void check_place(const Keys& keys)
{
  const std::string host = keys.get("host");
  if (!host.empty() && !is_this_machine(host))
    fail(ErrorClass::spawn,
         "info asks for the host %s, but programs start on this machine alone; on several machines the same "
         "program "
         "runs under another MPI with the standard ABI",
         host.c_str());
  utsname system{};
  ::uname(&system);
  const std::string arch = keys.get("arch");
  if (!arch.empty() && arch != system.machine)
    fail(ErrorClass::spawn, "info asks for the architecture %s, but this machine is %s", arch.c_str(),
         system.machine);
}

struct Plan {
  comm::SpawnRequest request;
  std::string initial_errhandler;
};

Plan plan_of(const char* command, char** argv, int most, const Info* info)
{
  if (command == nullptr) fail(ErrorClass::arg, "the command is a null pointer at the root");
  if (*command == '\0') fail(ErrorClass::spawn, "the command is empty");
  if (most < 0) fail(ErrorClass::arg, "maxprocs is %d", most);
  const Keys keys(info);
  check_place(keys);
  Plan plan;
  plan.request.program.command = command;
  for (char** argument = argv; argument != nullptr && *argument != nullptr; ++argument)
    plan.request.program.arguments.emplace_back(*argument);
  plan.request.most = most;
  const std::string soft = keys.get("soft");
  plan.request.program.ranks = soft.empty() ? most : comm::choose_from_soft(soft, most);
  plan.request.program.directory = keys.get("wdir");
  plan.request.program.search_path = keys.get("path");
  plan.initial_errhandler = keys.get("mpi_initial_errhandler");
  return plan;
}

// errcodes: one for each process of each program that was asked for, or null.
void spawn(Communicator& local, int root, int* errcodes, CommRef& intercomm,
           const std::function<std::vector<Plan>()>& plan)
{
  coll::note_new_communicator(local);
  std::vector<std::string> handlers;
  const auto requests = [&] {
    std::vector<comm::SpawnRequest> result;
    for (Plan& one : plan()) {
      handlers.push_back(std::move(one.initial_errhandler));
      result.push_back(std::move(one.request));
    }
    return result;
  };
  const auto prepare = [&](Rank& child, std::size_t program) {
    if (!handlers[program].empty()) child.api->set_initial_handler(handlers[program]);
  };
  comm::Spawned spawned = comm::spawn(local, root, requests, prepare);
  if (errcodes != MPI_ERRCODES_IGNORE)
    for (const auto& [asked, started] : spawned.counts) {
      const int good = spawned.error ? 0 : started;
      errcodes = std::fill_n(std::fill_n(errcodes, good, MPI_SUCCESS), asked - good, MPI_ERR_SPAWN);
    }
  if (spawned.error) throw Error(*spawned.error);
  intercomm = std::move(spawned.comm);
}

}  // namespace

void Comm_spawn(Rank&, const char* command, char** argv, int maxprocs, Info* info, int root,
                Communicator& comm, CommRef& intercomm, int* array_of_errcodes)
{
  spawn(comm, root, array_of_errcodes, intercomm,
        [&] { return std::vector<Plan>{plan_of(command, argv, maxprocs, info)}; });
}

void Comm_spawn_multiple(Rank&, int count, char** array_of_commands, char*** array_of_argv,
                         const int* array_of_maxprocs, HandleArray<InfoHandle> array_of_info, int root,
                         Communicator& comm, CommRef& intercomm, int* array_of_errcodes)
{
  spawn(comm, root, array_of_errcodes, intercomm, [&] {
    if (count < 1) fail(ErrorClass::arg, "count is %d: no program is to be started", count);
    if (array_of_commands == nullptr)
      fail(ErrorClass::arg, "array_of_commands is a null pointer at the root");
    std::vector<Plan> plans;
    for (int i = 0; i < count; ++i)
      plans.push_back(plan_of(array_of_commands[i],
                              array_of_argv != MPI_ARGVS_NULL ? array_of_argv[i] : nullptr,
                              array_of_maxprocs[i], array_of_info.find(static_cast<std::size_t>(i))));
    return plans;
  });
}

}  // namespace ranklet::api::impl
