// Derived datatypes from rank 0 to rank 1, both sides typed: columns of a matrix, one component of an array
// of vectors, faces of a 3-D array with ghost cells, and a list of places. The two ranks are on two cores.
// Each message carries its number in its first and last element; all of the last message is checked.

#include "measure.h"

enum { window = 8, rows = 1000, side = 130 };

// Element i of the message is the double at out[i] of the sender and at in[i] of the receiver.
struct shape {
  const char* name;
  int rank;
  int count;
  int *out, *in;
  size_t span;  // doubles that the places lie in
  MPI_Datatype out_type, in_type;
  double* memory;
};

static double element(int i, unsigned seed)
{
  return (double)(i % 8191) + 8192.0 * seed;
}

// `calls` windows of messages, each answered by a short one.
static double run(void* self, int calls)
{
  struct shape* s = self;
  double* m = s->memory;
  const int last = s->count - 1;
  unsigned done = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now_ns();
  for (int i = 0; i < calls; ++i) {
    for (int w = 0; w < window; ++w) {
      const double number = i * window + w + 1;
      if (s->rank == 0) {
        m[s->out[0]] = m[s->out[last]] = number;
        MPI_Send(m, 1, s->out_type, 1, 7, MPI_COMM_WORLD);
      } else {
        MPI_Recv(m, 1, s->in_type, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (m[s->in[0]] != number || m[s->in[last]] != number) wrong("%s: message %g", s->name, number);
      }
    }
    if (s->rank == 0)
      MPI_Recv(&done, 1, MPI_UNSIGNED, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Send(&done, 1, MPI_UNSIGNED, 0, 8, MPI_COMM_WORLD);
  }
  return now_ns() - start;
}

static void prepare(void* self, int repetition)
{
  struct shape* s = self;
  memset(s->memory, 0, s->span * sizeof(double));
  for (int i = 0; s->rank == 0 && i < s->count; ++i) s->memory[s->out[i]] = element(i, (unsigned)repetition);
}

static void check(void* self, int repetition, int calls)
{
  struct shape* s = self;
  (void)calls;
  for (int i = 1; s->rank == 1 && i < s->count - 1; ++i)
    if (s->memory[s->in[i]] != element(i, (unsigned)repetition)) wrong("%s: element %d differs", s->name, i);
}

static void begin(struct shape* s, const char* name, int count, size_t span)
{
  s->name = name;
  s->count = count;
  s->span = span;
  s->out = malloc(sizeof(int) * (size_t)count);
  s->in = malloc(sizeof(int) * (size_t)count);
  s->memory = allocate(span * sizeof(double));
}

static void finish(struct shape* s, struct options* o)
{
  MPI_Type_commit(&s->out_type);
  MPI_Type_commit(&s->in_type);
  struct figure f = measure(o, (struct subject){run, prepare, check, s});
  const double bytes = (double)s->count * sizeof(double);
  if (s->rank == 0) {
    printf("datatypes shape=%s bytes=%.0f window=%d MB_per_s=%.0f", s->name, bytes, window,
           bytes * window / f.median_ns * 1e3);
    print_figure(f, window);
  }
  MPI_Type_free(&s->out_type);
  MPI_Type_free(&s->in_type);
  free(s->out);
  free(s->in);
  free(s->memory);
}

// `width` doubles out of every `stride`; the receiver's ones are `width` further on.
static void strided(struct shape* s, struct options* o, const char* name, int count, int width, int stride)
{
  begin(s, name, count * width, (size_t)count * (size_t)stride + (size_t)width);
  for (int i = 0; i < s->count; ++i) {
    s->out[i] = i / width * stride + i % width;
    s->in[i] = s->out[i] + width;
  }
  const MPI_Aint place = (MPI_Aint)((size_t)width * sizeof(double));
  MPI_Datatype columns;
  int one = 1;
  MPI_Type_vector(count, width, stride, MPI_DOUBLE, &s->out_type);
  MPI_Type_vector(count, width, stride, MPI_DOUBLE, &columns);
  MPI_Type_create_hindexed(1, &one, &place, columns, &s->in_type);
  MPI_Type_free(&columns);
  finish(s, o);
}

// The cells next to one face of the inner cube go to the ghost cells beyond the opposite face.
static void face(struct shape* s, struct options* o, const char* name, int axis)
{
  const int inner = side - 2;
  int sizes[3] = {side, side, side}, part[3] = {inner, inner, inner}, from[3] = {1, 1, 1}, to[3] = {1, 1, 1};
  part[axis] = 1;
  from[axis] = inner;
  to[axis] = 0;
  begin(s, name, inner * inner, (size_t)side * side * side);
  for (int i = 0; i < s->count; ++i) {
    int rest = i, out = 0, in = 0, scale = 1;
    for (int d = 2; d >= 0; --d) {
      out += (from[d] + rest % part[d]) * scale;
      in += (to[d] + rest % part[d]) * scale;
      rest /= part[d];
      scale *= side;
    }
    s->out[i] = out;
    s->in[i] = in;
  }
  MPI_Type_create_subarray(3, sizes, part, from, MPI_ORDER_C, MPI_DOUBLE, &s->out_type);
  MPI_Type_create_subarray(3, sizes, part, to, MPI_ORDER_C, MPI_DOUBLE, &s->in_type);
  finish(s, o);
}

// Ascending places with gaps of up to `gap` doubles, drawn differently on both sides.
static void list(struct shape* s, struct options* o, const char* name, int count, int gap)
{
  unsigned long long state = 88172645463325252ull;
  begin(s, name, count, (size_t)count * (size_t)(gap + 1));
  for (int which = 0; which < 2; ++which) {
    int* places = which == 0 ? s->out : s->in;
    for (int i = 0, at = 0; i < count; ++i, ++at) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      at += (int)(state % (unsigned)(gap + 1));
      places[i] = at;
    }
  }
  MPI_Type_create_indexed_block(count, 1, s->out, MPI_DOUBLE, &s->out_type);
  MPI_Type_create_indexed_block(count, 1, s->in, MPI_DOUBLE, &s->in_type);
  finish(s, o);
}

int main(int argc, char** argv)
{
  struct options o;
  struct shape s = {.rank = start_two_ranks(argc, argv, &o)};
  strided(&s, &o, "column", rows, 1, rows);
  strided(&s, &o, "8_columns", rows, 8, rows);
  strided(&s, &o, "component", 65536, 1, 3);
  face(&s, &o, "face_x", 2);
  face(&s, &o, "face_y", 1);
  face(&s, &o, "face_z", 0);
  list(&s, &o, "list", 16384, 6);
  end_mpi(&o);
  return 0;
}
