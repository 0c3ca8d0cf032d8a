#include "io/file_hints.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ranklet::io {

namespace {

constexpr std::string_view reserved[] = {
    "access_style", "cb_block_size",      "cb_buffer_size",     "cb_config_list",       "cb_nodes",
    "chunked",      "chunked_item",       "chunked_size",       "collective_buffering", "file_perm",
    "filename",     "ind_rd_buffer_size", "ind_wr_buffer_size", "io_node_list",         "mpi_assert_no_locks",
    "nb_proc",      "no_indep_rw",        "num_io_nodes",       "striping_factor",      "striping_unit",
};

bool is_known(std::string_view key)
{
  return std::ranges::find(reserved, key) != std::end(reserved) || key.starts_with("romio_");
}

}  // namespace

void keep_hints(Info& kept, const Info& given)
{
  for (int i = 0; i < given.size(); ++i)
    if (is_known(given.key(i))) kept.set(given.key(i), *given.find(given.key(i)));
}

unsigned permissions(const Info& hints)
{
  constexpr unsigned all = 0666;
  const std::string* const text = hints.find("file_perm");
  if (!text) return all;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value, 8);
  return error == std::errc() && end == text->data() + text->size() && value <= 07777 ? value : all;
}

}  // namespace ranklet::io
