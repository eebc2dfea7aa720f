# Sourced by quickstart and test: installs what is missing, configures and builds.
#
# Works as root on a fresh Debian 12; where packages are missing and the user is
# not root, names the command that installs them.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build
# Builds of several clones share the compiler's cache.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
packages=(cmake ninja-build g++ ccache python3 zlib1g-dev libzstd-dev libboost-context-dev libgtest-dev
          libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools lld-22)

# stop SENTENCE: ends the script.
stop() {
  echo "stopped: $*" >&2
  exit 1
}

# step TITLE COMMAND...: runs the command, says what it is for and how long it took. Its output
# goes to a log, which is shown where the command fails.
step() {
  local title=$1 start=$SECONDS log
  shift
  mkdir -p "$build"
  log=$(mktemp "$build/step-XXXXXX.log")
  printf '%s ...\n' "$title"
  if ! "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    stop "$title failed after $((SECONDS - start)) s; the whole output is in $log"
  fi
  rm -f "$log"
  printf '%s: done in %s s\n' "$title" $((SECONDS - start))
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# apt knows a version of the package that can be installed. (No pipe into grep -q, which stops reading
# at the match: apt-cache would die of SIGPIPE, and pipefail would call that "not available".)
is_available() {
  [[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) =~ Candidate:\ [^\(] ]]
}

# install_packages NAME...: those of them that are missing.
install_packages() {
  local missing=() name
  for name in "$@"; do
    is_installed "$name" || missing+=("$name")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    stop "these packages are missing; install them with: sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
  fi
  step "Updating the list of packages" apt-get update
  for name in "${missing[@]}"; do
    is_available "$name" ||
      stop "the package archives of this machine have no $name; LLVM and MLIR 22 are in Debian 12's security archive (bookworm-security, main)"
  done
  step "Installing ${missing[*]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}

# The first folder of the usual ones that holds NVRTC.
find_nvrtc() {
  local folder
  for folder in "${CUDA_HOME:-}"/lib64 "${CUDA_HOME:-}"/lib "${CUDA_PATH:-}"/lib64 /usr/local/cuda/lib64 "$build"/cuda/nvidia/cu13/lib; do
    if compgen -G "$folder/libnvrtc.so.1[23]" >/dev/null; then
      echo "$folder"
      return
    fi
  done
}

# NVRTC compiles the kernels; without a CUDA toolkit it comes from its Python package, in the version that docs/results has figures of.
provide_nvrtc() {
  local folder
  folder=$(find_nvrtc)
  if [ -z "$folder" ]; then
    step "Fetching NVRTC" python3 -m pip install --quiet --target "$build/cuda" 'nvidia-cuda-nvrtc>=13.0,<13.1'
    folder=$(find_nvrtc)
    [ -n "$folder" ] || stop "the Python package nvidia-cuda-nvrtc holds no libnvrtc.so.13"
  fi
  echo "NVRTC is in $folder"
  export CUDA_HOME=${folder%/*}
}

configure() {
  command -v apt-get >/dev/null || stop "this script installs packages with Debian's apt-get, which is not here; README.md lists what tilec needs"
  [ -n "$(find_nvrtc)" ] || python3 -m pip --version >/dev/null 2>&1 || packages+=(python3-pip)
  install_packages "${packages[@]}"
  provide_nvrtc
  step "Configuring" cmake --preset release -S "$root"
}

# Of what it reads, a line every half minute.
show_progress() {
  local line shown=$SECONDS
  while IFS= read -r line; do
    if [ $((SECONDS - shown)) -ge 30 ]; then
      printf '  %s\n' "${line:0:100}"
      shown=$SECONDS
    fi
  done
}

# build_targets NAME...: says how far it is.
build_targets() {
  local start=$SECONDS log
  echo "Building $* ..."
  if [ -t 1 ]; then
    # ninja keeps one line of the terminal up to date, and shows errors itself.
    cmake --build "$build" --target "$@" || stop "building failed after $((SECONDS - start)) s"
  else
    log=$(mktemp "$build/step-XXXXXX.log")
    if ! cmake --build "$build" --target "$@" 2>&1 | tee "$log" | show_progress; then
      tail -n 60 "$log" >&2
      stop "building failed after $((SECONDS - start)) s; the whole output is in $log"
    fi
    rm -f "$log"
  fi
  echo "Building $*: done in $((SECONDS - start)) s"
}
