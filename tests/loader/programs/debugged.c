/* gdb stops here and shows the line and the variable. */
#include "check.h"

static int the_rank;

static void stop_here(void)
{
  ++the_rank; /* the line to stop at */
}

int main(int argc, char** argv)
{
  the_rank = 40 + rank_of(argc, argv);
  stop_here();
  return the_rank;
}
