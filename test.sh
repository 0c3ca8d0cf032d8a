#!/bin/sh
# Installs what is missing, builds into build/ and runs every test. The last line is `N passed, N failed`.
set -eu
cd "$(dirname "$0")"
. .ci/prepare.sh

install_missing
configure build
build build
run_tests build "$@"
