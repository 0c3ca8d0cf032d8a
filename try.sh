#!/bin/sh
# Installs what is missing, builds into build/ and shows an MPI program on four ranks.
set -eu
cd "$(dirname "$0")"
. .ci/prepare.sh

install_missing
configure build
build build ranklet
bin=$PWD/build/src/launch
"$bin/mpicxx" -O2 examples/cmake/heat.cpp -o build/heat
"$bin/mpiexec" -n 4 build/heat "$@"
echo
echo "That was examples/cmake/heat.cpp on 4 ranks, which are threads of one process:"
echo "  build/src/launch/mpiexec -n 4 build/heat"
echo "For a shell in which mpicc and mpiexec work:  meson devenv -C build"
