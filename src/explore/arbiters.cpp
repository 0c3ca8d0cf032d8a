#include "explore/arbiters.hpp"

#include <cstdio>
#include <utility>

#include "explore/explorer.hpp"
#include "explore/record.hpp"
#include "explore/search.hpp"
#include "terms/error.hpp"

namespace ranklet {

std::string matching_modes(const Config& settings, bool checks)
{
  std::string modes;
  const auto add = [&](const std::string& mode) { modes += (modes.empty() ? "" : ",") + mode; };
  const Config defaults;
  if (checks) add("check");
  for (const char* const name : {"sends", "collectives", "eager-limit"}) {
    const ConfigOption& option = *find_config_option(name);
    if (option.get(settings) != option.get(defaults)) add(std::string(name) + "=" + option.get(settings));
  }
  return modes;
}

void check_token(const Script& token, int ranks, const std::string& modes)
{
  if (token.ranks == 0) return;
  if (token.ranks != ranks)
    fail(ErrorClass::arg, "the token is of a job of %d ranks, this one has %d", token.ranks, ranks);
  if (token.modes != modes)
    fail(ErrorClass::arg, "the token is of a job with the options \"%s\", this one has \"%s\"",
         token.modes.c_str(), modes.c_str());
  for (const Decision& decision : token.decisions)
    if (decision.rank >= ranks) fail(ErrorClass::arg, "the token names rank %d of %d", decision.rank, ranks);
}

std::shared_ptr<Arbiter> make_arbiter(const Config& settings, int ranks, bool checks)
{
  if (!settings.record.empty() && !settings.replay.empty())
    fail(ErrorClass::arg, "--record and --replay do not go together");
  if (!settings.explore_log.empty()) {
    const Script script = Script::read(settings.explore_log);
    std::shared_ptr<std::FILE> file(std::fopen(settings.explore_log.c_str(), "w"), [](std::FILE* opened) {
      if (opened) std::fclose(opened);
    });
    if (!file) fail(ErrorClass::no_such_file, "the log %s cannot be written", settings.explore_log.c_str());
    std::fputs(log_begin, file.get());
    return std::make_shared<Explorer>(script, [file](const std::string& line) {
      std::fprintf(file.get(), "%s\n", line.c_str());
      std::fflush(file.get());  // the job may crash
    });
  }
  if (Script::is_token(settings.replay)) {
    const Script token = Script::of_token(settings.replay);
    check_token(token, ranks, matching_modes(settings, checks));
    return std::make_shared<Explorer>(token, nullptr);
  }
  if (!settings.replay.empty())
    return std::make_shared<Replayer>(Script::read(settings.replay), settings.replay, ranks);
  if (!settings.record.empty()) return std::make_shared<Recorder>(settings.record, ranks);
  return nullptr;
}

}  // namespace ranklet
