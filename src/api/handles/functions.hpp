// The table of MPI functions as the program knows it; its source is table/, its definition is generated.
#pragma once

#include <cstdint>
#include <span>

namespace ranklet::api {

// An argument as the note of a call keeps it.
using Word = std::int64_t;

struct NamedValue {
  const char* name;
  std::int64_t value;
};

// How an argument is shown. Handles go by the table of RankState that holds them.
enum class ArgumentSort {
  number,
  boolean,
  buffer,
  pointer,
  string,
  function,
  comms,
  groups,
  types,
  ops,
  requests,
  infos,
  errhandlers,
  messages,
  sessions,
  wins,
  files,
};

struct KindInfo {
  const char* name;
  ArgumentSort sort;
  std::span<const NamedValue> values;  // constants that such an argument may have
  bool flags;                          // which may be combined
};

struct ParameterInfo {
  const char* name;
  const KindInfo* kind;
  bool pointer;    // C passes an address: an output, an array, a buffer
  bool input_too;  // where it is an address: the value there is input
  bool large_only;
  bool written;  // an output, or memory that the call writes to
};

struct ChapterInfo {
  int number;
  const char* key;
  const char* title;
};

// FunctionInfo::handle of calls whose errors belong to MPI_FILE_NULL (MPI 5.0 §14.7).
inline constexpr int file_defaults = -2;

struct FunctionInfo {
  const char* name;  // MPI_Send; its large-count twin is MPI_Send_c
  const ChapterInfo* chapter;
  const char* section;  // of the standard that describes it, as fine as the table is: "3.2.5"
  const char* purpose;
  std::span<const ParameterInfo> parameters;
  int handle;  // the parameter whose error handler is called, -1 for none, or file_defaults
  bool implemented;
  bool early;         // before MPI_Init and after MPI_Finalize as well
  bool twin;          // has a large-count form
  bool extra;         // beyond the header of the ABI
  bool returns_code;  // else a value
  bool frees;         // ends a handle, or MPI
};

extern const FunctionInfo functions[];

std::span<const FunctionInfo> all_functions();
std::span<const ChapterInfo> all_chapters();
std::span<const KindInfo> all_kinds();

}  // namespace ranklet::api
