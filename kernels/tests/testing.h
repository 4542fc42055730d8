// A few words for the tests and benchmarks of kernels: device arrays, launches by entry name, checks.
// Under nvcc they mean the real device, under g++ the emulation.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#ifdef __CUDACC__
inline std::map<std::string, const void*>& entries() {
  static std::map<std::string, const void*> all;
  return all;
}
struct Registered {
  Registered(const char* name, const void* kernel) { entries()[name] = kernel; }
};
#define ENTRY(name) static const Registered registered_##name(#name, reinterpret_cast<const void*>(&name));

inline void checkCuda(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
  exit(1);
}
#endif

#include "../device.cuh"

[[noreturn]] inline void die(const std::string& message) {
  fprintf(stderr, "FAIL %s\n", message.c_str());
  exit(1);
}

// Array is device memory of n items; it is poisoned unless made from values.
template <class T>
class Array {
 public:
  explicit Array(size_t n) : n_(n) {
#ifdef __CUDACC__
    checkCuda(cudaMalloc(&p_, n * sizeof(T) + 16), "cudaMalloc");
    fill(0xCD);
#else
    p_ = static_cast<T*>(emu::deviceAlloc(n * sizeof(T)));
#endif
  }
  explicit Array(const std::vector<T>& values) : Array(values.size()) { set(values); }
  ~Array() {
#ifdef __CUDACC__
    cudaFree(p_);
#else
    emu::deviceFree(p_);
#endif
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  void set(const std::vector<T>& values) {
#ifdef __CUDACC__
    checkCuda(cudaMemcpy(p_, values.data(), n_ * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
#else
    if (n_ > 0) memcpy(p_, values.data(), n_ * sizeof(T));
#endif
  }
  void fill(unsigned char byte) {
#ifdef __CUDACC__
    checkCuda(cudaMemset(p_, byte, n_ * sizeof(T)), "memset");
#else
    if (n_ > 0) memset(static_cast<void*>(p_), byte, n_ * sizeof(T));
#endif
  }
  std::vector<T> host() const {
    std::vector<T> values(n_);
#ifdef __CUDACC__
    checkCuda(cudaMemcpy(values.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost), "copy to the host");
#else
    if (n_ > 0) memcpy(values.data(), p_, n_ * sizeof(T));
#endif
    return values;
  }
  T* get() const { return p_; }
  size_t size() const { return n_; }

 private:
  T* p_ = nullptr;
  size_t n_;
};

// Zeros is an array that starts as zeros: counters and look-back scratch.
template <class T = uint64_t>
class Zeros : public Array<T> {
 public:
  explicit Zeros(size_t n) : Array<T>(n) { this->fill(0); }
};

template <class T>
uint64_t parameter(T v) {
  static_assert(sizeof(T) <= 8);
  if constexpr (std::is_integral_v<T>) return uint64_t(int64_t(v));
  uint64_t bits = 0;
  memcpy(&bits, &v, sizeof v);
  return bits;
}

// start launches an entry without waiting for it.
template <class... A>
void start(const std::string& name, int64_t grid, unsigned block, size_t shared, A... arguments) {
  uint64_t words[] = {parameter(arguments)...};
#ifdef __CUDACC__
  auto found = entries().find(name);
  if (found == entries().end()) die("no entry " + name);
  void* pointers[sizeof...(A)];
  for (size_t i = 0; i < sizeof...(A); i++) pointers[i] = &words[i];
  if (shared > 32 << 10)  // what is static counts, too
    checkCuda(cudaFuncSetAttribute(found->second, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)), "shared memory");
  checkCuda(cudaLaunchKernel(found->second, dim3(unsigned(grid)), dim3(block), pointers, shared, 0), name.c_str());
#else
  if (!emu::launchByName(name.c_str(), dim3(unsigned(grid)), dim3(block), shared, words, sizeof...(A)))
    die("no entry " + name + " with that many parameters");
#endif
}

// run launches an entry and waits for it.
template <class... A>
void run(const std::string& name, int64_t grid, unsigned block, size_t shared, A... arguments) {
  start(name, grid, block, shared, arguments...);
#ifdef __CUDACC__
  checkCuda(cudaDeviceSynchronize(), name.c_str());
#endif
}

template <class T>
void expectEqual(const std::vector<T>& got, const std::vector<T>& want, const std::string& what) {
  if (got.size() != want.size()) die(what + ": " + std::to_string(got.size()) + " items, want " + std::to_string(want.size()));
  for (size_t i = 0; i < got.size(); i++)
    if (memcmp(&got[i], &want[i], sizeof(T)) != 0)
      die(what + " of " + std::to_string(got.size()) + " at " + std::to_string(i) + ": " + std::to_string(got[i]) +
          ", want " + std::to_string(want[i]));
}

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Sizes around a warp, a block and a tile.
inline std::vector<int64_t> sizesAround(int64_t block, int64_t tile) {
  return {1, 2, 31, 32, 33, block - 1, block, block + 1, tile - 1, tile, tile + 1, 3 * tile + 17, 7 * tile};
}

// Shape is a way for keys to be.
enum class Shape { kRandom, kEqual, kSorted, kReversed, kFew, kExtreme };
constexpr Shape kShapes[] = {Shape::kRandom, Shape::kEqual, Shape::kSorted, Shape::kReversed, Shape::kFew, Shape::kExtreme};

// keysOf makes n keys of a shape, of every bit pattern that T has.
template <class T>
std::vector<T> keysOf(Shape shape, int64_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> keys(n);
  const T extremes[] = {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), T(0), T(1), T(-1)};
  for (int64_t i = 0; i < n; i++) {
    switch (shape) {
      case Shape::kRandom: keys[i] = std::is_floating_point_v<T> ? T(int64_t(random())) * T(1e-9) : T(random()); break;
      case Shape::kEqual: keys[i] = T(42); break;
      case Shape::kSorted: keys[i] = T(i - n / 2); break;
      case Shape::kReversed: keys[i] = T(n / 2 - i); break;
      case Shape::kFew: keys[i] = T(int64_t(random() % 5) - 2); break;
      case Shape::kExtreme: keys[i] = extremes[random() % 5]; break;
    }
  }
  return keys;
}
