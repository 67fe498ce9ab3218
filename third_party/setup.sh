#!/bin/sh
# From a fresh machine to a running Tenon: installs what is missing, builds, and then
#
#   setup.sh demo      runs the demonstration
#   setup.sh test      runs every test
#
# Builds go to build/release, and a second run builds only what has changed.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
cd "$here/.."

say() { printf '\n== %s\n' "$*"; }

case ${1-} in
  demo)
    say "Packages"
    third_party/install_debian.sh required demo
    say "Configuring"
    # Someone who only wants to look does not wait for the tests.
    if [ -f build/release/CMakeCache.txt ]; then
      cmake --preset release
    else
      cmake --preset release -D TENON_BUILD_TESTS=OFF -D TENON_BUILD_BENCH=OFF
    fi
    say "Building"
    cmake --build --preset release --target digits_demo
    say "The demonstration"
    exec build/release/docs/digits_demo ;;
  test)
    say "Packages"
    third_party/install_debian.sh required demo test bench
    say "Configuring"
    cmake --preset release -D TENON_BUILD_TESTS=ON -D TENON_BUILD_BENCH=ON
    say "Building"
    cmake --build --preset release
    say "Testing"
    exec ctest --preset release --parallel "$(nproc)" ;;
  *)
    echo "usage: $0 demo|test" >&2
    exit 2 ;;
esac
