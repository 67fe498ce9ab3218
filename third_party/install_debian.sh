#!/bin/sh
# Installs what Tenon needs from the packages of Debian or Ubuntu, and only what is missing.
#
#   install_debian.sh [required] [demo] [test] [bench] [fuzz]      (no argument: required)
#
# Run it as root, or as a user who may use sudo.
set -eu

required="g++ cmake ninja-build libabsl-dev zlib1g-dev libzstd-dev"
demo="libeigen3-dev"
test="catch2 libeigen3-dev libisl-dev"
bench="libeigen3-dev libbenchmark-dev libdnnl-dev"
fuzz="clang-19 libclang-rt-19-dev"
llvm_versions="22 21 20 19"  # in order of preference

installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

available() {
  apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'
}

as_root=
if [ "$(id -u)" != 0 ]; then as_root=sudo; fi

missing=
want() {
  case "$missing " in *" $1 "*) return ;; esac
  installed "$1" || missing="$missing $1"
}

need_llvm=
[ $# -gt 0 ] || set -- required
for group in "$@"; do
  case $group in
    required)
      need_llvm=yes
      for version in $llvm_versions; do
        if installed "llvm-$version-dev"; then need_llvm=; fi
      done
      for package in $required; do want "$package"; done ;;
    demo) for package in $demo; do want "$package"; done ;;
    test) for package in $test; do want "$package"; done ;;
    bench) for package in $bench; do want "$package"; done ;;
    fuzz) for package in $fuzz; do want "$package"; done ;;
    *) echo "usage: $0 [required] [demo] [test] [bench] [fuzz]" >&2; exit 2 ;;
  esac
done

if [ -z "$missing$need_llvm" ]; then
  echo "-- Packages: all there"
  exit 0
fi

if ! command -v apt-get >/dev/null; then
  echo "This system has no apt-get. Tenon needs $required and LLVM 19 to 22; tests $test; benchmarks $bench" >&2
  exit 1
fi
if [ -n "$as_root" ] && ! command -v sudo >/dev/null; then
  echo "Packages are missing and there is no sudo here: an administrator has to run $0 $*" >&2
  exit 1
fi
echo "-- Packages: reading the lists"
$as_root apt-get update -q

if [ -n "$need_llvm" ]; then
  for version in $llvm_versions; do
    if available "llvm-$version-dev"; then
      missing="$missing llvm-$version-dev"
      need_llvm=
      break
    fi
  done
  if [ -n "$need_llvm" ]; then
    echo "The package sources of this system offer none of LLVM $llvm_versions (llvm-<version>-dev)." >&2
    exit 1
  fi
fi

echo "-- Packages: installing$missing"
# The names are meant to be split.
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
