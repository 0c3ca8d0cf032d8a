// C++: template statics, inline variables, function statics, thread_local with and without constructors, exceptions,
// streams, threads. Arguments: ranks rank.
#include <atomic>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

#include "check.h"

extern "C" void meet(int ranks);

namespace {

template <class T>
struct Counter {
  static int value;
};
template <class T>
int Counter<T>::value = 1;

struct Base {
  virtual ~Base() = default;
  virtual int number() const { return 1; }
};
struct Derived : Base {
  int number() const override { return 2; }
};

struct Tracked {
  Tracked() { ++alive; }
  ~Tracked() { --alive; }
  int value = 40;
  static std::atomic<int> alive;
};
std::atomic<int> Tracked::alive{0};  // the threads below construct theirs at once

thread_local int plain_local = 30;
thread_local Tracked tracked_local;
std::string global_text = "a text that is too long for the small string buffer";

int& function_static()
{
  static int value = 50;
  return value;
}

std::string& guarded_static(int rank)
{
  static std::string text = "rank " + std::to_string(rank);
  return text;
}

}  // namespace

inline int inline_variable = 20;
inline thread_local int inline_thread_local = 60;

template <class T>
T& unique_static()
{
  static T value{};
  return value;
}

int main(int argc, char** argv)
{
  const int rank = rank_of(argc, argv);
  const int ranks = std::atoi(argv[argc - 2]);
  Counter<int>::value += rank;
  inline_variable += rank;
  function_static() += rank;
  plain_local += rank;
  inline_thread_local += rank;
  tracked_local.value += rank;
  unique_static<long>() += rank;
  global_text += std::to_string(rank);
  guarded_static(rank);
  std::cout.precision(rank + 3);
  meet(ranks);
  CHECK(Counter<int>::value == 1 + rank);
  CHECK(inline_variable == 20 + rank);
  CHECK(function_static() == 50 + rank);
  CHECK(plain_local == 30 + rank);
  CHECK(inline_thread_local == 60 + rank);
  CHECK(tracked_local.value == 40 + rank);
  CHECK(unique_static<long>() == rank);
  CHECK(global_text == "a text that is too long for the small string buffer" + std::to_string(rank));
  CHECK(guarded_static(-1) == "rank " + std::to_string(rank));
  CHECK(std::cout.precision() == rank + 3);
  CHECK(Tracked::alive == 1);

  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      const int fresh = plain_local + inline_thread_local;
      const int constructed = tracked_local.value;
      bool caught = false;
      try {
        throw std::runtime_error("in a thread");
      } catch (const std::exception& error) {
        caught = std::string(error.what()) == "in a thread";
      }
      const std::lock_guard lock(mutex);
      CHECK(fresh == 90);
      CHECK(constructed == 40);
      CHECK(caught);
      CHECK(Counter<int>::value == 1 + rank);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(Tracked::alive == 1);

  const std::unique_ptr<Base> object = std::make_unique<Derived>();
  CHECK(object->number() == 2);
  CHECK(dynamic_cast<Derived*>(object.get()) != nullptr);
  const Base& base = *object;
  CHECK(typeid(base) == typeid(Derived));
  try {
    static_cast<void>(std::vector<int>().at(3));
    CHECK(false);
  } catch (const std::out_of_range&) {
    CHECK(std::uncaught_exceptions() == 0);
  }
  std::once_flag once;
  int called = 0;
  std::call_once(once, [&] { called = rank + 1; });
  CHECK(called == rank + 1);
  std::ostringstream text;
  text << std::hex << 255 << ' ' << 1.5;
  CHECK(text.str() == "ff 1.5");
  meet(ranks);
  return check_failures != 0;
}
