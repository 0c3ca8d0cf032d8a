#include "rma/window_creation.hpp"

#include "coll/coll.hpp"
#include "comm/comm.hpp"
#include "comm/confer.hpp"
#include "terms/error.hpp"

namespace ranklet::rma {

namespace {

using SharedPtr = std::shared_ptr<WindowShared>;

// What a member brings to the making of a window.
struct Offer {
  char* base = nullptr;
  Count size = 0;
  Count disp_unit = 1;
  Memory* memory = nullptr;  // that base points into; taken over
  Count alignment = 1;
  bool noncontiguous = false;
};

// The window's own communicator: its collectives never meet the program's.
CommRef own_communicator(Communicator& comm)
{
  if (comm.is_inter()) fail(ErrorClass::comm, "a window cannot be made over an intercommunicator");
  return comm::create(comm, comm.group());
}

void check_disp_unit(Count disp_unit)
{
  if (disp_unit <= 0)
    fail(ErrorClass::disp, "disp_unit is %lld, but must be positive", static_cast<long long>(disp_unit));
}

Count round_up(Count value, Count to)
{
  return (value + to - 1) / to * to;
}

// One range for all, with each member's part at its place.
void lay_out(WindowShared& shared, std::span<const Offer* const> offers)
{
  Count alignment = 1;
  bool contiguous = false;
  for (const Offer* offer : offers) {
    alignment = std::max(alignment, offer->alignment);
    contiguous = contiguous || !offer->noncontiguous;
  }
  Count total = 0;
  std::vector<Count> begins;
  for (const Offer* offer : offers) {
    if (!contiguous) total = round_up(total, alignment);
    begins.push_back(total);
    if (__builtin_add_overflow(total, offer->size, &total))
      fail(ErrorClass::size, "the sizes of all members together do not fit 64 bits");
  }
  shared.memory.emplace_back(total, alignment);
  // Without a place in the order an empty part has no address either, as other implementations have it.
  for (std::size_t i = 0; i < begins.size(); ++i)
    if (contiguous || offers[i]->size > 0) shared.targets[i].base = shared.memory[0].base() + begins[i];
}

// Collective: all members get the shared part that the first one makes from their offers.
Window* make(Communicator& parent, Flavor flavor, const Offer& offer, const Hints& hints,
             const std::optional<Error>& refusal = {})
{
  struct Vote {
    const Offer* offer;
    const std::optional<Error>* refusal;
  };
  CommRef comm = own_communicator(parent);
  const Vote vote{&offer, &refusal};
  SharedPtr shared = comm::confer<SharedPtr>(*comm, vote, [&](std::span<const Vote* const> votes) {
    std::vector<const Offer*> offers;
    for (const Vote* each : votes) {
      if (*each->refusal) throw Error(**each->refusal);
      offers.push_back(each->offer);
    }
    const auto made = std::make_shared<WindowShared>(flavor, static_cast<int>(offers.size()));
    for (std::size_t i = 0; i < offers.size(); ++i) {
      Target& target = made->targets[i];
      target.base = offers[i]->base;
      target.size = offers[i]->size;
      target.disp_unit = offers[i]->disp_unit;
      if (offers[i]->memory) made->memory.push_back(std::move(*offers[i]->memory));
    }
    if (flavor == Flavor::shared) lay_out(*made, offers);
    return std::vector<SharedPtr>(offers.size(), made);
  });
  return new Window(std::move(comm), std::move(shared), hints);
}

Hints hints_of(const Info* info)
{
  Hints hints;
  if (info) hints.set(*info, true);
  return hints;
}

}  // namespace

Window* create(Communicator& comm, void* base, Count size, Count disp_unit, const Info* info)
{
  const Offer offer{.base = static_cast<char*>(base), .size = size, .disp_unit = disp_unit};
  const auto refusal = refusal_of([&] {
    check_disp_unit(disp_unit);
    if (!base && size > 0)
      fail(ErrorClass::base, "base is a null pointer, but size is %lld", static_cast<long long>(size));
  });
  return make(comm, Flavor::create, offer, hints_of(info), refusal);
}

Window* create_dynamic(Communicator& comm, const Info* info)
{
  return make(comm, Flavor::dynamic, {}, hints_of(info));
}

Window* allocate(Communicator& comm, Count size, Count disp_unit, const Info* info, bool shared)
{
  const Hints hints = hints_of(info);
  Memory memory;
  Offer offer{.size = size,
              .disp_unit = disp_unit,
              .alignment = hints.alignment,
              .noncontiguous = hints.noncontiguous};
  const auto refusal = refusal_of([&] {
    check_disp_unit(disp_unit);
    if (shared) return;
    memory = Memory(size, hints.alignment);
    offer.base = memory.base();
    offer.memory = &memory;
  });
  Window* const window = make(comm, shared ? Flavor::shared : Flavor::allocate, offer, hints, refusal);
  // Where it matters, each member's part lies near its core.
  if (Topology::machine().objects(Level::numa).size() > 1) touch(window->own().base, window->own().size);
  return window;
}

void free(Window& window)
{
  window.check_no_access("MPI_Win_free");
  if (window.posted.are_open())
    fail(ErrorClass::rma_sync, "MPI_Win_free between MPI_Win_post and MPI_Win_wait");
  if (window.holds_any_lock()) fail(ErrorClass::rma_sync, "MPI_Win_free while a lock is held");
  window.attributes.clear(&window);
  coll::barrier(window.comm());
  delete &window;
}

Segment query(const Window& window, int rank)
{
  if (window.shared().flavor == Flavor::dynamic)
    fail(ErrorClass::rma_flavor, "a dynamic window has no memory of its own to be asked for");
  if (rank == proc_null) {
    rank = 0;
    for (int i = window.size() - 1; i >= 0; --i)
      if (window.target(i).size > 0) rank = i;
  }
  const Target& target = window.target(rank);
  return {target.base, target.size, target.disp_unit};
}

namespace {

void check_dynamic(const Window& window)
{
  if (window.shared().flavor != Flavor::dynamic)
    fail(ErrorClass::rma_flavor, "the window was not made by MPI_Win_create_dynamic");
}

}  // namespace

void attach(Window& window, void* base, Count size)
{
  check_dynamic(window);
  if (!base && size > 0) fail(ErrorClass::rma_attach, "base is a null pointer");
  window.own().regions.attach(static_cast<char*>(base), size);
}

void detach(Window& window, const void* base)
{
  check_dynamic(window);
  window.own().regions.detach(static_cast<const char*>(base));
}

}  // namespace ranklet::rma
