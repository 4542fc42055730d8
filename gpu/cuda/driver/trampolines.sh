#!/bin/sh
# Builds OUT/libcuda.a: for every function that cuda.h declares, code that jumps through a
# pointer which gsql_cuda_open (open.h) sets from libcuda.so.1. A binary linked with it starts
# on machines without a driver. Needs a C compiler only; x86-64 Linux.
# Usage: trampolines.sh OUT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
mkdir -p "$out"
symbols=$(sed -n -e 's/^CUresult .* ENTRY(\(cu[A-Za-z0-9_]*\));$/\1/p' -e '/ENTRY/!s/^CUresult \(cu[A-Za-z0-9_]*\)(.*/\1/p' "$here/cuda.h")
{
  cat <<'C'
#include <dlfcn.h>
#include <stddef.h>
#include "open.h"
#ifndef __x86_64__
#error "the trampolines are written for x86-64"
#endif
#define TRAMPOLINE(name, stub)      \
  void *gsql_p_##name = (void *)stub; \
  __asm__(".text; .globl " #name "; .type " #name ",@function; " #name ": jmp *gsql_p_" #name "(%rip); .size " #name ",.-" #name);
static int no_device(void) { return 100; }
static int count_none(int *n) { *n = 0; return 0; }
/* gorgonia.org/cu calls cuInit when the program starts and exits where it fails: until the
 * driver is opened nothing happens there. */
static int init_later(unsigned flags) { (void)flags; return 0; }
C
  for s in $symbols; do
    case $s in
      cuInit) stub=init_later ;;
      cuDeviceGetCount) stub=count_none ;;
      *) stub=no_device ;;
    esac
    echo "TRAMPOLINE($s, $stub)"
  done
  echo 'static const struct { const char *name; void **target; } entries[] = {'
  for s in $symbols; do echo "  {\"$s\", &gsql_p_$s},"; done
  cat <<'C'
};
int gsql_cuda_open(const char **text) {
  void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!lib) {
    *text = dlerror();
    return -1;
  }
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(lib, "cuInit");
  if (!init) {
    *text = "libcuda.so.1 has no cuInit";
    return -1;
  }
  int status = init(0);
  if (status) {
    int (*describe)(int, const char **) = (int (*)(int, const char **))dlsym(lib, "cuGetErrorString");
    if (!describe || describe(status, text)) *text = "cuInit failed";
    return status;
  }
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    void *p = dlsym(lib, entries[i].name);
    if (p) *entries[i].target = p;
  }
  *text = "";
  return 0;
}
C
} > "$out/trampolines.c"
${CC:-gcc} -O2 -fPIC -Wall -I"$here" -c "$out/trampolines.c" -o "$out/trampolines.o"
rm -f "$out/libcuda.a"
ar rcs "$out/libcuda.a" "$out/trampolines.o"
