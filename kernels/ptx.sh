#!/usr/bin/env bash
# Compiles kernel files (all, or those named without .cu) to PTX for the Go package to embed.
# NVCC names the compiler: 11.8 gives text that every driver from 520 on loads, for devices
# from Volta on. The first line tells a test which sources the text is of: the file and
# what it includes.
set -euo pipefail
cd "$(dirname "$0")"
export LC_ALL=C
nvcc=${NVCC:-nvcc}

# included prints a file and the kernel headers that it includes, directly or not.
included() {
  echo "$1"
  { grep -o '^#include "[a-z_]*\.cuh"' "$1" || true; } | cut -d'"' -f2 | while read -r header; do included "$header"; done
}

[ $# -gt 0 ] || set -- $(basename -s .cu ./*.cu)
for name; do
  hash=$(included "$name.cu" | sort -u | xargs cat | sha256sum | cut -d' ' -f1)
  # shellcheck disable=SC2086 # flags are words
  $nvcc ${NVCC_FLAGS:-} -std=c++17 -arch=compute_70 -ptx "$name.cu" -o "ptx/$name.new"
  { echo "// gsql kernels, sources sha256 $hash"; cat "ptx/$name.new"; } >"ptx/$name.ptx"
  rm "ptx/$name.new"
done
