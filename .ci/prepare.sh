# Read by try.sh, test.sh and .ci/run: what is missing gets installed, and a build directory is made or renewed.
# Nothing is asked and, when everything is there, no network is needed.

# Debian 12 names. The compilers, Meson and Python build; hwloc, TBB, elfutils and doctest are used; gfortran,
# GoogleTest, cmake, pkg-config, gdb, numpy and Python's shared library are for the tests of users' programs;
# libclang-rt holds clang's sanitizers; valgrind counts instructions.
packages="g++ clang meson ninja-build python3 libhwloc-dev libtbb-dev libdw-dev doctest-dev gfortran cmake \
pkg-config gdb libclang-rt-14-dev libgtest-dev libpython3.11 python3-numpy valgrind"

install_missing() {
  command -v dpkg-query >/dev/null || return 0 # another system: Meson says what it does not find
  missing=""
  for package in $packages; do
    case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) in
      *"ok installed") ;;
      *) missing="$missing $package" ;;
    esac
  done
  [ -n "$missing" ] || return 0
  echo "installing:$missing"
  as_root=""
  [ "$(id -u)" = 0 ] || as_root="sudo"
  export DEBIAN_FRONTEND=noninteractive
  $as_root apt-get update -q </dev/null
  # shellcheck disable=SC2086
  $as_root apt-get install -qy --no-install-recommends $missing </dev/null
}

# configure DIRECTORY [MESON OPTION...]: quiet unless it fails. Several sources are compiled as one, which halves the time
# of a build from nothing; a developer's own build directory, without --unity, is faster after a change. Debug information
# says lines and functions, not variables, which compiles faster.
configure() {
  directory=$1
  shift
  [ -f "$directory/build.ninja" ] && return 0
  rm -rf "$directory"
  meson setup "$directory" --unity on --unity-size 16 -Dcpp_args=-g1 "$@" </dev/null >"$directory.log" 2>&1 || {
    cat "$directory.log"
    return 1
  }
  mv "$directory.log" "$directory/setup.log"
}

# build DIRECTORY [TARGET...]
build() {
  directory=$1
  shift
  ninja -C "$directory" --quiet "$@" </dev/null
}

# run_tests DIRECTORY [MESON TEST OPTION...]: the exit code says whether all passed, the last line how many did.
run_tests() {
  directory=$1
  shift
  # Many tests wait, for a deadlock to be seen or a time to pass: one more than there are cores.
  meson test -C "$directory" --no-rebuild --num-processes "$(($(nproc) + 1))" --print-errorlogs --timeout-multiplier 4 "$@" </dev/null || true
  python3 .ci/count_tests.py "$directory/meson-logs/testlog.json"
}
