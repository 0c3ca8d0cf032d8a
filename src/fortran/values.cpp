#include "fortran/values.hpp"

namespace ranklet::fortran {
namespace {

template <class T>
T* allocate(std::size_t n)
{
  auto* const memory = static_cast<T*>(std::calloc(n, sizeof(T)));
  if (memory == nullptr) std::abort();
  return memory;
}

char* copy_of(const char* text, std::size_t length)
{
  const String string(text, length);
  char* const copy = allocate<char>(std::strlen(string.data()) + 1);
  return std::strcpy(copy, string.data());
}

bool is_blank(const char* text, std::size_t length)
{
  for (std::size_t i = 0; i < length; ++i)
    if (text[i] != ' ') return false;
  return true;
}

// The strings at first, first + stride … up to a blank one.
char** list_of(const char* first, std::size_t length, std::size_t stride)
{
  std::size_t n = 0;
  while (!is_blank(first + n * stride, length)) ++n;
  char** const list = allocate<char*>(n + 1);
  for (std::size_t i = 0; i < n; ++i) list[i] = copy_of(first + i * stride, length);
  return list;
}

void free_list(char** list)
{
  if (list == nullptr) return;
  for (char** string = list; *string != nullptr; ++string) std::free(*string);
  std::free(list);
}

}  // namespace

Strings::Strings(const char* first, std::size_t length, int n)
{
  if (n <= 0) return;
  const auto count = static_cast<std::size_t>(n);
  strings_ = allocate<char*>(count + 1);
  for (std::size_t i = 0; i < count; ++i) strings_[i] = copy_of(first + i * length, length);
}

Strings::~Strings()
{
  free_list(strings_);
}

Arguments::Arguments(const char* first, std::size_t length, bool counts)
{
  if (counts && first != nullptr) arguments_ = list_of(first, length, length);
}

Arguments::~Arguments()
{
  free_list(arguments_);
}

ArgumentLists::ArgumentLists(const char* first, std::size_t length, int n) : n_(n)
{
  if (n <= 0 || first == nullptr) return;
  const auto rows = static_cast<std::size_t>(n);
  lists_ = allocate<char**>(rows);
  for (std::size_t i = 0; i < rows; ++i) lists_[i] = list_of(first + i * length, length, rows * length);
}

ArgumentLists::~ArgumentLists()
{
  for (int i = 0; lists_ != nullptr && i < n_; ++i) free_list(lists_[i]);
  std::free(lists_);
}

int peers(MPI_Comm comm)
{
  int inter = 0, size = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return 0;
  if ((inter != 0 ? PMPI_Comm_remote_size(comm, &size) : PMPI_Comm_size(comm, &size)) != MPI_SUCCESS) return 0;
  return size;
}

int cartesian_dimensions(MPI_Comm comm)
{
  int n = 0;
  return PMPI_Cartdim_get(comm, &n) == MPI_SUCCESS ? n : 0;
}

int neighbours(MPI_Comm comm, bool sources)
{
  int topology = MPI_UNDEFINED, n = 0, rank = 0, in = 0, out = 0, weighted = 0;
  if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS) return 0;
  switch (topology) {
    case MPI_CART: return 2 * cartesian_dimensions(comm);
    case MPI_GRAPH:
      if (PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS) return 0;
      return PMPI_Graph_neighbors_count(comm, rank, &n) == MPI_SUCCESS ? n : 0;
    case MPI_DIST_GRAPH:
      if (PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted) != MPI_SUCCESS) return 0;
      return sources ? in : out;
    default: return 0;
  }
}

bool is_root(int root, MPI_Comm comm)
{
  int inter = 0, rank = -1;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return false;
  if (inter != 0) return root == MPI_ROOT;
  return PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}

}  // namespace ranklet::fortran
