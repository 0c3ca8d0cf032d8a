// A library that a program links to: its data is private, also where the program refers to it directly (copy
// relocation), and what it calls in the program is its own rank's.
#include <string>

extern "C" {

int library_counter = 1000;                 // the program uses it directly
int library_table[4] = {1, 2, 3, 4};        // as well
const char* library_name = "private";
__thread int library_thread_local = 70;     // as well
static __thread int own_thread_local = 80;
static __thread int initial_exec_local __attribute__((tls_model("initial-exec"))) = 90;
static int initialised_by_constructor;
int deeper_state();
void deeper_add(int);
int program_number();                       // the program defines it
int __attribute__((weak)) absent_function();

__attribute__((constructor)) void prepare()
{
  initialised_by_constructor = library_counter + deeper_state();
}

void library_add(int number)
{
  library_counter += number;
  library_thread_local += number;
  own_thread_local += number;
  initial_exec_local += number;
  deeper_add(number);
}
int library_sees()
{
  return library_counter;
}
int library_locals()
{
  return library_thread_local + own_thread_local + initial_exec_local;
}
int library_constructed()
{
  return initialised_by_constructor;
}
int library_calls_back()
{
  return program_number() + (absent_function ? 1 : 0);
}
int interposed()
{
  return 1;
}
int library_calls_interposed()
{
  return interposed();
}
}

std::string& library_text()
{
  static std::string text = "text";
  return text;
}

void library_throws(int number)
{
  throw number;
}

int implementation_plain()
{
  return 7;
}

extern "C" {
typedef int (*implementation)();
implementation choose()
{
  return implementation_plain;
}
int indirect_function() __attribute__((ifunc("choose")));
}
