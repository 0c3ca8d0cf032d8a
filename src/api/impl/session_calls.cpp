// Sessions (MPI 5.0 §11.3), their error handlers (§9.3.4), and what is made from their process sets.
#include <cstring>

#include "api/entry/call.hpp"
#include "api/handles/strings.hpp"
#include "api/impl/impl.hpp"
#include "api/impl/job_setup.hpp"

namespace ranklet::api::impl {

namespace {

void check_serves(const ErrhandlerPtr& handler, Subject subject, const char* objects)
{
  if (!handler->serves(subject))
    fail(ErrorClass::errhandler, "the error handler was not made for %s", objects);
}

std::string_view checked_tag(const char* stringtag)
{
  const std::size_t length = ::strnlen(stringtag, MPI_MAX_STRINGTAG_LEN);
  if (length == MPI_MAX_STRINGTAG_LEN)
    fail(ErrorClass::arg, "stringtag has more than %d characters", MPI_MAX_STRINGTAG_LEN - 1);
  return {stringtag, length};
}

void complete(CommRef& made, const Group& group, const Info* info, const ErrhandlerPtr& errhandler)
{
  if (!made) return;
  made->errhandler = errhandler;
  made->session_buffer = group.session_buffer();
  if (info) made->hints.set(*info);
}

}  // namespace

void Session_init(Rank& self, Info* info, const ErrhandlerPtr& errhandler, SessionPtr& session)
{
  check_serves(errhandler, Subject::session, "sessions");
  check_start(self);
  session = std::make_unique<Session>(self, info);
  session->errhandler = errhandler;
  session->buffer = std::make_shared<p2p::AttachedBuffer>(self);
  self.api->open_instance(session->thread_level());
}

// Objects made through the session stay as they are (§11.3.1), but its buffer for buffered sends is the
// user's again. The object goes with its handle.
void Session_finalize(Rank& self, Session& session)
{
  session.buffer->detach_any();
  // Operations that were let go of may belong to what else is open, which they need not wait for here.
  if (self.api->is_last_instance()) {
    if (self.job.cancelled()) self.job.stop();
    p2p::complete_orphans(self);
    for (CallObserver* const observer : self.api->observers) observer->last_instance_closes();
  }
  self.api->close_instance();
}

void Session_get_num_psets(Rank&, Session& session, Info*, int& npset_names)
{
  npset_names = static_cast<int>(session.process_sets().size());
}

// pset_len counts the final zero: the caller's buffer before, what the name needs after. 0 asks for the
// length only.
void Session_get_nth_pset(Rank&, Session& session, Info*, int n, int& pset_len, char* pset_name)
{
  const std::vector<std::string> names = session.process_sets();
  if (n < 0 || static_cast<std::size_t>(n) >= names.size())
    fail(ErrorClass::arg, "n is %d, but there are %zu process sets", n, names.size());
  const std::string& name = names[static_cast<std::size_t>(n)];
  if (pset_len > 0) {
    check_out(pset_name, "pset_name");
    hand_out(pset_name, static_cast<std::size_t>(pset_len), name);
  }
  pset_len = static_cast<int>(name.size()) + 1;
}

void Session_get_info(Rank&, Session& session, InfoPtr& info_used)
{
  info_used = std::make_unique<Info>(session.info());
}

void Session_get_pset_info(Rank&, Session& session, const char* pset_name, InfoPtr& info)
{
  const GroupPtr group = session.group(pset_name);
  if (!group) fail(ErrorClass::arg, "there is no process set %s", pset_name);
  info = std::make_unique<Info>();
  info->set("mpi_size", std::to_string(group->size()));
}

// MPI_GROUP_NULL for a name that does not exist (§7.3.2).
void Group_from_session_pset(Rank&, Session& session, const char* pset_name, GroupPtr& newgroup)
{
  newgroup = session.group(pset_name);
}

void Comm_create_from_group(Rank& self, const GroupPtr& group, const char* stringtag, Info* info,
                            const ErrhandlerPtr& errhandler, CommRef& newcomm)
{
  check_serves(errhandler, Subject::comm, "communicators");
  newcomm = comm::create_from_group(self, group, checked_tag(stringtag));
  complete(newcomm, *group, info, errhandler);
}

void Intercomm_create_from_groups(Rank& self, const GroupPtr& local_group, int local_leader,
                                  const GroupPtr* remote_group, int remote_leader, const char* stringtag,
                                  Info* info, const ErrhandlerPtr& errhandler, CommRef& newintercomm)
{
  check_serves(errhandler, Subject::comm, "communicators");
  newintercomm = comm::intercomm_create_from_groups(self, local_group, local_leader, remote_group,
                                                    remote_leader, checked_tag(stringtag));
  complete(newintercomm, *local_group, info, errhandler);
}

void Session_set_errhandler(Rank&, Session& session, const ErrhandlerPtr& errhandler)
{
  check_serves(errhandler, Subject::session, "sessions");
  session.errhandler = errhandler;
}

void Session_get_errhandler(Rank&, Session& session, ErrhandlerPtr& errhandler)
{
  errhandler = session.errhandler;
}

void Session_call_errhandler(Rank& self, Session& session, int errorcode)
{
  self.api->codes.class_of(errorcode);  // throws if it is no code
  const ErrhandlerPtr handler = session.errhandler;
  const auto handle = handle_value(self.api->sessions.handle_of(session));
  call_errhandler(*self.api, handler.get(), Subject::session, handle, errorcode);
}

}  // namespace ranklet::api::impl
