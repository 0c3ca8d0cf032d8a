// What runs at the end, in which order. The test compares with the same program as a process.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

extern "C" {
int on_exit(void (*)(int, void*), void*) noexcept;
void end_library_say(const char*);
}

namespace {

struct Loud {
  const char* name;
  explicit Loud(const char* its_name) : name(its_name) { std::printf("construct %s\n", name); }
  ~Loud() { std::printf("destroy %s\n", name); }
};

Loud first_global("first global");
Loud second_global("second global");
thread_local Loud local_to_thread("thread_local");

Loud& on_demand()
{
  static Loud object("function static");
  return object;
}

__attribute__((constructor)) void constructor()
{
  std::puts("constructor");
}
__attribute__((destructor)) void destructor()
{
  std::puts("destructor");
}

void handler_one()
{
  std::puts("handler one");
}
void handler_two()
{
  std::puts("handler two");
  std::atexit([] { std::puts("handler registered by handler two"); });
}

}  // namespace

int main(int argc, char** argv)
{
  std::atexit(handler_one);
  on_exit([](int code, void* text) { std::printf("on_exit %d %s\n", code, static_cast<char*>(text)); },
          const_cast<char*>("text"));
  std::atexit(handler_two);
  std::printf("in main: %s\n", local_to_thread.name);
  std::thread([] { std::printf("in thread: %s\n", local_to_thread.name); }).join();
  on_demand();
  end_library_say("main speaks");
  const char* how = argc > 1 ? argv[1] : "return";
  if (std::strcmp(how, "exit") == 0) std::exit(5);
  if (std::strcmp(how, "again") == 0) std::atexit([] { std::exit(9); });
  if (std::strcmp(how, "quick") == 0) {
    std::at_quick_exit([] {
      std::puts("quick handler");
      std::fflush(stdout);
    });
    std::quick_exit(6);
  }
  if (std::strcmp(how, "throw") == 0) {
    try {
      throw 1;
    } catch (int) {
      std::exit(7);
    }
  }
  return 4;
}
