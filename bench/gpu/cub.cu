// CUB's times for the primitives: the yardstick of the kernels' benchmark on the same device.
// Prints a JSON object of milliseconds by work; run.sh builds and runs it.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

constexpr int kRepeats = 9;
constexpr int64_t kItems = int64_t(1) << 27;

void check(cudaError_t err, const char* what) {
  if (err == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(err));
  exit(1);
}

// Buffer is device memory of n values.
template <class T>
struct Buffer {
  T* p = nullptr;
  explicit Buffer(int64_t n) { check(cudaMalloc(&p, n * sizeof(T)), "cudaMalloc"); }
  ~Buffer() { cudaFree(p); }
};

template <class T>
__global__ void fillKernel(T* p, int64_t n, T mask) {
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
    uint64_t h = uint64_t(i) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    p[i] = T(h ^ h >> 32) & mask;
  }
}
template <class T>
void fill(Buffer<T>& b, int64_t n, T mask = T(~T(0))) { fillKernel<<<1056, 256>>>(b.p, n, mask); }

// medianOf is the median time of work in milliseconds, by events around it.
double medianOf(const std::function<void()>& work) {
  cudaEvent_t from, to;
  check(cudaEventCreate(&from), "event");
  check(cudaEventCreate(&to), "event");
  std::vector<float> times;
  for (int i = -2; i < kRepeats; i++) {
    check(cudaEventRecord(from), "record");
    work();
    check(cudaEventRecord(to), "record");
    check(cudaEventSynchronize(to), "work");
    float ms;
    check(cudaEventElapsedTime(&ms, from, to), "elapsed");
    if (i >= 0) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

bool first = true;
void report(const std::string& work, double ms) {
  printf("%s\n  \"%s\": %.4f", first ? "{" : ",", work.c_str(), ms);
  first = false;
}

// timeCub gives CUB its temporary storage once and times the calls.
template <class F>
void timeCub(const std::string& work, F call) {
  size_t bytes = 0;
  check(call(nullptr, bytes), "size");
  Buffer<uint8_t> temp(bytes);
  report(work, medianOf([&] { check(call(temp.p, bytes), "call"); }));
}

template <class T>
void scan(const std::string& type) {
  Buffer<T> in(kItems), out(kItems);
  fill(in, kItems, T(7));
  timeCub("scan " + type, [&](void* t, size_t& b) { return cub::DeviceScan::ExclusiveSum(t, b, in.p, out.p, kItems); });
}

template <class Key, class Value>
void sort(const std::string& types) {
  Buffer<Key> in(kItems), out(kItems);
  Buffer<Value> values(kItems), valuesOut(kItems);
  fill(in, kItems);
  fill(values, kItems);
  timeCub("sort " + types, [&](void* t, size_t& b) {
    return cub::DeviceRadixSort::SortPairs(t, b, in.p, out.p, values.p, valuesOut.p, kItems);
  });
  timeCub("pass " + types, [&](void* t, size_t& b) {
    return cub::DeviceRadixSort::SortPairs(t, b, in.p, out.p, values.p, valuesOut.p, kItems, 0, 8);
  });
}

void copy() {
  int64_t n = int64_t(1) << 31;
  Buffer<uint8_t> a(n), b(n);
  fill(a, n);
  report("copy 2 GiB", medianOf([&] { check(cudaMemcpyAsync(b.p, a.p, n, cudaMemcpyDeviceToDevice), "copy"); }));
}

void select() {
  Buffer<uint32_t> values(kItems), kept(kItems);
  Buffer<uint8_t> flags(kItems);
  Buffer<uint64_t> count(1);
  fill(values, kItems);
  fill(flags, kItems, uint8_t(1));
  timeCub("select b4", [&](void* t, size_t& b) {
    return cub::DeviceSelect::Flagged(t, b, values.p, flags.p, kept.p, count.p, kItems);
  });
}

int main() {
  copy();
  scan<uint32_t>("u32");
  scan<uint64_t>("u64");
  select();
  sort<uint32_t, uint32_t>("32/32");
  sort<uint64_t, uint64_t>("64/64");
  sort<uint64_t, uint32_t>("64/32");
  puts("\n}");
}
