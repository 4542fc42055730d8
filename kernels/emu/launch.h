// The scheduler: resident blocks, their threads, barriers, warp operations.
#pragma once

inline thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;
constexpr int warpSize = 32;

namespace emu {

constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kResidentBlocks = 3;
constexpr uint64_t kMaxIdleSpins = 20'000'000;

enum class WarpOp : uint8_t { kSync, kShuffle, kBallot, kMatch, kReduce };

struct Thread {
  Context context;
  char* stack = nullptr;
  unsigned index = 0;
  bool done = false;
  uint64_t inbox[32];  // what the lanes of the last warp operation posted
};

struct Warp {
  uint32_t exited = 0;
  uint32_t waiting = 0;
  uint32_t mask[32];
  WarpOp op[32];
  uint64_t posted[32];
};

struct Block {
  dim3 index;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<unsigned> ready, next;
  SharedMemory shared;
  unsigned alive = 0;
  std::vector<unsigned> parked;  // threads at the barrier
  bool gathered = false;         // the disjunction that the barrier collects
  bool agreed = false;           // the one that the last barrier collected
  bool running = false;
};

struct Machine {
  Context scheduler;
  Block* block = nullptr;
  Thread* thread = nullptr;
  void (*body)(const void*) = nullptr;
  const void* arguments = nullptr;
  const char* kernel = "";
  uint64_t idleSpins = 0;
  Block resident[kResidentBlocks];
  ~Machine() {
    for (auto& b : resident)
      for (auto& t : b.threads) free(t.stack);
  }
};
inline Machine machine;

inline void suspend() { Context::change(machine.thread->context, machine.scheduler); }

inline void wake(Block& b, unsigned thread) {
  b.next.push_back(thread);
  machine.idleSpins = 0;
}

inline void releaseBarrier(Block& b) {
  for (unsigned t : b.parked) wake(b, t);
  b.parked.clear();
  b.agreed = b.gathered;
  b.gathered = false;
}

inline void runThread() {
  machine.body(machine.arguments);
  Block& b = *machine.block;
  Thread& t = *machine.thread;
  t.done = true;
  b.alive--;
  b.warps[t.index / 32].exited |= 1u << (t.index % 32);
  machine.idleSpins = 0;
  if (!b.parked.empty() && b.parked.size() == b.alive) releaseBarrier(b);
  suspend();
  fail("a finished thread ran again in", machine.kernel);
}

// barrier waits for all threads of the block that have not ended and tells whether any
// of them brought true. No thread reaches the next barrier before all have left this one
// and read its answer, because all of them must arrive there.
inline bool barrier(bool any) {
  Block& b = *machine.block;
  b.gathered |= any;
  if (b.parked.size() + 1 < b.alive) {
    b.parked.push_back(machine.thread->index);
    suspend();
  } else {
    releaseBarrier(b);
  }
  return b.agreed;
}

// spin is called inside loops that wait for another block.
inline void spin() {
  if (++machine.idleSpins > kMaxIdleSpins) fail("livelock: every thread spins in", machine.kernel);
  machine.block->next.push_back(machine.thread->index);
  suspend();
}

// exchange posts value for the other lanes of mask and returns when all of them have
// posted; the inbox of the thread then holds the lanes' values.
inline const uint64_t* exchange(uint32_t mask, WarpOp op, uint64_t value) {
  Block& b = *machine.block;
  Thread& self = *machine.thread;
  Warp& w = b.warps[self.index / 32];
  unsigned lane = self.index % 32, base = self.index / 32 * 32;
  if (base + 32 > b.threads.size()) mask &= (1u << (b.threads.size() - base)) - 1;
  if (!(mask >> lane & 1)) fail("a lane is not in the mask of its own warp operation in", machine.kernel);
  if (mask & w.exited) fail("a warp operation names exited lanes in", machine.kernel);
  w.mask[lane] = mask;
  w.op[lane] = op;
  w.posted[lane] = value;
  w.waiting |= 1u << lane;
  if ((w.waiting & mask) != mask) {
    suspend();
    return self.inbox;
  }
  for (unsigned l = 0; l < 32; l++) {
    if (!(mask >> l & 1)) continue;
    if (w.mask[l] != mask || w.op[l] != op) fail("lanes disagree about a warp operation in", machine.kernel);
    memcpy(b.threads[base + l].inbox, w.posted, sizeof w.posted);
    if (l != lane) wake(b, base + l);
  }
  w.waiting &= ~mask;
  return self.inbox;
}

inline void start(Block& b, dim3 index, unsigned threads, size_t dynamicShared) {
  b.index = index;
  if (b.threads.size() < threads) b.threads.resize(threads);
  while (b.threads.size() > threads) {
    free(b.threads.back().stack);
    b.threads.pop_back();
  }
  b.warps.assign((threads + 31) / 32, Warp{});
  b.ready.clear();
  b.next.clear();
  b.parked.clear();
  b.alive = threads;
  b.gathered = b.agreed = false;
  b.shared.begin(dynamicShared);
  for (unsigned t = 0; t < threads; t++) {
    Thread& f = b.threads[t];
    if (f.stack == nullptr) f.stack = static_cast<char*>(malloc(kStackBytes));
    f.index = t;
    f.done = false;
    f.context.prepare(f.stack, runThread);
    b.next.push_back(t);
  }
  b.running = true;
}

// step lets every thread of b that can run do so once.
inline bool step(Block& b) {
  b.ready.swap(b.next);
  b.next.clear();
  if (b.ready.empty()) return false;
  machine.block = &b;
  blockIdx = b.index;
  for (unsigned t : b.ready) {
    machine.thread = &b.threads[t];
    threadIdx = dim3(t % blockDim.x, t / blockDim.x % blockDim.y, t / (blockDim.x * blockDim.y));
    Context::change(machine.scheduler, machine.thread->context);
  }
  return true;
}

inline void finish(Block& b) {
  if (b.shared.overrun()) fail("a write past a shared variable in", machine.kernel);
  b.running = false;
}

// blockAt maps the i-th start to a block: a fixed shuffle without a table.
inline uint64_t blockAt(uint64_t i, uint64_t blocks) {
  uint64_t stride = 7919 % blocks;
  while (stride == 0 || std::__gcd(stride, blocks) != 1) stride++;
  return (i * stride + blocks / 2) % blocks;
}

// launch runs body(arguments) as a kernel and returns when all its blocks have ended.
inline void launch(const char* kernel, dim3 grid, dim3 block, size_t dynamicShared, void (*body)(const void*),
                   const void* arguments) {
  unsigned threads = block.x * block.y * block.z;
  if (threads == 0 || threads > kMaxThreads) fail("bad block size of", kernel);
  uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z, started = 0, ended = 0;
  if (blocks == 0) fail("empty grid of", kernel);
  gridDim = grid;
  blockDim = block;
  machine.kernel = kernel;
  machine.body = body;
  machine.arguments = arguments;
  machine.idleSpins = 0;
  while (ended < blocks) {
    bool progress = false;
    for (Block& b : machine.resident) {
      if (!b.running && started < blocks) {
        uint64_t i = blockAt(started++, blocks);
        start(b, dim3(i % grid.x, i / grid.x % grid.y, i / (uint64_t(grid.x) * grid.y)), threads, dynamicShared);
      }
      if (!b.running) continue;
      progress |= step(b);
      if (b.alive == 0) {
        finish(b);
        ended++;
      }
    }
    if (!progress) fail("deadlock in", kernel);
  }
  if (!guardsIntact()) fail("a write past a device allocation in", kernel);
}

// Entry makes a kernel known by its name. Parameters have 64 bits each.
class Entry {
 public:
  template <class... A>
  Entry(const char* name, void (*kernel)(A...)) : parameters(sizeof...(A)) {
    static_assert(((sizeof(A) == 8) && ...), "every kernel parameter has 64 bits");
    address = reinterpret_cast<void*>(kernel);
    invoke = [](void* k, const uint64_t* p) { call(reinterpret_cast<void (*)(A...)>(k), p, std::index_sequence_for<A...>()); };
    all()[name] = this;
  }
  static std::map<std::string, const Entry*>& all() {
    static std::map<std::string, const Entry*> entries;
    return entries;
  }
  size_t parameters;
  void* address;
  void (*invoke)(void*, const uint64_t*);

 private:
  template <class T>
  static T decode(uint64_t bits) {
    T value;
    memcpy(&value, &bits, 8);
    return value;
  }
  template <class... A, size_t... I>
  static void call(void (*kernel)(A...), const uint64_t* p, std::index_sequence<I...>) {
    kernel(decode<A>(p[I])...);
  }
};

// launchByName launches an entry with the bits of its parameters. It returns false,
// having done nothing, where there is no such entry or it takes another number of them.
inline bool launchByName(const char* name, dim3 grid, dim3 block, size_t dynamicShared, const uint64_t* parameters,
                         size_t count) {
  auto found = Entry::all().find(name);
  if (found == Entry::all().end() || found->second->parameters != count) return false;
  struct Call {
    const Entry* entry;
    const uint64_t* parameters;
  } call{found->second, parameters};
  launch(name, grid, block, dynamicShared,
         [](const void* c) {
           auto* call = static_cast<const Call*>(c);
           call->entry->invoke(call->entry->address, call->parameters);
         },
         &call);
  return true;
}

}  // namespace emu
