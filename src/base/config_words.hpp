// Words as people write them in settings.
#pragma once

#include <string_view>

namespace ranklet {

// Whether they are the same but for case, and for '_' instead of '-'.
bool same_name(std::string_view a, std::string_view b);

}  // namespace ranklet
