// Fibres: stacks of their own that hand the processor over by name.
#pragma once

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace emu {

constexpr size_t kStackBytes = 96 << 10;

#if defined(__x86_64__)
extern "C" void gsql_emu_switch(void** from, void* to);
asm(R"(
.text
.weak gsql_emu_switch
.type gsql_emu_switch,@function
gsql_emu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

// Context is a suspended flow of control: the stack pointer below its saved registers
// (System V ABI: rbp, rbx, r12..r15 survive calls).
struct Context {
  void* sp = nullptr;
  void prepare(char* stack, void (*entry)()) {
    auto top = reinterpret_cast<uintptr_t>(stack + kStackBytes) & ~uintptr_t(63);
    void** slot = reinterpret_cast<void**>(top);
    *--slot = nullptr;
    *--slot = reinterpret_cast<void*>(entry);
    for (int r = 0; r < 6; r++) *--slot = nullptr;
    sp = slot;
  }
  static void change(Context& from, Context& to) { gsql_emu_switch(&from.sp, to.sp); }
};
#else
struct Context {
  ucontext_t state;
  void prepare(char* stack, void (*entry)()) {
    getcontext(&state);
    state.uc_stack.ss_sp = stack;
    state.uc_stack.ss_size = kStackBytes;
    state.uc_link = nullptr;
    makecontext(&state, entry, 0);
  }
  static void change(Context& from, Context& to) { swapcontext(&from.state, &to.state); }
};
#endif

}  // namespace emu
