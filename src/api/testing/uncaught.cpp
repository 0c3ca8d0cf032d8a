#include "api/testing/uncaught.hpp"

#include <typeinfo>
#include <utility>

namespace ranklet::api {
namespace {

struct Watch {
  void (*before_unwinding)(void*);
  void* context;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local const Watch* current_watch = nullptr;

// An exception is thrown in two phases (Itanium C++ ABI, Exception Handling, §1.3): the first looks for a
// handler and changes nothing, the second unwinds the stack. To compare a handler's type with the
// exception's, the first calls the handler's type_info. Handlers for this type never match, but notice that
// they were asked; and as they are in call_watched() only, nothing inside has a handler of its own.
class Noticing final : public std::type_info {
 public:
  Noticing() : std::type_info("ranklet: nothing has this type") {}

  bool __do_catch(const std::type_info*, void**, unsigned) const override
  {
    if (const Watch* const watch = std::exchange(current_watch, nullptr))
      watch->before_unwinding(watch->context);
    return false;
  }
};

}  // namespace

// Its type_info is the object below: the compiler's would come with the destructor, which has no definition.
class Never {
 public:
  virtual ~Never();
};

namespace {

extern const Noticing type_info_of_never asm("_ZTIN7ranklet3api5NeverE");
const Noticing type_info_of_never;

}  // namespace

void call_watched(void (*body)(void*), void (*before_unwinding)(void*), void* context)
{
  const Watch watch{before_unwinding, context};
  current_watch = &watch;
  try {
    body(context);
  } catch (const Never&) {
    // Never comes here.
  } catch (...) {
    current_watch = nullptr;
    throw;
  }
  current_watch = nullptr;
}

}  // namespace ranklet::api
