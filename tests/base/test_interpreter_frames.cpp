#include <doctest/doctest.h>

#include <unistd.h>

#include "base/interpreter_frames.hpp"

using namespace ranklet;

namespace {

constexpr const char* frames =
    "Thread 0x00007f00000010a0 [worker] (most recent call first):\n"
    "  File \"/usr/lib/python3.11/threading.py\", line 320 in wait\n"
    "  File \"/home/me/it's, line 7 in \", line 8 in run\n"
    "\n"
    "Current thread 0x00007f00000020b0 (most recent call first):\n"
    "  File \"halo.py\", line 12 in <module>\n"
    "Thread 0x00007f00000030c0 (most recent call first):\n"
    "  <no Python frame>\n";

void dump(int descriptor)
{
  const std::string text = frames;
  CHECK(::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

}  // namespace

TEST_CASE("the innermost frame of a thread is found in what Python's faulthandler writes")
{
  CHECK(innermost_frame(frames, 0x7f00000010a0) == "wait() at threading.py:320");
  CHECK(innermost_frame(frames, 0x7f00000020b0) == "<module> at halo.py:12");
  CHECK(innermost_frame(frames, 0x7f00000030c0) == "");
  CHECK(innermost_frame(frames, 0x7f00000040d0) == "");
  CHECK(innermost_frame("Thread 0x00000000000010a0 (most recent call first):", 0x10a0) == "");
  CHECK(innermost_frame("", 0x10a0) == "");
  CHECK(interpreter_place(dump, 0x7f00000020b0) == "<module> at halo.py:12");
  CHECK(interpreter_place(nullptr, 0x7f00000020b0) == "");
}
