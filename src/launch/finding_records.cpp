#include "launch/finding_records.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "base/log.hpp"
#include "handover/bytes.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

void write_line(ByteWriter& writer, const std::optional<SourceLocation>& line)
{
  writer.number(line ? 1 : 0);
  if (!line) return;
  writer.text(line->function);
  writer.text(line->file);
  writer.number(line->line);
}

std::optional<SourceLocation> read_line(ByteReader& reader)
{
  if (reader.number() == 0) return {};
  SourceLocation line;
  line.function = reader.text();
  line.file = reader.text();
  line.line = static_cast<int>(reader.number());
  return line;
}

}  // namespace

FindingRecords::FindingRecords(const std::string& path)
    : file_(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC))
{
  if (file_ < 0)
    fail(ErrorClass::file, "the findings cannot be kept in %s: %s", path.c_str(), std::strerror(errno));
}

FindingRecords::~FindingRecords()
{
  ::close(file_);
}

void FindingRecords::add(const check::Finding& finding)
{
  ByteWriter record;
  record.number(static_cast<int>(finding.weight));
  record.number(finding.rank);
  record.number(finding.world);
  record.texts({finding.what, finding.rule, finding.call, finding.place, finding.other});
  write_line(record, finding.source);
  write_line(record, finding.other_source);
  const Holder guard(lock_);
  if (::write(file_, record.bytes().data(), record.bytes().size()) !=
      static_cast<ssize_t>(record.bytes().size()))
    log(LogLevel::error, "a finding is lost: %s", std::strerror(errno));
}

std::vector<check::Finding> read_findings(std::string_view bytes)
{
  std::vector<check::Finding> findings;
  ByteReader reader(bytes);
  try {
    while (!reader.at_end()) {
      check::Finding finding;
      finding.weight = static_cast<check::Finding::Weight>(reader.number());
      finding.rank = static_cast<int>(reader.number());
      finding.world = static_cast<int>(reader.number());
      std::vector<std::string> texts = reader.texts();
      if (texts.size() != 5) break;
      finding.what = std::move(texts[0]);
      finding.rule = std::move(texts[1]);
      finding.call = std::move(texts[2]);
      finding.place = std::move(texts[3]);
      finding.other = std::move(texts[4]);
      finding.source = read_line(reader);
      finding.other_source = read_line(reader);
      findings.push_back(std::move(finding));
    }
  } catch (const Error&) {
    // The host was killed in the midst of one.
  }
  return findings;
}

}  // namespace ranklet::launch
