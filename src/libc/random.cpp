#include "libc/random.hpp"

#include "libc/libc_state.hpp"

namespace ranklet::loader {

RandomNumbers::RandomNumbers()
{
  ::initstate_r(1, first_state_.data(), first_state_.size(), &data_);
}

long RandomNumbers::next()
{
  const Holder guard(mutex_);
  int result;
  ::random_r(&data_, &result);
  return result;
}

void RandomNumbers::seed(unsigned value)
{
  const Holder guard(mutex_);
  ::srandom_r(value, &data_);
}

// Before the first number lies the word in which the functions save the kind of the state: a state array's
// address, as initstate and setstate give and take it, is that word's.
char* RandomNumbers::use_new_state(unsigned seed, char* state, std::size_t size)
{
  const Holder guard(mutex_);
  char* const previous = reinterpret_cast<char*>(data_.state - 1);
  return ::initstate_r(seed, state, size, &data_) == 0 ? previous : nullptr;
}

char* RandomNumbers::use_state(char* state)
{
  const Holder guard(mutex_);
  char* const previous = reinterpret_cast<char*>(data_.state - 1);
  return ::setstate_r(state, &data_) == 0 ? previous : nullptr;
}

namespace {

long rank_random()
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->random.next() : ::random();
}

int rank_rand()
{
  return static_cast<int>(rank_random());
}

void rank_srandom(unsigned seed)
{
  LibcState* const state = current_libc();
  if (state != nullptr)
    state->random.seed(seed);
  else
    ::srandom(seed);
}

char* rank_initstate(unsigned seed, char* array, std::size_t size)
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->random.use_new_state(seed, array, size) : ::initstate(seed, array, size);
}

char* rank_setstate(char* array)
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->random.use_state(array) : ::setstate(array);
}

// In threads of the host, libc's own state would be the right one. No image's code runs there, except a
// callback that a library calls on its own thread: such a thread shares one state with its like.
drand48_data& data48()
{
  static drand48_data host;
  LibcState* const state = current_libc();
  return state != nullptr ? state->random.data48() : host;
}

double rank_drand48()
{
  double result;
  ::drand48_r(&data48(), &result);
  return result;
}

double rank_erand48(unsigned short* numbers)
{
  double result;
  ::erand48_r(numbers, &data48(), &result);
  return result;
}

long rank_lrand48()
{
  long result;
  ::lrand48_r(&data48(), &result);
  return result;
}

long rank_nrand48(unsigned short* numbers)
{
  long result;
  ::nrand48_r(numbers, &data48(), &result);
  return result;
}

long rank_mrand48()
{
  long result;
  ::mrand48_r(&data48(), &result);
  return result;
}

long rank_jrand48(unsigned short* numbers)
{
  long result;
  ::jrand48_r(numbers, &data48(), &result);
  return result;
}

void rank_srand48(long seed)
{
  ::srand48_r(seed, &data48());
}

unsigned short* rank_seed48(unsigned short* numbers)
{
  ::seed48_r(numbers, &data48());
  return data48().__old_x;
}

void rank_lcong48(unsigned short* parameters)
{
  ::lcong48_r(parameters, &data48());
}

const Override random_table[] = {
    override_with("rand", &rank_rand),           override_with("srand", &rank_srandom),
    override_with("random", &rank_random),       override_with("srandom", &rank_srandom),
    override_with("initstate", &rank_initstate), override_with("setstate", &rank_setstate),
    override_with("drand48", &rank_drand48),     override_with("erand48", &rank_erand48),
    override_with("lrand48", &rank_lrand48),     override_with("nrand48", &rank_nrand48),
    override_with("mrand48", &rank_mrand48),     override_with("jrand48", &rank_jrand48),
    override_with("srand48", &rank_srand48),     override_with("seed48", &rank_seed48),
    override_with("lcong48", &rank_lcong48),
};

}  // namespace

std::span<const Override> random_overrides()
{
  return random_table;
}

}  // namespace ranklet::loader
