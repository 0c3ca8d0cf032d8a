// Numbers and texts as bytes, for another process of the same machine and build.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "terms/error.hpp"

namespace ranklet {

class ByteWriter {
 public:
  void number(std::int64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view value)
  {
    number(static_cast<std::int64_t>(value.size()));
    bytes_ += value;
  }
  void texts(const std::vector<std::string>& values)
  {
    number(static_cast<std::int64_t>(values.size()));
    for (const std::string& value : values) text(value);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Throws Error{intern} where the bytes are not what a writer has written.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return next_ == bytes_.size(); }
  std::int64_t number()
  {
    std::int64_t value = 0;
    std::memcpy(&value, piece(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(piece(static_cast<std::size_t>(number()))); }
  std::vector<std::string> texts()
  {
    std::vector<std::string> values;
    for (std::int64_t left = number(); left > 0; --left) values.push_back(text());
    return values;
  }

 private:
  std::string_view piece(std::size_t size)
  {
    if (size > bytes_.size() - next_) fail(ErrorClass::intern, "a description is damaged");
    const std::string_view result = bytes_.substr(next_, size);
    next_ += size;
    return result;
  }

  std::string_view bytes_;
  std::size_t next_ = 0;
};

// Writes them to a new anonymous file; returns the descriptor, which programs that are executed inherit.
// Throws Error{no_mem}.
int write_to_memory(std::string_view bytes, const char* name);
// Reads such a file from its beginning, any number of times. Throws Error{intern}.
std::string read_from_memory(int descriptor);

}  // namespace ranklet
