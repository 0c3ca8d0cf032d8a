#include "handover/packet.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "terms/error.hpp"

namespace ranklet::handover {
namespace {

struct PacketHead {
  unsigned mark;
  int kind, rank, value;
};
// Of this version of the packets.
constexpr unsigned packet_mark = 0x524b4832;
constexpr std::size_t longest_text = 8192;

struct Space {
  alignas(cmsghdr) char bytes[CMSG_SPACE(sizeof(int) * most_descriptors)];
};

ucred peer(int socket)
{
  ucred result{};
  socklen_t size = sizeof result;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &result, &size) != 0) result.uid = static_cast<uid_t>(-1);
  return result;
}

// The first byte of a name in the abstract namespace is zero, a path ends with one (unix(7)).
socklen_t address_of(const std::string& name, sockaddr_un& address)
{
  address = {};
  address.sun_family = AF_UNIX;
  const std::size_t size = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + (name.starts_with('/') ? 0 : 1), name.data(), size);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
}

}  // namespace

bool send(int socket, const Packet& packet, bool wait)
{
  PacketHead head{packet_mark, static_cast<int>(packet.kind), packet.rank, packet.value};
  iovec parts[2] = {{&head, sizeof head},
                    {const_cast<char*>(packet.text.data()), std::min(packet.text.size(), longest_text)}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  Space space{};
  if (!packet.descriptors.empty()) {
    const std::size_t bytes = sizeof(int) * std::min(packet.descriptors.size(), most_descriptors);
    message.msg_control = space.bytes;
    message.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* const control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(control), packet.descriptors.data(), bytes);
  }
  ssize_t sent;
  while ((sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT))) < 0 &&
         errno == EINTR) {
  }
  return sent >= 0;
}

std::pair<Received, Packet> receive(int socket, bool wait)
{
  PacketHead head{};
  char text[longest_text];
  iovec parts[2] = {{&head, sizeof head}, {text, sizeof text}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  Space space;
  message.msg_control = space.bytes;
  message.msg_controllen = sizeof space.bytes;
  ssize_t got;
  while ((got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT))) < 0 &&
         errno == EINTR) {
  }
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {Received::nothing, {}};
  Packet packet{};
  for (cmsghdr* control = got < 0 ? nullptr : CMSG_FIRSTHDR(&message); control != nullptr;
       control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    packet.descriptors.resize((control->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(packet.descriptors.data(), CMSG_DATA(control), packet.descriptors.size() * sizeof(int));
  }
  if (got < static_cast<ssize_t>(sizeof head) || head.mark != packet_mark) {
    for (const int descriptor : packet.descriptors) ::close(descriptor);
    return {Received::end, {}};
  }
  packet.kind = static_cast<Packet::Kind>(head.kind);
  packet.rank = head.rank;
  packet.value = head.value;
  packet.text.assign(text, static_cast<std::size_t>(got) - sizeof head);
  return {Received::packet, std::move(packet)};
}

std::pair<int, std::string> listen()
{
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    fail(ErrorClass::no_mem, "no random number: %s", std::strerror(errno));
  std::string name = "ranklet-";
  for (const unsigned char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    name += digits;
  }
  return {listen_at(name), name};
}

int listen_at(const std::string& name)
{
  const int listener = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un address;
  const socklen_t size = address_of(name, address);
  if (listener < 0 || ::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener, 4096) != 0)
    fail(ErrorClass::no_mem, "no socket: %s", std::strerror(errno));
  return listener;
}

int accept(int listener)
{
  while (true) {
    const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0 && errno == EINTR) continue;
    if (socket < 0 || peer(socket).uid == ::geteuid()) return socket;
    ::close(socket);
  }
}

int connect(const std::string& name)
{
  const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address;
  const socklen_t size = address_of(name, address);
  if (socket >= 0 && ::connect(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      peer(socket).uid == ::geteuid())
    return socket;
  if (socket >= 0) ::close(socket);
  return -1;
}

int process_behind(int socket)
{
  return peer(socket).pid;
}

}  // namespace ranklet::handover
