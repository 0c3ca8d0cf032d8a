// Info objects (MPI 5.0 chapter 10, and the deprecated calls of §16.4).
#include "api/entry/checks.hpp"
#include "api/handles/strings.hpp"
#include "api/impl/impl.hpp"

namespace ranklet::api::impl {

void Info_create(Rank&, InfoPtr& info)
{
  info = std::make_unique<Info>();
}

// What MPI_INFO_ENV holds, with the command as the caller knows it.
void Info_create_env(Rank& self, int argc, char** argv, InfoPtr& info)
{
  info = std::make_unique<Info>(self.api->infos.get(MPI_INFO_ENV, "MPI_INFO_ENV"));
  if (argc < 1 || !argv || !argv[0]) return;
  info->set("command", std::string_view(argv[0]).substr(0, max_info_value));
  std::string arguments;
  for (int i = 1; i < argc; ++i) arguments += (i > 1 ? " " : "") + std::string(argv[i]);
  info->set("argv", std::string_view(arguments).substr(0, max_info_value));
}

void Info_delete(Rank&, Info& info, const char* key)
{
  info.remove(key);
}

void Info_dup(Rank&, Info& info, InfoPtr& newinfo)
{
  newinfo = std::make_unique<Info>(info);
}

// The object goes with its handle.
void Info_free(Rank&, Info&) {}

void Info_get_nkeys(Rank&, Info& info, int& nkeys)
{
  nkeys = info.size();
}

void Info_get_nthkey(Rank&, Info& info, int n, char* key)
{
  hand_out(key, MPI_MAX_INFO_KEY, info.key(n));
}

// buflen counts the final zero: the caller's buffer before, what the value needs after. 0 asks for the length
// only.
void Info_get_string(Rank&, Info& info, const char* key, int& buflen, char* value, bool& flag)
{
  const std::string* const text = info.find(key);
  flag = text != nullptr;
  if (!text) return;
  if (buflen > 0) {
    check_out(value, "value");
    hand_out(value, static_cast<std::size_t>(buflen), *text);
  }
  buflen = static_cast<int>(text->size()) + 1;
}

void Info_set(Rank&, Info& info, const char* key, const char* value)
{
  info.set(key, value);
}

// valuelen does not count the final zero.
void Info_get(Rank&, Info& info, const char* key, int valuelen, char* value, bool& flag)
{
  const std::string* const text = info.find(key);
  flag = text != nullptr;
  if (!text) return;
  check_count(valuelen, "valuelen");
  hand_out(value, static_cast<std::size_t>(valuelen) + 1, *text);
}

void Info_get_valuelen(Rank&, Info& info, const char* key, int& valuelen, bool& flag)
{
  const std::string* const text = info.find(key);
  flag = text != nullptr;
  if (text) valuelen = static_cast<int>(text->size());
}

}  // namespace ranklet::api::impl
