#include "fortran/attribute_cells.hpp"

#include "fortran/mutex.hpp"

namespace ranklet::fortran {
namespace {

// Cells lie in blocks, so that a pointer can be told to be one; a hash table finds the cell of a value.
struct Block {
  static constexpr std::size_t size = 256;
  Block* next;
  std::size_t used;
  MPI_Aint cells[size];
};

Mutex cells_mutex;
Block* blocks RANKLET_GUARDED_BY(cells_mutex) RANKLET_POINTEE_GUARDED_BY(cells_mutex);
// Of capacity slots, at most half of them in use.
MPI_Aint** table RANKLET_GUARDED_BY(cells_mutex) RANKLET_POINTEE_GUARDED_BY(cells_mutex);
std::size_t capacity RANKLET_GUARDED_BY(cells_mutex), used RANKLET_GUARDED_BY(cells_mutex);

std::size_t slot_of(MPI_Aint value, MPI_Aint* const* slots, std::size_t n)
{
  auto slot = (static_cast<std::size_t>(value) * 0x9e3779b97f4a7c15u) >> 20;
  while (slots[slot % n] != nullptr && *slots[slot % n] != value) ++slot;
  return slot % n;
}

void grow() RANKLET_REQUIRES(cells_mutex)
{
  const std::size_t larger = capacity == 0 ? 64 : 2 * capacity;
  auto** const slots = static_cast<MPI_Aint**>(std::calloc(larger, sizeof(MPI_Aint*)));
  if (slots == nullptr) std::abort();
  for (std::size_t i = 0; i < capacity; ++i)
    if (table[i] != nullptr) slots[slot_of(*table[i], slots, larger)] = table[i];
  std::free(table);
  table = slots;
  capacity = larger;
}

MPI_Aint* new_cell(MPI_Aint value) RANKLET_REQUIRES(cells_mutex)
{
  if (blocks == nullptr || blocks->used == Block::size) {
    auto* const block = static_cast<Block*>(std::calloc(1, sizeof(Block)));
    if (block == nullptr) std::abort();
    block->next = blocks;
    blocks = block;
  }
  MPI_Aint* const cell = &blocks->cells[blocks->used++];
  *cell = value;
  return cell;
}

bool is_cell(const void* pointer) RANKLET_REQUIRES(cells_mutex)
{
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  for (const Block* block = blocks; block != nullptr; block = block->next)
    if (address - reinterpret_cast<std::uintptr_t>(block->cells) < sizeof block->cells) return true;
  return false;
}

}  // namespace

void* attribute_cell(MPI_Aint value)
{
  const Locked locked(cells_mutex);
  if (2 * used >= capacity) grow();
  MPI_Aint*& slot = table[slot_of(value, table, capacity)];
  if (slot == nullptr) {
    slot = new_cell(value);
    ++used;
  }
  return slot;
}

MPI_Aint attribute_value(int keyval, void* pointer)
{
  switch (keyval) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL: return *static_cast<int*>(pointer);
    case MPI_WIN_SIZE: return *static_cast<MPI_Aint*>(pointer);
    default: break;
  }
  const Locked locked(cells_mutex);
  return is_cell(pointer) ? *static_cast<MPI_Aint*>(pointer) : reinterpret_cast<MPI_Aint>(pointer);
}

}  // namespace ranklet::fortran
