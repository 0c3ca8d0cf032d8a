#include "coll/call_signature.hpp"

#include <string_view>

#include "base/fortran_site.hpp"
#include "terms/error.hpp"

namespace ranklet::coll {

namespace {

bool is_rooted(Collective call) noexcept
{
  return call == Collective::bcast || call == Collective::gather || call == Collective::scatter ||
         call == Collective::reduce;
}

bool has_variants(Collective call)
{
  return std::string_view(name(call)).find(" or ") != std::string_view::npos;
}

}  // namespace

bool holds_together(Collective call) noexcept
{
  return !is_rooted(call) && call != Collective::scan && call != Collective::exscan &&
         call != Collective::new_communicator;
}

const char* name(Collective call)
{
  switch (call) {
    case Collective::barrier:
      return "MPI_Barrier";
    case Collective::bcast:
      return "MPI_Bcast";
    case Collective::gather:
      return "MPI_Gather or MPI_Gatherv";
    case Collective::scatter:
      return "MPI_Scatter or MPI_Scatterv";
    case Collective::allgather:
      return "MPI_Allgather or MPI_Allgatherv";
    case Collective::alltoall:
      return "MPI_Alltoall or a variant";
    case Collective::reduce:
      return "MPI_Reduce";
    case Collective::allreduce:
      return "MPI_Allreduce";
    case Collective::reduce_scatter:
      return "MPI_Reduce_scatter or MPI_Reduce_scatter_block";
    case Collective::scan:
      return "MPI_Scan";
    case Collective::exscan:
      return "MPI_Exscan";
    case Collective::neighbor_allgather:
      return "MPI_Neighbor_allgather or MPI_Neighbor_allgatherv";
    case Collective::neighbor_alltoall:
      return "MPI_Neighbor_alltoall or a variant";
    case Collective::new_communicator:
      return "a function that makes a communicator";
    case Collective::finalize:
      return "MPI_Finalize";
  }
  return "an unknown collective";
}

std::string CallSignature::text() const
{
  if (!*this) return "another collective";
  std::string text = name(call());
  if (form() == Form::nonblocking) text += " in its nonblocking form";
  if (form() == Form::persistent) text += " in its persistent form";
  const char* link = " with ";
  if (is_rooted(call())) {
    text += link + ("root " + std::to_string(root()));
    link = " and ";
  }
  if (op() != 0) {
    const auto kind = static_cast<OpKind>(op() - 1);
    text += link + std::string(kind == OpKind::user ? "a user's operator" : predefined(kind).name());
  }
  return text;
}

void reject_call(const char* when, int member, CallSignature theirs, CallSignature mine, Sites sites)
{
  ErrorClass error = ErrorClass::other;
  const std::string there = place_of_other_call(sites.theirs), here = place_of_other_call(sites.mine);
  // It is known only that it is not the call of that number any more.
  if (theirs && theirs == mine)
    fail_mismatch(error, "%smember %d has made another collective in place of this %s%s, and has gone on",
                  when, member, mine.text().c_str(), here.c_str());
  const bool same_call = theirs && mine && theirs.call() == mine.call();
  const bool same_form = same_call && theirs.form() == mine.form();
  const bool same_way = theirs.is_in_lines() == mine.is_in_lines();
  if (same_form && (is_rooted(mine.call()) ? theirs.root() == mine.root() && !same_way
                                           : theirs.root() != mine.root() || !same_way))
    fail_mismatch(ErrorClass::truncate, "%smember %d gives another amount of data%s in %s%s%s%s", when,
                  member, has_variants(mine.call()) ? ", or calls another variant," : "", mine.text().c_str(),
                  there.c_str(), here.empty() ? "" : " than this one", here.c_str());
  if (same_form) error = theirs.root() != mine.root() ? ErrorClass::root : ErrorClass::op;
  fail_mismatch(error, "%smember %d calls %s%s, this one %s%s", when, member, theirs.text().c_str(),
                there.c_str(), mine.text().c_str(), here.c_str());
}

void reject_amount(int member, Count theirs, Count mine, Sites sites)
{
  fail_mismatch(ErrorClass::truncate, "member %d gives %lld bytes%s, this one %lld%s", member,
                static_cast<long long>(theirs), place_of_other_call(sites.theirs).c_str(),
                static_cast<long long>(mine), place_of_other_call(sites.mine).c_str());
}

}  // namespace ranklet::coll
