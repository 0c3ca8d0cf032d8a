#include "api/usage/call_story.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/usage/call_plan.hpp"

namespace ranklet::api {

namespace {

Flow flow_of(std::string_view name)
{
  // Nonblocking and persistent forms are named after the blocking ones.
  const auto is = [&](std::string_view base) { return name.find(base) != name.npos; };
  if (is("eighbor_")) return Flow::from_neighbors;
  if (is("Bcast") || is("bcast")) return Flow::from_root;
  if (is("Reduce_scatter") || is("reduce_scatter")) return Flow::all;
  if (is("Scatter") || is("scatter")) return Flow::from_root;
  if (is("Allgather") || is("allgather") || is("Allreduce") || is("allreduce")) return Flow::all;
  if (is("Gather") || is("gather") || is("Reduce") || is("reduce")) return Flow::to_root;
  if (is("Scan") || is("scan")) return Flow::from_lower;
  return Flow::all;
}

Story window_story(const FunctionInfo& function)
{
  static const std::map<std::string_view, Story> stories = {
      {"MPI_Win_create", Story::collective},
      {"MPI_Win_allocate", Story::collective},
      {"MPI_Win_allocate_shared", Story::collective},
      {"MPI_Win_create_dynamic", Story::collective},
      {"MPI_Win_fence", Story::fence},
      {"MPI_Win_post", Story::post},
      {"MPI_Win_start", Story::start},
      {"MPI_Win_complete", Story::complete},
      {"MPI_Win_wait", Story::wait},
      {"MPI_Win_test", Story::wait},
      {"MPI_Win_lock", Story::lock},
      {"MPI_Win_unlock", Story::unlock},
      {"MPI_Win_lock_all", Story::lock_all},
      {"MPI_Win_unlock_all", Story::unlock_all},
      {"MPI_Win_flush", Story::flush},
      {"MPI_Win_flush_all", Story::flush},
      {"MPI_Win_flush_local", Story::flush_local},
      {"MPI_Win_flush_local_all", Story::flush_local},
      {"MPI_Win_free", Story::free_window},
      {"MPI_Win_shared_query", Story::shared_query},
  };
  if (find_parameter(function, "target_disp") >= 0) return Story::operation;
  const auto found = stories.find(function.name);
  return found == stories.end() ? Story::local : found->second;
}

bool is_unknown(std::string_view name, std::string_view chapter)
{
  if (chapter == "io") return true;
  for (const char* const each :
       {"MPI_Finalize", "MPI_Session_finalize", "MPI_Comm_spawn", "MPI_Comm_spawn_multiple",
        "MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_disconnect", "MPI_Comm_join", "MPI_Publish_name",
        "MPI_Unpublish_name", "MPI_Lookup_name", "MPI_Comm_create_group", "MPI_Comm_create_from_group",
        "MPI_Intercomm_create", "MPI_Intercomm_create_from_groups", "MPI_Intercomm_merge"})
    if (name == each) return true;
  return false;
}

CallStory make_story(const FunctionInfo& function)
{
  CallStory made;
  const std::string_view name = function.name, chapter = function.chapter->key;
  const CallPlan& plan = plan_of(function);
  made.synchronous = name.find("MPI_Ssend") == 0 || name.find("MPI_Issend") == 0;
  if (is_unknown(name, chapter))
    made.story = Story::unknown;
  else if (chapter == "rma")
    made.story = window_story(function);
  else if (name == "MPI_Grequest_complete")
    made.story = Story::end_of_request;
  else if (plan.pattern != CollectivePattern::none)
    made.story = Story::collective;
  else if (!plan.buffers.empty() || plan.is_partitioned)
    made.story = Story::message;
  else if (name.ends_with("robe"))
    made.story = Story::probe;
  made.makes_window = chapter == "rma" && made.story == Story::collective;
  if (made.story == Story::collective && plan.pattern > CollectivePattern::order) made.flow = flow_of(name);
  return made;
}

}  // namespace

const CallStory& story_of(const FunctionInfo& function)
{
  static const std::vector<CallStory> stories = [] {
    std::vector<CallStory> made;
    for (const FunctionInfo& each : all_functions()) made.push_back(make_story(each));
    return made;
  }();
  return stories[static_cast<std::size_t>(&function - all_functions().data())];
}

}  // namespace ranklet::api
