// A shared object or executable as it lies on disk, checked enough that reading it cannot leave the file.
#pragma once

#include <elf.h>
#include <sys/types.h>

#include <cstddef>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ranklet::loader {

inline constexpr std::size_t page_size = 4096;

constexpr Elf64_Addr page_floor(Elf64_Addr address)
{
  return address & ~(page_size - 1);
}

constexpr Elf64_Addr page_ceil(Elf64_Addr address)
{
  return (address + page_size - 1) & ~(page_size - 1);
}

// "AArch64", "32-bit x86" ... for messages.
std::string architecture_name(unsigned char elf_class, unsigned machine);

class ElfFile {
 public:
  // Throws Error if the file cannot be read, is not ELF for x86-64, or is damaged.
  static std::shared_ptr<const ElfFile> open(const std::string& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  int descriptor() const noexcept { return descriptor_; }
  // Tells files apart, whatever their names.
  struct Identity {
    dev_t device = 0;
    ino_t number = 0;
    auto operator<=>(const Identity&) const = default;
  };
  const Identity& identity() const noexcept { return identity_; }
  // Whether somebody has written to the file since it was opened. A process's program cannot be written to;
  // ours is mapped, not executed. May be called in a signal handler.
  bool was_changed() const noexcept;
  const Elf64_Ehdr& header() const noexcept { return *reinterpret_cast<const Elf64_Ehdr*>(bytes_.data()); }
  std::span<const Elf64_Phdr> segments() const noexcept { return segments_; }
  const Elf64_Phdr* segment(Elf64_Word type) const noexcept;
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  // The dynamic section without its end mark; empty in a static program.
  std::span<const Elf64_Dyn> dynamic() const noexcept { return dynamic_; }
  std::optional<Elf64_Xword> dynamic_value(Elf64_Sxword tag) const noexcept;
  bool has_dynamic_flag(Elf64_Xword flag) const noexcept
  {
    return dynamic_value(DT_FLAGS).value_or(0) & flag;
  }
  bool has_dynamic_flag_1(Elf64_Xword flag) const noexcept
  {
    return dynamic_value(DT_FLAGS_1).value_or(0) & flag;
  }

  std::string soname() const;  // empty if it has none
  std::vector<std::string> needed() const;
  std::string dynamic_string(Elf64_Sxword tag) const;  // of DT_RUNPATH or DT_RPATH; empty if absent

  // What the file holds for `count` objects at a virtual address; throws Error if that is not in a loaded
  // segment, or not aligned for them.
  template <class T>
  std::span<const T> at(Elf64_Addr address, std::size_t count) const
  {
    return {reinterpret_cast<const T*>(place(address, count * sizeof(T), alignof(T))), count};
  }
  // The word at a virtual address, which need not be aligned: what a relocation changes.
  Elf64_Xword word(Elf64_Addr address) const
  {
    Elf64_Xword result;
    std::memcpy(&result, at<std::byte>(address, sizeof result).data(), sizeof result);
    return result;
  }
  // The table that two tags describe by address and size in bytes; empty if absent.
  template <class T>
  std::span<const T> table(Elf64_Sxword address_tag, Elf64_Sxword size_tag) const
  {
    const auto address = dynamic_value(address_tag);
    const auto size = dynamic_value(size_tag);
    if (!address || !size || *size == 0) return {};
    return at<T>(*address, *size / sizeof(T));
  }

 private:
  ElfFile() = default;
  void check();
  const std::byte* place(Elf64_Addr address, std::size_t size, std::size_t alignment) const;

  std::string path_;
  int descriptor_ = -1;
  Identity identity_;
  timespec changed_{};  // when it was opened
  std::span<const std::byte> bytes_;
  std::span<const Elf64_Phdr> segments_;
  std::span<const Elf64_Dyn> dynamic_;
};

}  // namespace ranklet::loader
