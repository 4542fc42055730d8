#!/usr/bin/env bash
# Compiles the embedded PTX to machine code for common architectures, so that no driver has to
# compile it on first use: cubin/sm_NN.zip holds a cubin for each PTX file, and in "sources" the
# checksums of the PTX, which a test compares. Needs ptxas, from CUDA 13 here, and python3.
# PTXAS names the assembler.
set -euo pipefail
cd "$(dirname "$0")/ptx"
ptxas=${PTXAS:-ptxas}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

mkdir -p ../cubin
for arch in 80 86 89 90; do
  mkdir "$build/$arch"
  printf '%s\n' *.ptx | xargs -P "$(nproc)" -I{} "$ptxas" -arch="sm_$arch" -O3 {} -o "$build/$arch/{}"
  (cd "$build/$arch" && for file in *.ptx; do mv "$file" "${file%.ptx}.cubin"; done)
  sha256sum ./*.ptx >"$build/$arch/sources"
  rm -f "../cubin/sm_$arch.zip"
  python3 -m zipfile -c "../cubin/sm_$arch.zip" "$build/$arch"/*
done
