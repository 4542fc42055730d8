#!/bin/sh
# Compares the numbers and sizes of cuda.h here with those of a CUDA toolkit's.
# Usage: check.sh /usr/local/cuda/include
# Names that the toolkit no longer has are listed, not failed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
grep -oE '\bCU(DA)?_[A-Z0-9_]+ = ' "$here/cuda.h" | sed 's/ = //' | sort -u > "$work/names"
grep -oE '^\} CU[A-Za-z0-9_]+;' "$here/cuda.h" | sed -e 's/^} //' -e 's/;//' | sort -u > "$work/types"
program() {
  echo '#include <stdio.h>'
  echo '#include <cuda.h>'
  echo 'int main(void) {'
  sed 's/.*/  printf("& %ld\\n", (long)(&));/' "$work/names"
  sed 's/.*/  printf("sizeof & %zu\\n", sizeof(&));/' "$work/types"
  echo '}'
}
: > "$work/gone"
for round in 1 2 3 4 5 6 7 8; do
  program > "$work/p.c"
  gcc -fmax-errors=0 -I"$1" -o "$work/theirs" "$work/p.c" 2> "$work/errors" && break
  grep -oE 'error: [^C]+CU[A-Za-z0-9_]+[^ ]* undeclared' "$work/errors" | grep -oE 'CU[A-Za-z0-9_]+' | sort -u > "$work/missing"
  [ -s "$work/missing" ] || { cat "$work/errors"; exit 1; }
  cat "$work/missing" >> "$work/gone"
  for list in names types; do
    grep -vxFf "$work/missing" "$work/$list" > "$work/next" || true
    mv "$work/next" "$work/$list"
  done
done
gcc -I"$here" -o "$work/ours" "$work/p.c"
"$work/theirs" > "$work/theirs.txt"
"$work/ours" > "$work/ours.txt"
echo "not in the toolkit: $(sort -u "$work/gone" | tr '\n' ' ')"
diff "$work/theirs.txt" "$work/ours.txt"
echo "$(wc -l < "$work/ours.txt") numbers and sizes agree"
