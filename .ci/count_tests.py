#!/usr/bin/env python3
"""Sums up a Meson test log: count_tests.py testlog.json

A doctest program counts with its test cases, any other test as one. What was skipped (Meson knows it by exit code 77)
is named and counts as neither. What failed is named with the end of what it printed, since only the end of a long log
may be kept. The last line is `N passed, N failed`; the exit code is 1 if something failed or nothing ran.
"""

import json
import re
import sys

LINES_SHOWN = 40
CASES = re.compile(r"\[doctest\] test cases:\s*\d+\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed")


def count(test):
    """(passed, failed) of one entry of the log."""
    if test["result"] == "SKIP":
        return 0, 0
    cases = [tuple(map(int, found)) for found in CASES.findall(test.get("stdout") or "")]
    passed, failed = sum(c[0] for c in cases), sum(c[1] for c in cases)
    if test["result"] not in ("OK", "EXPECTEDFAIL"):
        return passed, max(failed, 1)  # a crash or a timeout has no summary
    return max(passed, 1), failed


def end_of_output(test):
    lines = ((test.get("stdout") or "") + (test.get("stderr") or "")).splitlines()
    return "".join(f"  {line}\n" for line in lines[-LINES_SHOWN:])


def main(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as log:
            tests = [json.loads(line) for line in log if line.strip()]
    except FileNotFoundError:
        tests = []
    passed = failed = 0
    for test in tests:
        if test["result"] == "SKIP":
            print(f"not run: {test['name']}")
        good, bad = count(test)
        passed += good
        failed += bad
        if bad:
            print(f"failed: {test['name']} ({test['result']}, exit code {test.get('returncode')})")
            print(end_of_output(test), end="")
    print(f"{passed} passed, {failed} failed")
    sys.exit(0 if passed and not failed else 1)


if __name__ == "__main__":
    main(sys.argv[1])
