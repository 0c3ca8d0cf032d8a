#include <doctest/doctest.h>

#include <random>
#include <set>
#include <thread>
#include <vector>

#include "api/handles/objects.hpp"
#include "api/handles/rank_state.hpp"
#include "support/text.hpp"

using namespace ranklet;
using namespace ranklet::api;
using test::contains;

namespace {

struct Fixture {
  Job job{1, {}};
  Rank& rank = job.rank(0);
  HandleTable<InfoHandle> infos{rank};
  HandleTable<GroupHandle> groups{rank};
  HandleTable<RequestHandle> requests{rank};
};

InfoPtr named(const std::string& name)
{
  auto info = std::make_unique<Info>();
  info->set("name", name);
  return info;
}

template <typename Table, typename Handle>
Error error_of(Table& table, Handle handle)
{
  try {
    static_cast<void>(table.get(handle, "thing"));
  } catch (const Error& error) {
    return error;
  }
  FAIL("the handle was accepted");
  return Error(ErrorClass::success, "");
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a handle gives its object until it is retired")
{
  MPI_Info handle = infos.put(named("a"));
  const auto value = handle_value(handle);
  CHECK(value >= first_dynamic_handle);
  CHECK(value <= 0x7fffffff);  // a positive INTEGER
  CHECK(*infos.get(handle, "info").find("name") == "a");
  CHECK(infos.living() == 1);

  const MPI_Info stale = handle;
  infos.retire(&handle);
  CHECK(handle == MPI_INFO_NULL);
  CHECK(infos.living() == 0);
  const Error error = error_of(infos, stale);
  CHECK(error.error_class() == ErrorClass::info);
  CHECK(contains(error.message(), "freed"));
}

TEST_CASE_FIXTURE(Fixture,
                  "what is freed is counted only for the kind whose objects are remembered elsewhere")
{
  // An atomic instruction for each completed request otherwise.
  MPI_Info handle = infos.put(named("a"));
  infos.retire(&handle);
  CHECK(infos.retired() == 0);
  CHECK(WinHandle::counts_retired);
}

TEST_CASE_FIXTURE(Fixture, "a slot that is used again does not serve its old handle")
{
  MPI_Info first = infos.put(named("first"));
  const MPI_Info stale = first;
  infos.retire(&first);
  const MPI_Info second = infos.put(named("second"));
  CHECK(second != stale);
  CHECK(error_of(infos, stale).error_class() == ErrorClass::info);
  CHECK(*infos.get(second, "info").find("name") == "second");
}

TEST_CASE_FIXTURE(Fixture, "the messages tell null, foreign, unknown and freed handles apart")
{
  CHECK(contains(error_of(infos, MPI_INFO_NULL).message(), "MPI_INFO_NULL"));
  CHECK(infos.find(MPI_INFO_NULL, "info") == nullptr);

  const MPI_Info info = infos.put(named("x"));
  const Error foreign = error_of(groups, reinterpret_cast<MPI_Group>(info));
  CHECK(foreign.error_class() == ErrorClass::group);
  CHECK(contains(foreign.message(), "info object"));

  const Error constant = error_of(groups, reinterpret_cast<MPI_Group>(MPI_INT));
  CHECK(contains(constant.message(), "MPI_INT"));

  for (std::uintptr_t wild : {std::uintptr_t{1}, std::uintptr_t{4095}, std::uintptr_t{4096},
                              std::uintptr_t{0x7fffffff}, std::uintptr_t{0x7fff12345678}, ~std::uintptr_t{0},
                              handle_value(info) + 1, handle_value(info) + 0x100000}) {
    CAPTURE(wild);
    CHECK(error_of(infos, reinterpret_cast<MPI_Info>(wild)).error_class() == ErrorClass::info);
  }
}

TEST_CASE_FIXTURE(Fixture, "predefined constants are found, and freed only where the standard lets them")
{
  groups.install(MPI_GROUP_EMPTY, Group::empty());
  CHECK(groups.get(MPI_GROUP_EMPTY, "group") == Group::empty());
  // An object that has a constant gets no handle of its own.
  CHECK(groups.put(Group::empty()) == MPI_GROUP_EMPTY);
  MPI_Group handle = MPI_GROUP_EMPTY;
  CHECK(groups.get_freeable(handle, "group")->size() == 0);
  groups.retire(&handle);
  CHECK(handle == MPI_GROUP_NULL);
  CHECK(groups.get(MPI_GROUP_EMPTY, "group")->size() == 0);
  CHECK(groups.put(GroupPtr()) == MPI_GROUP_NULL);

  infos.install(MPI_INFO_ENV, named("env"));
  CHECK_THROWS_AS(infos.get_freeable(MPI_INFO_ENV, "info"), Error);
}

TEST_CASE_FIXTURE(Fixture, "a handle that was kept is refused until its slot was used again 128 times")
{
  MPI_Info first = infos.put(named("first"));
  const MPI_Info stale = first;
  infos.retire(&first);
  // All slots of the first chunk have their turn, and then again.
  std::set<std::uintptr_t> values;
  for (int i = 1; i < 64 * 128; ++i) {
    MPI_Info handle = infos.put(named(std::to_string(i)));
    values.insert(handle_value(handle));
    REQUIRE(!infos.look_up(stale));
    infos.retire(&handle);
  }
  CHECK(values.size() == 64 * 128 - 1);
  CHECK(infos.put(named("again")) == stale);
}

TEST_CASE_FIXTURE(Fixture, "100000 handles stay valid while the table grows and holes are filled")
{
  constexpr int count = 100000;
  std::vector<MPI_Info> handles;
  std::vector<const Info*> objects;
  for (int i = 0; i < count; ++i) {
    handles.push_back(infos.put(named(std::to_string(i))));
    objects.push_back(&infos.get(handles.back(), "info"));
  }
  for (int i = 0; i < count; i += 2) infos.retire(&handles[static_cast<std::size_t>(i)]);
  CHECK(infos.living() == count / 2);
  CHECK(infos.is_valid());
  for (int i = 0; i < count; i += 2) {
    auto& handle = handles[static_cast<std::size_t>(i)];
    handle = infos.put(named(std::to_string(i)));
    objects[static_cast<std::size_t>(i)] = &infos.get(handle, "info");
  }
  std::set<std::uintptr_t> values;
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    values.insert(handle_value(handles[index]));
    const Info& info = infos.get(handles[index], "info");
    wrong += &info != objects[index] || *info.find("name") != std::to_string(i);
  }
  CHECK(wrong == 0);
  CHECK(values.size() == count);
  CHECK(infos.is_valid());
}

TEST_CASE_FIXTURE(Fixture, "the table says when it is full and goes on after a free")
{
  DoneRequest request(rank);
  MPI_Request last = MPI_REQUEST_NULL;
  for (std::uint32_t i = 0; i < max_slots; ++i) last = requests.put(&request);
  try {
    requests.put(&request);
    FAIL("there was room");
  } catch (const Error& error) {
    CHECK(error.error_class() == ErrorClass::no_mem);
  }
  requests.retire(&last);
  CHECK(requests.put(&request) != MPI_REQUEST_NULL);
}

TEST_CASE_FIXTURE(Fixture, "the request that all copied sends share has one handle")
{
  DoneRequest shared(rank), other(rank);
  requests.install(requests.make(RequestHandle::common), &shared);
  MPI_Request first = requests.put(&shared);
  const MPI_Request second = requests.put(&shared), third = requests.put(&other);
  CHECK(first == second);
  CHECK(first != third);
  CHECK(first != MPI_REQUEST_NULL);
  CHECK(requests.living() == 1);
  requests.retire(&first);
  CHECK(first == MPI_REQUEST_NULL);
  CHECK(&requests.get(second, "request") == &shared);
}

TEST_CASE_FIXTURE(Fixture, "handle_of finds the handle of an object")
{
  const MPI_Info a = infos.put(named("a"));
  const MPI_Info b = infos.put(named("b"));
  CHECK(infos.handle_of(infos.get(a, "")) == a);
  CHECK(infos.handle_of(infos.get(b, "")) == b);
  const Info stranger;
  CHECK(infos.handle_of(stranger) == MPI_INFO_NULL);
}

TEST_CASE_FIXTURE(Fixture, "threads of a rank share a table")
{
  rank.set_thread_level(ThreadLevel::multiple);
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  constexpr int threads = 4;
  std::vector<std::thread> workers;
  std::vector<int> wrong(threads, 0);
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      std::mt19937 random(seed + static_cast<unsigned>(t));
      std::vector<std::pair<MPI_Info, std::string>> mine;
      for (int i = 0; i < 5000; ++i) {
        if (mine.size() < 50 || random() % 2 == 0) {
          const std::string name = std::to_string(t) + "." + std::to_string(i);
          mine.emplace_back(infos.put(named(name)), name);
        } else {
          const std::size_t k = random() % mine.size();
          wrong[static_cast<std::size_t>(t)] +=
              *infos.get(mine[k].first, "info").find("name") != mine[k].second;
          infos.retire(&mine[k].first);
          mine[k] = mine.back();
          mine.pop_back();
        }
      }
      for (auto& [handle, name] : mine) {
        wrong[static_cast<std::size_t>(t)] += *infos.get(handle, "info").find("name") != name;
        infos.retire(&handle);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  CHECK(wrong == std::vector<int>(threads, 0));
  CHECK(infos.living() == 0);
  CHECK(infos.is_valid());
}

TEST_CASE_FIXTURE(Fixture,
                  "an object that several calls give has one handle, which ends with the last of them")
{
  const auto group = std::make_shared<const Group>(std::vector<Rank*>{&rank});
  MPI_Group first = groups.put(group), second = groups.put(group);
  const MPI_Group other = groups.put(std::make_shared<const Group>(*group));
  CHECK(first == second);
  CHECK(other != first);
  CHECK(groups.living() == 2);
  groups.retire(&first);
  CHECK(first == MPI_GROUP_NULL);
  CHECK(groups.get(second, "group") == group);
  CHECK(group.use_count() == 2);
  const MPI_Group stale = second;
  groups.retire(&second);
  CHECK(group.use_count() == 1);
  CHECK(error_of(groups, stale).error_class() == ErrorClass::group);
  CHECK(groups.put(group) != stale);
}

TEST_CASE_FIXTURE(Fixture, "handles end in one section, up to one that may not")
{
  DoneRequest shared(rank), object(rank), last(rank);
  requests.install(requests.make(RequestHandle::common), &shared);
  MPI_Request twice = requests.put(&object);
  MPI_Request handles[] = {requests.put(&object), requests.put(&shared), twice, twice, requests.put(&last),
                           MPI_REQUEST_NULL,      requests.put(&object)};
  std::vector<const Request*> ended;
  const auto end_all_but_last = [&](Request& request, int i, const Section& alone) {
    CHECK(alone.is_alone());
    CHECK(i == static_cast<int>(ended.size()));
    if (&request == &last) return false;
    ended.push_back(&request);
    return true;
  };
  // The fourth handle has ended as the third.
  CHECK(requests.retire_while(handles, 7, end_all_but_last) == 3);
  CHECK(ended == std::vector<const Request*>{&object, &shared, &object});
  for (int i = 0; i < 3; ++i) CHECK(handles[i] == MPI_REQUEST_NULL);
  CHECK(handles[3] == twice);
  CHECK_THROWS_AS(requests.get(twice, "request"), Error);
  ended.clear();
  // At one that stays, and at the null handle.
  CHECK(requests.retire_while(handles + 4, 3, end_all_but_last) == 0);
  CHECK(requests.retire_while(handles + 5, 2, end_all_but_last) == 0);
  CHECK(requests.retire_while(handles + 6, 1, end_all_but_last) == 1);
  CHECK(requests.living() == 1);
  CHECK(requests.is_valid());
  // Where several threads may come each takes the lock for itself.
  rank.set_thread_level(ThreadLevel::multiple);
  CHECK(requests.retire_while(handles + 4, 1, [](Request&, int, const Section&) { return true; }) == 0);
}
