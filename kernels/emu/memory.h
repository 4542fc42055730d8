// Device memory with guard zones, and the shared memory of a block.
#pragma once

namespace emu {

constexpr size_t kGuardBytes = 256;
constexpr unsigned char kGuard = 0xFB;
constexpr unsigned char kDevicePoison = 0xCD;
constexpr unsigned char kSharedPoison = 0xA5;
constexpr size_t kSharedBytes = 227 << 10;  // what a block may have on Hopper

[[noreturn]] inline void fail(const char* what, const char* detail = "") {
  fprintf(stderr, "emulation: %s %s\n", what, detail);
  fflush(stderr);
  abort();
}

inline bool intact(const unsigned char* guard, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (guard[i] != kGuard) return false;
  return true;
}

// allocations of deviceAlloc, by address, with their sizes.
inline std::map<unsigned char*, size_t>& allocations() {
  static std::map<unsigned char*, size_t> all;
  return all;
}

// deviceAlloc gives poisoned memory, aligned to 256 bytes, between two guard zones;
// nullptr where the host has none.
inline void* deviceAlloc(size_t bytes) {
  size_t padded = (bytes + kGuardBytes - 1) / kGuardBytes * kGuardBytes;
  auto* raw = static_cast<unsigned char*>(aligned_alloc(256, padded + 2 * kGuardBytes));
  if (raw == nullptr) return nullptr;
  memset(raw, kGuard, padded + 2 * kGuardBytes);
  unsigned char* p = raw + kGuardBytes;
  memset(p, kDevicePoison, bytes);
  allocations()[p] = bytes;
  return p;
}

// deviceFree releases memory of deviceAlloc; false where p is no such address.
inline bool deviceFree(void* p) {
  auto found = allocations().find(static_cast<unsigned char*>(p));
  if (found == allocations().end()) return false;
  free(found->first - kGuardBytes);
  allocations().erase(found);
  return true;
}

// guardsIntact tells whether nothing was written around any device allocation.
inline bool guardsIntact() {
  for (auto& [p, bytes] : allocations()) {
    size_t padded = (bytes + kGuardBytes - 1) / kGuardBytes * kGuardBytes;
    if (!intact(p - kGuardBytes, kGuardBytes) || !intact(p + bytes, padded - bytes + kGuardBytes)) return false;
  }
  return true;
}

// SharedMemory is that of one resident block: static variables by the place of their
// declaration, then checked for overruns when the block ends.
class SharedMemory {
 public:
  SharedMemory() : bytes_(static_cast<unsigned char*>(aligned_alloc(256, kSharedBytes + kGuardBytes))) {}
  ~SharedMemory() { free(bytes_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void begin(size_t dynamicBytes) {
    variables_.clear();
    guards_.clear();
    used_ = 0;
    dynamic_ = take(dynamicBytes);
  }
  unsigned char* dynamic() { return dynamic_; }
  unsigned char* variable(const void* place, size_t bytes) {
    for (auto& [known, address] : variables_)
      if (known == place) return address;
    unsigned char* address = take(bytes);
    variables_.emplace_back(place, address);
    return address;
  }
  bool overrun() const {
    for (auto* guard : guards_)
      if (!intact(guard, kSpace)) return true;
    return false;
  }

 private:
  static constexpr size_t kSpace = 32;
  unsigned char* take(size_t bytes) {
    size_t start = (used_ + 127) / 128 * 128;
    if (start + bytes > kSharedBytes) fail("a block asks for too much shared memory");
    unsigned char* p = bytes_ + start;
    memset(p, kSharedPoison, bytes);
    memset(p + bytes, kGuard, kSpace);
    guards_.push_back(p + bytes);
    used_ = start + bytes + kSpace;
    return p;
  }
  unsigned char* bytes_;
  unsigned char* dynamic_ = nullptr;
  size_t used_ = 0;
  std::vector<std::pair<const void*, unsigned char*>> variables_;
  std::vector<unsigned char*> guards_;
};

}  // namespace emu
