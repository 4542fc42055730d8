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

# sanitized runs a program under a tool and notes what it found; what it complained of goes to
# sanitizer.log.
logs=$(mktemp -d)
trap 'rm -rf "$build" "$logs"' EXIT
sanitized() {
  local tool=$1 name=$2 log=$logs/$1.$2 code
  shift 2
  timeout "${SANITIZER_SECONDS:-240}" compute-sanitizer --tool "$tool" --error-exitcode 9 "$@" >"$log" 2>&1
  code=$?
  echo "$tool $name: exit $code $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$log" | tail -1)"
  [ $code = 0 ] || { echo "== $tool $name"; head -60 "$log"; } >"$log.bad"
}
# race_tests are the Go packages' quickest tests: racecheck takes a hundred times as long.
race_tests='TestOutputPieces|TestWindows|TestPieces|TestColumns|TestRuns|TestOneCondition'
if wants sanitizer; then
  for tool in ${TOOLS:-memcheck racecheck initcheck}; do
    few=; [ "$tool" = racecheck ] && few="-test.run=$race_tests"
    for test in "$build"/*_test; do sanitized "$tool" "$(basename "$test")" "$test" & done
    # shellcheck disable=SC2086 # few is none or a word
    for test in "$built"/join-*.test; do sanitized "$tool" "$(basename "$test")" "$test" $few & done
    wait
  done | tee "$out/sanitizer.txt"
  cat "$logs"/*.bad >"$out/sanitizer.log" 2>/dev/null
  grep -v "exit 0" "$out/sanitizer.txt" && failed=1
fi
exit $failed
