// The analysis of files: symbols, libraries, kinds of programs and the messages about those that cannot be
// run.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include "loader/elf_file.hpp"
#include "loader/library_search.hpp"
#include "loader/loader.hpp"
#include "loader/symbol_table.hpp"
#include "run_program.hpp"
#include "support/text.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using namespace ranklet::loader;
using test::contains;

namespace {

std::string message_of(const std::function<void()>& action)
{
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

// A changed copy of a program, removed at the end.
class Copy {
 public:
  Copy(const std::string& name, const std::function<void(std::string&)>& change)
      : path_(program("copy_of_" + name + "_" + std::to_string(getpid())))
  {
    std::ifstream source(program(name), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(source)), std::istreambuf_iterator<char>());
    change(bytes);
    std::ofstream(path_, std::ios::binary) << bytes;
    chmod(path_.c_str(), 0755);
  }
  ~Copy() { unlink(path_.c_str()); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("names are found in files, by either hash table and by version")
{
  for (const char* name : {"globals_O2", "globals_lazy"}) {
    CAPTURE(name);
    const auto file = ElfFile::open(program(name));
    const SymbolTable symbols(*file);
    CHECK(symbols.find(SymbolName("meet")) == nullptr);  // used, not defined
    CHECK(symbols.find(SymbolName("no_such_name")) == nullptr);
  }
  const auto library = ElfFile::open(program("libmeeting.so"));
  const SymbolTable symbols(*library);
  const Elf64_Sym* found = symbols.find(SymbolName("meet"));
  REQUIRE(found != nullptr);
  CHECK(std::strcmp(symbols.name_of(*found), "meet") == 0);
  CHECK(ELF64_ST_TYPE(found->st_info) == STT_FUNC);
  // An object without versions satisfies every version.
  CHECK(symbols.find(SymbolName("meet", "SOME_1.0")) == found);
}

TEST_CASE("a loaded library's symbols have versions")
{
  const link_map* map = _r_debug.r_map;
  while (map && !std::strstr(map->l_name, "/libc.so.6")) map = map->l_next;
  REQUIRE(map != nullptr);
  const SymbolTable symbols(*map);
  const Elf64_Sym* latest = symbols.find(SymbolName("memcpy"));
  const Elf64_Sym* old = symbols.find(SymbolName("memcpy", "GLIBC_2.2.5"));
  REQUIRE(latest != nullptr);
  REQUIRE(old != nullptr);
  CHECK(latest != old);
  CHECK(symbols.find(SymbolName("memcpy", "GLIBC_2.14")) == latest);
  CHECK(symbols.find(SymbolName("memcpy", "GLIBC_1.0")) == nullptr);
  CHECK(symbols.find(SymbolName("exit"))->st_value + map->l_addr == reinterpret_cast<Elf64_Addr>(&exit));
}

TEST_CASE("libraries are searched where ld.so searches")
{
  CHECK(expand_tokens("$ORIGIN/../lib", "/opt/app/bin/x") == "/opt/app/bin/../lib");
  CHECK(expand_tokens("${ORIGIN}", "/usr/x") == "/usr");
  CHECK(expand_tokens("/a/$LIB/b", "/usr/x") == "/a/lib/x86_64-linux-gnu/b");
  CHECK(expand_tokens("/cost$/b", "/usr/x") == "/cost$/b");

  const LibrarySearch search("");
  const auto user = ElfFile::open(program("uses_library_O2"));
  CHECK(contains(search.find("libprivate_library.so", {user.get()}), "libprivate_library.so"));
  CHECK(contains(search.find("libm.so.6", {}), "/libm.so.6"));
  CHECK(search.find("libno_such.so.1", {user.get()}).empty());
  CHECK(LibrarySearch("").find("libmeeting.so", {}).empty());
  CHECK(LibrarySearch("/nowhere:" PROGRAM_DIRECTORY).find("libmeeting.so", {}) == program("libmeeting.so"));
}

TEST_CASE("MPI programs are told from others")
{
  CHECK(classify_program(program("mpi_of_ours")) == ProgramKind::mpi);
  CHECK(classify_program(program("mpi_through_ours")) == ProgramKind::mpi);
  CHECK(classify_program(program("mpi_of_ours_older")) == ProgramKind::mpi);
  CHECK(classify_program(program("mpi_through_ours_older")) == ProgramKind::mpi);
  CHECK(classify_program(program("trivial")) == ProgramKind::plain);
  CHECK(classify_program(program("static_program")) == ProgramKind::plain);
  CHECK(classify_program(program("fixed_program")) == ProgramKind::plain);
  const Copy script("trivial", [](std::string& bytes) { bytes = "#!/bin/sh\n"; });
  CHECK(classify_program(script.path()) == ProgramKind::plain);
}

TEST_CASE("programs that cannot be run get a message that says what to do")
{
  const auto classified = [](const std::string& path) { return message_of([&] { classify_program(path); }); };
  const auto loaded = [](const std::string& path) { return message_of([&] { const Program unused(path); }); };

  CHECK(contains(classified(program("no_such_program")), "does not exist"));
  CHECK(contains(loaded(program("static_program")), "without -static"));
  CHECK(contains(loaded(program("fixed_program")), "-pie"));
  CHECK(contains(classified(program("fixed_mpi_program")), "MPICH"));
  CHECK(contains(loaded(program("libmeeting.so")), "no program but a library"));

  for (const char* name : {"mpi_of_openmpi", "mpi_through_openmpi"}) {
    CAPTURE(name);
    const std::string message = classified(program(name));
    CHECK(contains(message, "Open MPI (libmpi.so.40)"));
    CHECK(contains(message, "rebuild it with Ranklet's mpicc"));
  }
  // Not in silence as many programs of one rank each.
  CHECK(contains(classified(program("mpi_of_later")), "a later ABI (libmpi_abi.so.2)"));
  CHECK(contains(classified(program("mpi_of_mpich")), "MPICH (libmpich.so.12)"));

  const Copy foreign("trivial", [](std::string& bytes) {
    reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_machine = EM_AARCH64;
  });
  CHECK(contains(classified(foreign.path()), "built for AArch64"));
  CHECK(contains(classified(foreign.path()), "rebuild it here"));
  const Copy narrow("trivial", [](std::string& bytes) {
    bytes[EI_CLASS] = ELFCLASS32;
    reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_machine = EM_386;
  });
  CHECK(contains(classified(narrow.path()), "32-bit x86"));

  const Copy not_executable("trivial", [](std::string&) {});
  chmod(not_executable.path().c_str(), 0644);
  CHECK(contains(classified(not_executable.path()), "chmod +x"));
  if (geteuid() != 0) {  // the superuser reads everything
    chmod(not_executable.path().c_str(), 0311);
    CHECK(contains(classified(not_executable.path()), "chmod +r"));
  }
}

TEST_CASE("damaged files are errors, not crashes")
{
  const auto whole = ElfFile::open(program("globals_O2"));
  const std::size_t size = whole->bytes().size();
  for (std::size_t length = 0; length < size; length += 97) {
    const Copy part("globals_O2", [&](std::string& bytes) { bytes.resize(length); });
    const std::string message = message_of([&] {
      const auto file = ElfFile::open(part.path());
      static_cast<void>(file->needed());
      static_cast<void>(file->table<Elf64_Rela>(DT_RELA, DT_RELASZ));
    });
    if (length < 64) CHECK(!message.empty());
    if (!message.empty()) CHECK((contains(message, "damaged") || contains(message, "not an ELF")));
  }
}

TEST_CASE("tables that are not aligned are errors")
{
  const auto whole = ElfFile::open(program("globals_O2"));
  const Elf64_Off headers = whole->header().e_phoff;
  const auto dynamic = static_cast<std::size_t>(
      reinterpret_cast<const std::byte*>(whole->segment(PT_DYNAMIC)) - whole->bytes().data());
  const auto shifted = [](std::size_t place) {
    return [=](std::string& bytes) { bytes[place] = static_cast<char>(bytes[place] + 1); };
  };
  const Copy moved("globals_O2", shifted(offsetof(Elf64_Ehdr, e_phoff)));
  CHECK(contains(message_of([&] { ElfFile::open(moved.path()); }), "program headers are not aligned"));
  CHECK(headers % alignof(Elf64_Phdr) == 0);
  const Copy crooked("globals_O2", shifted(dynamic + offsetof(Elf64_Phdr, p_offset)));
  CHECK(contains(message_of([&] { ElfFile::open(crooked.path()); }), "dynamic section is not aligned"));
  CHECK_THROWS_AS(whole->at<Elf64_Rela>(whole->dynamic_value(DT_RELA).value() + 4, 1), const ranklet::Error&);
}

TEST_CASE("a program's needs are known before it runs")
{
  CHECK(Program(program("trivial")).thread_storage().bytes == 0);
  const StorageNeed large = Program(program("thread_local_large")).thread_storage();
  CHECK(large.bytes >= 300000);
  CHECK(large.alignment == 256);
  const std::string missing = message_of([] {
    const Copy without("mpi_through_ours", [](std::string& bytes) {
      bytes.replace(bytes.find("libwraps_ours.so"), 16, "libwraps_OURS.so");
    });
    const Program unused(without.path());
  });
  CHECK(contains(missing, "libwraps_OURS.so"));
  CHECK(contains(missing, "LD_LIBRARY_PATH"));
}
