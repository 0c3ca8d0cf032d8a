// How long a thread runs before the kernel looks whether another one should.
#pragma once

namespace ranklet {

// Asks for the shortest slices for the calling thread and those that it starts. A thread that is woken gets
// its core at once from one whose slices are longer, and a yield costs it no more than a slice of its share:
// where ranks share cores with programs that compute, they do not wait for the ends of those programs'
// slices. False if the kernel does not do this (Linux has done since 6.12), refuses it, or the thread's
// policy has no slices.
bool take_short_slices() noexcept;

}  // namespace ranklet
