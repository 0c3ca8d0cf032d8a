int start_mpi(void);

int main(void)
{
  return start_mpi();
}
