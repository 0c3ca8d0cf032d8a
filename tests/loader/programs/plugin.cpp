// Opened with dlopen.
#include <string>

extern "C" {

int plugin_state = 1;
__thread int plugin_thread_local = 5;
int program_function(int number);

int plugin_add(int number)
{
  plugin_state += number;
  plugin_thread_local += number;
  return program_function(plugin_state);
}
int plugin_local()
{
  return plugin_thread_local;
}
int plugin_catches()
{
  try {
    throw std::string("thrown");
  } catch (const std::string& text) {
    return static_cast<int>(text.size());
  }
}
}

namespace {
struct Constructed {
  Constructed() { plugin_state += 100; }
  ~Constructed() { program_function(-1); }
} constructed;
}  // namespace
