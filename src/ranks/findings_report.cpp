#include "ranks/findings_report.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <unistd.h>

#include "base/log.hpp"
#include "base/version.hpp"
#include "terms/error.hpp"

namespace ranklet::check {

namespace {

// How many bytes the letter at the beginning has in UTF-8; 0: it is none.
std::size_t letter_size(std::string_view text)
{
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t size = first < 0x80             ? 1
                           : (first & 0xe0) == 0xc0 ? 2
                           : (first & 0xf0) == 0xe0 ? 3
                           : (first & 0xf8) == 0xf0 ? 4
                                                    : 0;
  if (size == 0 || size > text.size()) return 0;
  unsigned letter = size == 1 ? first : first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return 0;
    letter = letter << 6 | (next & 0x3fu);
  }
  constexpr unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_half = letter >= 0xd800 && letter < 0xe000;
  return letter < least[size] || letter > 0x10ffff || is_half ? 0 : size;
}

// Arguments of calls may be any bytes.
std::string quoted(std::string_view text)
{
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t size = letter_size(text);
    const std::string_view letter = text.substr(0, std::max<std::size_t>(size, 1));
    text.remove_prefix(letter.size());
    char escape[8] = "\\ufffd";
    if (size == 1 && static_cast<unsigned char>(letter[0]) < 0x20)
      std::snprintf(escape, sizeof escape, "\\u%04x", letter[0]);
    const bool is_plain = size > 1 || (size == 1 && static_cast<unsigned char>(letter[0]) >= 0x20);
    if (letter == "\"" || letter == "\\") result += '\\';
    if (is_plain)
      result += letter;
    else
      result += escape;
  }
  return result + '"';
}

std::string field(const char* name, std::string_view value)
{
  return quoted(name) + ": " + quoted(value);
}

std::string field(const char* name, int value)
{
  return quoted(name) + ": " + std::to_string(value);
}

const char* name_of(Finding::Weight weight)
{
  switch (weight) {
    case Finding::Weight::error:
      return "usage error";
    case Finding::Weight::leak:
      return "leak";
    case Finding::Weight::advice:
      return "advice";
  }
  return "";
}

bool has_line(const std::optional<SourceLocation>& source)
{
  return source && source->line > 0;
}

// ", "file": "halo.c", "line": 42"
std::string line_of(const std::optional<SourceLocation>& source)
{
  return has_line(source) ? ", " + field("file", source->file) + ", " + field("line", source->line) : "";
}

std::string as_json(const Finding& finding)
{
  std::string text = "{" + field("weight", name_of(finding.weight)) + ", " + field("what", finding.what) +
                     ", " + field("rule", finding.rule) + ", " + field("rank", finding.rank) + ", " +
                     field("world", finding.world) + ", " + field("call", finding.call) + ", " +
                     field("place", finding.place) + line_of(finding.source);
  if (!finding.other.empty())
    text += ", \"other\": {" + field("text", finding.other) + line_of(finding.other_source) + "}";
  return text + "}";
}

// A path as a reference (RFC 3986).
std::string as_uri(std::string_view path)
{
  std::string result;
  for (const char letter : path) {
    char escape[4];
    std::snprintf(escape, sizeof escape, "%%%02X", static_cast<unsigned char>(letter));
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                          std::string_view("-._~/").find(letter) != std::string_view::npos;
    result += is_plain ? std::string(1, letter) : escape;
  }
  return result;
}

std::string sarif_location(const SourceLocation& source, std::string_view message)
{
  return "{\"physicalLocation\": {\"artifactLocation\": {" + field("uri", as_uri(source.file)) +
         "}, \"region\": {" + field("startLine", source.line) + "}}, \"message\": {" +
         field("text", message) + "}}";
}

std::string as_sarif(const Finding& finding)
{
  const char* const level = finding.weight == Finding::Weight::error  ? "error"
                            : finding.weight == Finding::Weight::leak ? "warning"
                                                                      : "note";
  std::string text = "{" + field("ruleId", finding.rule.empty() ? name_of(finding.weight) : finding.rule) +
                     ", " + field("level", level) + ", \"message\": {" + field("text", check::text(finding)) +
                     "}";
  if (has_line(finding.source))
    text += ", \"locations\": [" + sarif_location(*finding.source, finding.call) + "]";
  if (has_line(finding.other_source))
    text += ", \"relatedLocations\": [" + sarif_location(*finding.other_source, finding.other) + "]";
  return text + ", \"properties\": {" + field("rank", finding.rank) + ", " + field("world", finding.world) +
         "}}";
}

int create(const std::string& path)
{
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    fail(errno == ENOENT   ? ErrorClass::no_such_file
         : errno == EACCES ? ErrorClass::access
                           : ErrorClass::file,
         "the report %s cannot be created: %s", path.c_str(), std::strerror(errno));
  return file;
}

}  // namespace

FindingsReport::FindingsReport(const std::string& path)
    : sarif_(path.ends_with(".sarif") || path.ends_with(".sarif.json")), file_(create(path))
{
  const std::string version = field("version", ranklet::version());
  write(sarif_ ? "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": \"2.1.0\",\n"
                 "\"runs\": [{\"tool\": {\"driver\": {\"name\": \"Ranklet\", " +
                     version + "}},\n\"results\": ["
               : "{\"tool\": \"Ranklet\", " + version + ",\n\"findings\": [");
}

FindingsReport::~FindingsReport()
{
  ::close(file_);
}

void FindingsReport::write(const std::string& text)
{
  const std::string all = text + (sarif_ ? "]}]}\n" : "]}\n");
  if (::pwrite(file_, all.data(), all.size(), end_) != static_cast<ssize_t>(all.size()))
    log(LogLevel::error, "the report of the usage checks is not complete: %s", std::strerror(errno));
  else
    end_ += static_cast<off_t>(text.size());
}

void FindingsReport::add(const Finding& finding)
{
  const std::string text = sarif_ ? as_sarif(finding) : as_json(finding);
  const Holder guard(lock_);
  write((first_ ? "\n" : ",\n") + text);
  first_ = false;
}

}  // namespace ranklet::check
