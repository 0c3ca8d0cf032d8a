#include "launch/output_rules.hpp"

#include <cstdint>
#include <unistd.h>

#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

std::string host_name()
{
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

// FILE.<rank>, with zeros in front so that names sort, unless %r says where the rank stands.
std::string file_for(const std::string& pattern, const std::string& world, int rank, int ranks)
{
  if (pattern.empty()) return "";
  std::string number = std::to_string(rank);
  const std::string text = expand_pattern(pattern, world + number);
  if (pattern.find("%r") != pattern.npos) return text;
  number.insert(0, std::to_string(ranks - 1).size() - number.size(), '0');
  return text + "." + world + number;
}

}  // namespace

std::string expand_pattern(const std::string& pattern, const std::string& rank)
{
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (next == 'r')
      text += rank;
    else if (next == 'h')
      text += host_name();
    else if (next == '%')
      text += '%';
    else
      text += pattern[i];
    if (next == 'r' || next == 'h' || next == '%') ++i;
  }
  return text;
}

std::vector<loader::RankOutputSettings> output_settings(const Config& config, int ranks, int world)
{
  std::vector<loader::RankOutputSettings> result(static_cast<std::size_t>(ranks));
  const std::string& out_pattern =
      config.outfile_pattern.empty() ? config.output_filename : config.outfile_pattern;
  const std::string& err_pattern =
      config.errfile_pattern.empty() ? config.output_filename : config.errfile_pattern;
  const std::size_t width = std::to_string(ranks - 1).size();
  const std::string of_world = world > 1 ? std::to_string(world) + "." : "";
  for (int rank = 0; rank < ranks; ++rank) {
    loader::RankOutputSettings& settings = result[static_cast<std::size_t>(rank)];
    const std::string number = std::to_string(rank);
    std::string prefix;
    if (!config.prepend_pattern.empty())
      prefix = expand_pattern(config.prepend_pattern, of_world + number);
    else if (config.tag_output)
      prefix = "[" + of_world + number + "]" + std::string(width - number.size() + 1, ' ');
    settings.prefix = {prefix, prefix};
    settings.file = {file_for(out_pattern, of_world, rank, ranks),
                     file_for(err_pattern, of_world, rank, ranks)};
    settings.error_to_output = config.merge_stderr;
    settings.timestamp = config.timestamp_output;
  }
  return result;
}

int input_receiver(const Config& config, int ranks)
{
  if (config.stdin_rank == "none") return -1;
  if (config.stdin_rank == "all") return -2;
  std::int64_t rank = 0;
  if (!parse_count(config.stdin_rank, rank) || rank < 0 || rank >= ranks)
    fail(ErrorClass::arg, "--stdin takes a rank of the job, all or none, not \"%s\"",
         config.stdin_rank.c_str());
  return static_cast<int>(rank);
}

}  // namespace ranklet::launch
