// SIGUSR1 to the host: what the ranks are doing is printed, and the job goes on.
#pragma once

#include <functional>

namespace ranklet::launch {

// From now on, for the life of the process, calls print() on a thread of its own for each SIGUSR1, unless the
// program handles that signal itself. To be called once.
void print_state_on_signal(std::function<void()> print);

}  // namespace ranklet::launch
