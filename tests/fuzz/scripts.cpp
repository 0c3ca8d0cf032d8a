// Scripts, logs and tokens of explored runs, which people copy and edit. What is understood and written again
// means the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "explore/search.hpp"
#include "terms/error.hpp"

namespace {

std::string text_of(const ranklet::Script& script)
{
  std::string text;
  for (const ranklet::Decision& decision : script.decisions) text += ranklet::Script::line(decision) + "\n";
  return text;
}

void parse(std::string_view text)
{
  const ranklet::Script script = ranklet::Script::parse(text);
  const std::string written = text_of(script);
  if (text_of(ranklet::Script::parse(written)) != written) std::abort();
}

void read_token(std::string_view text)
{
  const ranklet::Script script = ranklet::Script::of_token(text);
  const std::string token = script.token();
  if (ranklet::Script::of_token(token).token() != token) std::abort();
}

void search(std::string_view log)
{
  ranklet::Search search({.runs = 3});
  search.learn(log);
  search.next();
  search.missing();
  search.left_out();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (auto* read : {parse, read_token, search}) {
    try {
      read(text);
    } catch (const ranklet::Error&) {
    }
  }
  return 0;
}
