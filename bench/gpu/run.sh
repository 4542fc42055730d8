#!/usr/bin/env bash
# Builds and runs, on a machine with an NVIDIA GPU and nvcc: the kernels' tests on the real
# device, the same under compute-sanitizer, then the benchmark against CUB. Results go to
# the folder named (default: results beside this script) under the device's name.
set -uo pipefail
cd "$(dirname "$0")"
out=$(mkdir -p "${1:-results}" && cd "${1:-results}" && pwd)
nvcc=${NVCC:-nvcc}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
flags="-std=c++20 -O3 -arch=native --extended-lambda -diag-suppress 177"
BENCH_DATE=$(date -u +%F)
BENCH_DRIVER=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)
export BENCH_DATE BENCH_DRIVER
device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1 | tr 'A-Z ' 'a-z-')

# shellcheck disable=SC2086 # flags are words
{
  for test in ../../kernels/tests/*_test.cpp; do
    $nvcc $flags -x cu "$test" -o "$build/$(basename "$test" .cpp)" &
  done
  $nvcc $flags bench.cu -o "$build/bench" &
  wait
}

failed=0
for test in ../../kernels/tests/*_test.cpp; do
  name=$(basename "$test" .cpp)
  answer=$(timeout 60 "$build/$name" 2>&1)
  echo "$name: $answer"
  [ "$answer" = ok ] || failed=1
done
timeout 200 "$build/bench" "$out/$device" || failed=1
for tool in memcheck racecheck initcheck; do
  for test in ../../kernels/tests/*_test.cpp; do
    name=$(basename "$test" .cpp)
    (
      timeout "${SANITIZER_SECONDS:-100}" compute-sanitizer --tool $tool --error-exitcode 9 "$build/$name" >"$build/$name.$tool" 2>&1
      echo "$tool $name: exit $? $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$build/$name.$tool" | tail -1)" >>"$out/$device.sanitizer.txt"
    ) &
  done
  wait
done
cat "$out/$device.sanitizer.txt"
exit $failed
