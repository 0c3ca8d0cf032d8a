/* Notes its handlers' calls; opened and closed by libc_fork_handlers. */
#include <pthread.h>

void note(char what);

static void prepare(void) { note('P'); }
static void parent(void) { note('A'); }
static void child(void) { note('C'); }

__attribute__((constructor)) static void start(void)
{
  pthread_atfork(prepare, parent, child);
}
