// Its objects end after the program's.
#include <cstdio>

namespace {

struct Loud {
  Loud() { std::puts("library constructs"); }
  ~Loud() { std::puts("library destroys"); }
};
Loud object;

__attribute__((destructor)) void destructor()
{
  std::puts("library destructor");
}

}  // namespace

extern "C" void end_library_say(const char* text)
{
  static Loud on_demand;
  std::printf("library: %s\n", text);
}
