/* Needed by private_library only, found through its RUNPATH. */
static int state = 500;

int deeper_state(void)
{
  return state;
}
void deeper_add(int number)
{
  state += number;
}
