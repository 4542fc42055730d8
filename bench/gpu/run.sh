#!/usr/bin/env bash
# Runs on a machine with an NVIDIA GPU and nvcc what `make bench-gpu` has built in bin/gpu:
# the tests of the kernels and of the Go packages on the real device, the same under
# compute-sanitizer, then the benchmark beside CUB. Results go to the folder named (default:
# results beside this script). STAGES chooses among: tests sanitizer bench.
set -uo pipefail
cd "$(dirname "$0")"
out=$(mkdir -p "${1:-results}" && cd "${1:-results}" && pwd)
built=$(cd ../../bin/gpu && pwd) || exit 1
stages=${STAGES:-tests sanitizer bench}
nvcc=${NVCC:-nvcc}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
flags="-std=c++20 -O3 -arch=native --extended-lambda -diag-suppress 177"
failed=0
wants() { [[ " $stages " == *" $1 "* ]]; }

# The kernels' own tests are compiled here, as nvcc does it for this device.
if wants tests || wants sanitizer; then
  for test in ../../kernels/tests/*_test.cpp; do
    # shellcheck disable=SC2086 # flags are words
    $nvcc $flags -x cu "$test" -o "$build/$(basename "$test" .cpp)" &
  done
fi
if wants bench; then
  for program in cub ablation; do
    # shellcheck disable=SC2086
    $nvcc $flags $program.cu -o "$build/$program" &
  done
fi
wait

if wants tests; then
  for test in "$build"/*_test; do
    answer=$(timeout 60 "$test" 2>&1)
    echo "$(basename "$test"): $answer"
    [ "$answer" = ok ] || failed=1
  done
  for test in "$built"/*.test; do
    echo "== $(basename "$test")"
    timeout "${TEST_SECONDS:-120}" "$test" -test.timeout 110s 2>&1 | tail -20
    [ "${PIPESTATUS[0]}" = 0 ] || failed=1
  done
fi

if wants bench; then
  "$build/cub" >"$build/cub.json" || failed=1
  "$build/ablation" >"$build/ablation.json" || failed=1
  timeout "${BENCH_SECONDS:-300}" "$built/gpubench" -cub "$build/cub.json,$build/ablation.json" -out "$out" ${ONLY:+-only "$ONLY"} || failed=1
fi

# sanitized runs a program under a tool and notes what it found.
sanitized() {
  local tool=$1 name=$2
  shift 2
  timeout "${SANITIZER_SECONDS:-100}" compute-sanitizer --tool "$tool" --error-exitcode 9 "$@" >"$build/log.$tool.$name" 2>&1
  echo "$tool $name: exit $? $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$build/log.$tool.$name" | tail -1)"
}
if wants sanitizer; then
  for tool in memcheck racecheck initcheck; do
    for test in "$build"/*_test; do sanitized $tool "$(basename "$test")" "$test" & done
    for test in "$built"/join-*.test; do sanitized $tool "$(basename "$test")" "$test" -test.short & done
    wait
  done | tee "$out/sanitizer.txt"
  grep -v "exit 0" "$out/sanitizer.txt" && failed=1
fi
exit $failed
