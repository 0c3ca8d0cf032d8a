// What processes hand over: packets and descriptions from one that speaks another language, or lies. They are
// read or refused with an Error. The first byte says what the rest is taken for.
#include <cstdint>
#include <string_view>

#include <sys/socket.h>
#include <unistd.h>

#include "handover/bytes.hpp"
#include "handover/packet.hpp"
#include "handover/program_state.hpp"
#include "launch/job_description.hpp"
#include "terms/error.hpp"

namespace {

void read_packet(std::string_view bytes)
{
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  if (::send(ends[0], bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) {
    const auto [received, packet] = ranklet::handover::receive(ends[1], false);
    for (const int descriptor : packet.descriptors) ::close(descriptor);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

void read_job(std::string_view bytes)
{
  const int descriptor = ranklet::write_to_memory(bytes, "job");
  try {
    const auto job = ranklet::launch::read_description(descriptor);
    for (int rank = 0; rank < std::min(job.size(), 4); ++rank) job.program_of(rank);
  } catch (const ranklet::Error&) {
  }
  ::close(descriptor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 3) {
      case 0:
        read_packet(bytes);
        break;
      case 1:
        read_job(bytes);
        break;
      case 2:
        ranklet::handover::ProgramState::from(std::string(bytes));
        break;
    }
  } catch (const ranklet::Error&) {
  }
  return 0;
}
