// What the options about output mean for each rank.
#pragma once

#include <string>
#include <vector>

#include "base/config.hpp"
#include "libc/output.hpp"

namespace ranklet::launch {

// Prefixes and files of each rank, by --tag-output, --prepend-pattern, --output-filename and their kin.
// Ranks of a world that another one has started are "2.0", "2.1" …, in its second world.
std::vector<loader::RankOutputSettings> output_settings(const Config& config, int ranks, int world = 1);

// %r: the rank; %h: the host's name; %%: %. Other letters stay.
std::string expand_pattern(const std::string& pattern, const std::string& rank);

// --stdin: the rank that reads standard input, JobInput::nobody or JobInput::everybody. Throws Error{arg}.
int input_receiver(const Config& config, int ranks);

}  // namespace ranklet::launch
