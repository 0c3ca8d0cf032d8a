// Whether this build is one of AddressSanitizer or ThreadSanitizer.
#pragma once

namespace ranklet {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#if defined(__SANITIZE_THREAD__)
inline constexpr bool thread_sanitized = true;
#else
inline constexpr bool thread_sanitized = false;
#endif
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool thread_sanitized = __has_feature(thread_sanitizer);
inline constexpr bool sanitized = __has_feature(address_sanitizer) || thread_sanitized;
#else
inline constexpr bool thread_sanitized = false;
inline constexpr bool sanitized = false;
#endif

}  // namespace ranklet
