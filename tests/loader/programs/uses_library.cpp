// A program with a private library. Arguments: ranks rank.
#include <string>
#include <thread>

#include "check.h"

extern "C" {
void meet(int ranks);
extern int library_counter;
extern int library_table[4];
extern const char* library_name;
extern __thread int library_thread_local;
void library_add(int number);
int library_sees();
int library_locals();
int library_constructed();
int library_calls_back();
int library_calls_interposed();
int indirect_function();
int deeper_state();

static int number_of_rank;
int program_number()
{
  return 1000 + number_of_rank;
}
int interposed()  // stands before the library's own
{
  return 2;
}
}
std::string& library_text();
void library_throws(int number);

int main(int argc, char** argv)
{
  const int rank = rank_of(argc, argv);
  const int ranks = std::atoi(argv[argc - 2]);
  number_of_rank = rank;
  CHECK(library_counter == 1000);
  CHECK(library_table[3] == 4);
  CHECK(std::string(library_name) == "private");
  CHECK(library_constructed() == 1500);
  library_add(rank);
  library_table[3] += rank;
  library_text() += std::to_string(rank);
  meet(ranks);
  CHECK(library_counter == 1000 + rank);
  CHECK(library_sees() == 1000 + rank);
  library_counter = 1;
  CHECK(library_sees() == 1);
  CHECK(library_thread_local == 70 + rank);
  CHECK(library_locals() == 240 + 3 * rank);
  CHECK(deeper_state() == 500 + rank);
  CHECK(library_calls_back() == 1000 + rank);
  CHECK(library_calls_interposed() == 2);
  CHECK(indirect_function() == 7);
  CHECK(&indirect_function != nullptr && (*&indirect_function)() == 7);
  CHECK(library_text() == "text" + std::to_string(rank));
  int caught = -1;
  try {
    library_throws(rank);
  } catch (int number) {
    caught = number;
  }
  CHECK(caught == rank);
  int locals_of_thread = 0;
  std::thread([&] { locals_of_thread = library_locals() + library_thread_local; }).join();
  CHECK(locals_of_thread == 310);
  meet(ranks);
  return check_failures != 0;
}
