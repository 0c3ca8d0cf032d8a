#include <doctest/doctest.h>

#include <string>

#include "comm/harness.hpp"
#include "terms/error.hpp"

using namespace ranklet;

namespace {

// Writes down its calls; copies values plus one; fails when told.
class Recorder : public Keyval {
 public:
  Recorder(char name, std::string& log) : Keyval(Kind::communicator), name_(name), log_(log) {}

  int copy(void*, void* value, void** out, bool* wanted) override
  {
    log_ += std::string("c") + name_;
    *wanted = copies;
    *out = static_cast<char*>(value) + 1;
    return copy_code;
  }
  int remove(void*, void*) override
  {
    log_ += std::string("d") + name_;
    return remove_code;
  }

  bool copies = true;
  int copy_code = 0;
  int remove_code = 0;

 private:
  char name_;
  std::string& log_;
};

int code_of(const std::function<void()>& action)
{
  try {
    action();
  } catch (const Error& error) {
    return static_cast<int>(error.error_class());
  }
  return 0;
}

void* value(long number)
{
  return reinterpret_cast<void*>(number);
}

}  // namespace

TEST_CASE("attributes: callbacks in their order through set, dup and free")
{
  test::run(1, [](Rank&, Communicator& world) {
    std::string log;
    const auto a = std::make_shared<Recorder>('a', log);
    const auto b = std::make_shared<Recorder>('b', log);
    const auto c = std::make_shared<Recorder>('c', log);
    b->copies = false;
    CommRef comm = comm::dup(world);
    comm->attributes.set(comm.get(), a, value(10));
    comm->attributes.set(comm.get(), b, value(20));
    comm->attributes.set(comm.get(), c, value(30));
    CHECK(log == "");
    CommRef copy = comm::dup(*comm);
    CHECK(log == "cacbcc");
    CHECK(copy->attributes.get(*a) == value(11));
    CHECK(copy->attributes.get(*b) == std::nullopt);
    CHECK(comm->attributes.get(*b) == value(20));
    log = "";
    copy->attributes.set(copy.get(), a, value(99));
    CHECK(log == "da");
    CHECK(copy->attributes.get(*a) == value(99));
    copy->attributes.remove(copy.get(), *b);
    CHECK(log == "da");
    log = "";
    test::free(comm);
    CHECK(log == "dcdbda");  // the last one first
    log = "";
    test::free(copy);
    CHECK(log == "dadc");  // a was set again after c was copied
  });
}

TEST_CASE("attributes: an error of a function stops the call and leaves things as they were")
{
  test::run(1, [](Rank&, Communicator& world) {
    std::string log;
    const auto a = std::make_shared<Recorder>('a', log);
    const auto b = std::make_shared<Recorder>('b', log);
    CommRef comm = comm::dup(world);
    comm->attributes.set(comm.get(), a, value(1));
    comm->attributes.set(comm.get(), b, value(2));

    b->copy_code = 77;
    CHECK(code_of([&] { comm::dup(*comm); }) == 77);
    CHECK(log == "cacbda");  // what was copied is removed again

    a->remove_code = 78;
    CHECK(code_of([&] { comm->attributes.set(comm.get(), a, value(3)); }) == 78);
    CHECK(comm->attributes.get(*a) == value(1));
    CHECK(code_of([&] { comm::prepare_to_free(*comm); }) == 78);
    CHECK(comm->attributes.get(*a) == value(1));  // the communicator is still there
    CHECK(comm->attributes.get(*b) == std::nullopt);
    a->remove_code = 0;
    test::free(comm);
  });
}

TEST_CASE("attribute keys: kinds, numbers, and values that outlive their key")
{
  std::string log;
  KeyvalTable table;
  auto key = std::make_shared<Recorder>('k', log);
  const std::weak_ptr<Keyval> watch = key;
  const int number = table.add(key);
  const int other = table.add(std::make_shared<Recorder>('o', log));
  CHECK(number > 0);
  CHECK(other != number);
  CHECK(table.find(number, Keyval::Kind::communicator) == key);
  CHECK(code_of([&] { table.find(number, Keyval::Kind::window); }) == static_cast<int>(ErrorClass::keyval));

  AttributeSet set;
  set.set(nullptr, key, value(5));
  table.remove(number, Keyval::Kind::communicator);
  // In use, it is found by its number, but it cannot be freed again.
  CHECK(table.find(number, Keyval::Kind::communicator) == key);
  CHECK(code_of([&] { table.find(number, Keyval::Kind::window); }) == static_cast<int>(ErrorClass::keyval));
  CHECK(code_of([&] { table.remove(number, Keyval::Kind::communicator); }) ==
        static_cast<int>(ErrorClass::keyval));
  key.reset();
  CHECK_FALSE(watch.expired());
  set.clear(nullptr);
  CHECK(log == "dk");
  CHECK(watch.expired());
  CHECK(code_of([&] { table.find(number, Keyval::Kind::communicator); }) ==
        static_cast<int>(ErrorClass::keyval));
}
