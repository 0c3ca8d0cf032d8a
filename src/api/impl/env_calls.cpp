// Environmental management (MPI 5.0 chapter 9).
#include <time.h>
#include <unistd.h>

#include <cstdlib>

#include "api/entry/call.hpp"
#include "api/handles/strings.hpp"
#include "api/impl/impl.hpp"
#include "base/version.hpp"

namespace ranklet::api::impl {
namespace {

// Memory of MPI_Alloc_mem is good for vector loads and keeps neighbours off its cache lines.
constexpr std::size_t memory_alignment = 64;

// The info key of §9.2 asks for more.
std::size_t wanted_alignment(const Info* info)
{
  const std::string* const text = info ? info->find("mpi_minimum_memory_alignment") : nullptr;
  if (!text) return memory_alignment;
  const std::size_t value = std::strtoull(text->c_str(), nullptr, 10);
  const bool power_of_two = value != 0 && (value & (value - 1)) == 0;
  return power_of_two && value > memory_alignment ? value : memory_alignment;
}

template <typename Function>
ErrhandlerPtr user_errhandler(Subject subject, Function* function)
{
  if (!function) fail(ErrorClass::arg, "the error handler's function is a null pointer");
  return std::make_shared<Errhandler>(subject, reinterpret_cast<void (*)()>(function));
}

}  // namespace

void Get_version(Rank&, int& version, int& subversion)
{
  version = MPI_VERSION;
  subversion = MPI_SUBVERSION;
}

void Get_library_version(Rank&, char* version, int& resultlen)
{
  resultlen = hand_out(version, MPI_MAX_LIBRARY_VERSION_STRING, library_version());
}

void Get_processor_name(Rank&, char* name, int& resultlen)
{
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  if (gethostname(host, sizeof host - 1) != 0) fail(ErrorClass::other, "the machine has no name");
  resultlen = hand_out(name, MPI_MAX_PROCESSOR_NAME, host);
}

void Get_hw_resource_info(Rank&, InfoPtr& hw_info)
{
  hw_info = std::make_unique<Info>();
  for (const auto& [name, alone] : comm::hardware_resources()) hw_info->set(name, alone ? "true" : "false");
}

void Alloc_mem(Rank&, Count size, Info* info, void*& baseptr)
{
  const std::size_t alignment = wanted_alignment(info);
  if (posix_memalign(&baseptr, alignment, size > 0 ? static_cast<std::size_t>(size) : 1) != 0)
    fail(ErrorClass::no_mem, "no memory left for %lld bytes", static_cast<long long>(size));
}

void Free_mem(Rank&, void* base)
{
  std::free(base);
}

void Comm_create_errhandler(Rank&, MPI_Comm_errhandler_function* comm_errhandler_fn,
                            ErrhandlerPtr& errhandler)
{
  errhandler = user_errhandler(Subject::comm, comm_errhandler_fn);
}

void Win_create_errhandler(Rank&, MPI_Win_errhandler_function* win_errhandler_fn, ErrhandlerPtr& errhandler)
{
  errhandler = user_errhandler(Subject::win, win_errhandler_fn);
}

void File_create_errhandler(Rank&, MPI_File_errhandler_function* file_errhandler_fn,
                            ErrhandlerPtr& errhandler)
{
  errhandler = user_errhandler(Subject::file, file_errhandler_fn);
}

void Session_create_errhandler(Rank&, MPI_Session_errhandler_function* session_errhandler_fn,
                               ErrhandlerPtr& errhandler)
{
  errhandler = user_errhandler(Subject::session, session_errhandler_fn);
}

void Comm_set_errhandler(Rank& self, Communicator& comm, const ErrhandlerPtr& errhandler)
{
  if (!errhandler->serves(Subject::comm))
    fail(ErrorClass::errhandler, "the error handler was not made for communicators");
  comm.errhandler = errhandler;
  if (&comm == &comm::world(self)) self.api->world_handler_set = true;
  if (&comm == &comm::self(self)) self.api->self_handler_set = true;
}

void Comm_get_errhandler(Rank& self, Communicator& comm, ErrhandlerPtr& errhandler)
{
  errhandler = comm.errhandler ? comm.errhandler : self.api->errhandlers.get(MPI_ERRORS_ARE_FATAL, "");
}

void Comm_call_errhandler(Rank& self, Communicator& comm, int errorcode)
{
  self.api->codes.class_of(errorcode);  // throws if it is no code
  const ErrhandlerPtr handler = comm.errhandler;
  const auto handle = handle_value(self.api->comms.handle_of(comm));
  call_errhandler(*self.api, handler.get(), Subject::comm, handle, errorcode);
}

// The handle is all that goes: objects keep the handlers that they use.
void Errhandler_free(Rank&, const ErrhandlerPtr&) {}

void Error_string(Rank& self, int errorcode, char* string, int& resultlen)
{
  resultlen = hand_out(string, MPI_MAX_ERROR_STRING, self.api->codes.text(errorcode));
}

void Error_class(Rank& self, int errorcode, int& errorclass)
{
  errorclass = self.api->codes.class_of(errorcode);
}

namespace {

// MPI_LASTUSEDCODE is an attribute of MPI_COMM_WORLD.
void publish_last_code(Rank& self)
{
  if (self.comm) self.comm->last_used_code = self.api->codes.last_used();
}

}  // namespace

void Add_error_class(Rank& self, int& errorclass)
{
  errorclass = self.api->codes.add_class();
  publish_last_code(self);
}

void Remove_error_class(Rank& self, int errorclass)
{
  self.api->codes.remove_class(errorclass);
  publish_last_code(self);
}

void Add_error_code(Rank& self, int errorclass, int& errorcode)
{
  errorcode = self.api->codes.add_code(errorclass);
  publish_last_code(self);
}

void Remove_error_code(Rank& self, int errorcode)
{
  self.api->codes.remove_code(errorcode);
  publish_last_code(self);
}

void Add_error_string(Rank& self, int errorcode, const char* string)
{
  self.api->codes.set_text(errorcode, string);
}

void Remove_error_string(Rank& self, int errorcode)
{
  self.api->codes.remove_text(errorcode);
}

double Wtime()
{
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double Wtick()
{
  timespec resolution;
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return static_cast<double>(resolution.tv_sec) + 1e-9 * static_cast<double>(resolution.tv_nsec);
}

}  // namespace ranklet::api::impl
