// What the headers for test frameworks have in common.
#pragma once

#include <ranklet/run.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <initializer_list>
#include <string>

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

// A report with the test's name where it has the name of a function that a test macro has made: that begins
// with, or contains, one of `made`.
inline std::string with_test_name(const std::string& report, std::initializer_list<std::string> made,
                                  const std::string& name)
{
  const std::string unnamed = "(anonymous namespace)::";
  std::string text = report;
  for (const std::string& part : made) {
    for (std::size_t found = 0; (found = text.find(part, found)) != text.npos;) {
      // From the first namespace to the end of the arguments, behind which the report says where: " at
      // halo.cpp:42".
      std::size_t begin = found;
      while (begin > 0 && text[begin - 1] != ' ' && text[begin - 1] != '\n') --begin;
      if (begin >= 11 && text.compare(begin - 11, unnamed.size(), unnamed) == 0) begin -= 11;
      const std::size_t end = std::min(text.find(" at ", found), text.find('\n', found));
      if (end == text.npos || text.compare(end, 4, " at ") != 0) {
        found += part.size();
        continue;
      }
      text.replace(begin, end - begin, name);
      found = begin + name.size();
    }
  }
  return text;
}

}  // namespace ranklet::test_support
