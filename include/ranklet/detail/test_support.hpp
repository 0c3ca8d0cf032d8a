// What the headers for test frameworks have in common.
#pragma once

#include <ranklet/run.hpp>

#include <chrono>
#include <exception>

#ifndef RANKLET_TEST_TIMEOUT
#define RANKLET_TEST_TIMEOUT 120000
#endif

namespace ranklet::test_support {

// timeout: milliseconds.
inline Options case_options(int timeout)
{
  Options options;
  options.timeout = std::chrono::milliseconds(timeout);
  return options;
}

// Whether the run failed by nothing but ranks that threw a Failure, or that have `told` the framework before:
// it knows of them. What stopped ranks leave behind does not count.
template <class Failure>
bool only_threw(const Report& report, bool told = false)
{
  for (const Finding& finding : report.findings())
    if (finding.kind != Finding::Kind::leak && finding.kind != Finding::Kind::advice) return false;
  bool any = told;
  for (const RankResult& rank : report.ranks()) {
    if (rank.code != 0) return false;
    if (rank.end != RankResult::End::threw) continue;
    try {
      std::rethrow_exception(rank.exception);
    } catch (const Failure&) {
      any = true;
    } catch (...) {
      return false;
    }
  }
  return any;
}

}  // namespace ranklet::test_support
