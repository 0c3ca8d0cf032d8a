// Litmus tests of memory order through MPI: each shape with each synchronisation, many times; prints how
// often each outcome came. Judges nothing: bench/litmus.py sets the verdicts of the memory model beside the
// counts.
//
//     mpiexec -n 2 litmus [--rounds N] [--seconds S] [--cores a,b[,c,d]] [--only WORD]
//
// Two families. A *shape* has two accesses on each rank and a synchronisation between them that waits for
// nobody. A *rule* has an access on rank 0, a synchronisation from rank 0 to the others, and an access there.
// On two ranks all shapes but iriw run, and the rules; on four iriw, and the rules. Prints lines
//     litmus shape=sb sync=win_sync ranks=2 rounds=1000 outcomes=0,0:3;0,1:500;...

#include "litmus_rules.h"
#include "litmus_shapes.h"

struct settings {
  struct extent extent;
  int cores[max_ranks];
  const char* only;
};

static _Noreturn void usage(const char* program)
{
  fprintf(stderr, "usage: %s [--rounds N] [--seconds S] [--cores a,b[,c,d]] [--only WORD]\n", program);
  MPI_Abort(MPI_COMM_WORLD, 2);
  abort();
}

static struct settings read_settings(int argc, char** argv)
{
  struct settings s = {{100000, 2}, {0, 1, 2, 3}, NULL};
  for (int i = 1; i < argc; ++i) {
    if (i + 1 == argc) usage(argv[0]);
    const char* value = argv[i + 1];
    if (strcmp(argv[i], "--rounds") == 0 && atol(value) > 0) {
      s.extent.rounds = atol(value);
    } else if (strcmp(argv[i], "--seconds") == 0 && atof(value) > 0) {
      s.extent.seconds = atof(value);
    } else if (strcmp(argv[i], "--only") == 0) {
      s.only = value;
    } else if (strcmp(argv[i], "--cores") == 0) {
      int n = 0;
      for (char* at = argv[i + 1]; n < max_ranks; ++n, ++at) {
        s.cores[n] = (int)strtol(at, &at, 10);
        if (*at != ',') break;
      }
      // With fewer cores than ranks they go round.
      for (int k = n + 1; k < max_ranks; ++k) s.cores[k] = s.cores[k - n - 1];
    } else {
      usage(argv[0]);
    }
    ++i;
  }
  return s;
}

static int wanted(const struct settings* s, const char* one, const char* other)
{
  return s->only == NULL || strcmp(s->only, one) == 0 || strcmp(s->only, other) == 0;
}

static void run_all(const struct settings* s, MPI_Comm comm)
{
  for (int rules_only = 0; rules_only < 2; ++rules_only) {
    struct world w;
    open_world(&w, comm, rules_only);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k)
      for (enum local how = 0; how < locals; ++how)
        if (shapes[k].ranks == w.size && (how == win_sync_rules) == rules_only &&
            wanted(s, shapes[k].name, local_names[how]))
          run_shape(&w, &shapes[k], how, &s->extent);
    for (size_t k = 0; !rules_only && k < sizeof all_directed / sizeof *all_directed; ++k)
      for (enum rule rule = 0; rule < rules; ++rule)
        if (wanted(s, rule_names[rule], all_directed[k].name))
          run_rule(&w, rule, &all_directed[k], &s->extent);
    close_world(&w);
  }
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  const struct settings s = read_settings(argc, argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2 && size != 4) usage(argv[0]);
  if (pin_to_cpu(s.cores[rank]) != 0) wrong("cannot run on CPU %d", s.cores[rank]);
  run_all(&s, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
