// Opened and closed again and again by closes_libraries.c.
static int initialised;
static _Thread_local int of_this_thread = 17;

__attribute__((constructor)) static void initialise(void)
{
  ++initialised;
}

// How often a copy of this library has been initialised; 0 if this thread's storage is not as it was at first.
int times_initialised(void)
{
  return of_this_thread++ == 17 ? initialised : 0;
}
