#!/usr/bin/env bash
# Compiles every kernel file to PTX for the Go package to embed. NVCC names the compiler:
# 11.8 gives text that every driver from 520 on loads, for devices from Volta on.
set -euo pipefail
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
hash=$(LC_ALL=C; cat *.cu *.cuh | sha256sum | cut -d' ' -f1)
for source in *.cu; do
  target=ptx/${source%.cu}.ptx
  # shellcheck disable=SC2086 # flags are words
  $nvcc ${NVCC_FLAGS:-} -std=c++17 -arch=compute_70 -ptx "$source" -o "$target.new"
  { echo "// gsql kernels, sources sha256 $hash"; cat "$target.new"; } >"$target"
  rm "$target.new"
done
