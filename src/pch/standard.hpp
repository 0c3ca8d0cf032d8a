// Precompiled where Meson's b_pch is on: the standard headers that most files include. Every file still includes what
// it uses; the default build, without this, shows it.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>
