#!/usr/bin/env bash
# Runs on a machine with several NVIDIA GPUs what `make bench-devices` has built in bin/devices: the
# tests of peer copies, groups, sorts and joins on all devices, then the benchmark of resident data, then that
# of host tables through SQL (HOST has its options, and HOST=none leaves it out). Results go to the folder named
# (default: results beside this script).
set -uo pipefail
cd "$(dirname "$0")"
out=$(mkdir -p "${1:-results}" && cd "${1:-results}" && pwd)
built=$(cd ../../bin/devices && pwd) || exit 1
failed=0
test() {
  echo "== $1 $2"
  timeout 60 "$built/$1.test" -test.timeout 55s -test.v -test.run "$2" 2>&1 | grep -vE '^(=== | +--- PASS)' | tail -"${TAIL:-25}"
  [ "${PIPESTATUS[0]}" = 0 ] || failed=1
}
test cuda 'TestPeers'
test group '.'
test group-sorting '.'
test join-radix 'On|Deal'
timeout "${BENCH_SECONDS:-150}" "$built/devices" -out "$out" ${ONLY:+-only "$ONLY"} || failed=1
if [ "${HOST:-}" != none ]; then
  # shellcheck disable=SC2086 # options are words
  timeout "${HOST_SECONDS:-420}" "$built/host" ${HOST:-} -out "$out" || failed=1
fi
exit $failed
