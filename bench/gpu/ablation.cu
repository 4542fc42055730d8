// The way to the input-bound nested loop, step by step: SELECT SUM(S.x) WHERE R.a < S.a.
//
// Bellas, Gounaris: GPU processing of theta-joins (2017), section 4: naive, a thread a pair
// on a two-dimensional grid with a global atomic each match; partial sums, a thread a row
// of R that walks S in global memory; tiles, S as columns in shared memory, a block
// reduction and one atomic a block. What the engine does instead is in kernels/theta_count.cu.
// Prints a JSON object of milliseconds by work; run.sh builds and runs it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

constexpr int kThreads = 256;
constexpr int kRepeats = 7;
using Sum = unsigned long long;

struct Row {
  int a, x;
};

void check(cudaError_t err, const char* what) {
  if (err == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(err));
  exit(1);
}

template <class T>
T* upload(const std::vector<T>& v) {
  T* p;
  check(cudaMalloc(&p, v.size() * sizeof(T)), "cudaMalloc");
  check(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
  return p;
}

__global__ void naive(const Row* r, int nr, const Row* s, int ns, Sum* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < nr && j < ns && r[i].a < s[j].a) atomicAdd(sum, Sum(int64_t(s[j].x)));
}

__global__ void partialSums(const Row* r, int nr, const Row* s, int ns, Sum* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nr) return;
  int64_t sum = 0;
  for (int j = 0; j < ns; j++)
    if (r[i].a < s[j].a) sum += s[j].x;
  sums[i] = Sum(sum);
}

__global__ void addUp(const Sum* sums, int n, Sum* sum) {
  Sum mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += sums[i];
  atomicAdd(sum, mine);
}

__global__ void tiles(const int* ra, int nr, const int* sa, const int* sx, int ns, Sum* sum) {
  __shared__ int a[kThreads], x[kThreads];
  __shared__ Sum block;
  int i = blockIdx.x * kThreads + threadIdx.x;
  int key = i < nr ? ra[i] : INT32_MAX;
  int64_t mine = 0;
  if (threadIdx.x == 0) block = 0;
  for (int from = 0; from < ns; from += kThreads) {
    int j = from + threadIdx.x;
    __syncthreads();
    a[threadIdx.x] = j < ns ? sa[j] : INT32_MIN;
    x[threadIdx.x] = j < ns ? sx[j] : 0;
    __syncthreads();
    for (int k = 0; k < kThreads; k++)
      if (key < a[k]) mine += x[k];
  }
  atomicAdd(&block, Sum(mine));
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, block);
}

double medianOf(const std::function<void()>& work) {
  cudaEvent_t from, to;
  check(cudaEventCreate(&from), "event");
  check(cudaEventCreate(&to), "event");
  std::vector<float> times;
  for (int i = -1; i < kRepeats; i++) {
    float ms;
    check(cudaEventRecord(from), "record");
    work();
    check(cudaEventRecord(to), "record");
    check(cudaEventSynchronize(to), "work");
    check(cudaGetLastError(), "launch");
    check(cudaEventElapsedTime(&ms, from, to), "elapsed");
    if (i >= 0) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

const char* separator = "{";
Sum want;
Sum* sum;

void report(const std::string& name, const std::function<void()>& work) {
  double ms = medianOf([&] {
    cudaMemsetAsync(sum, 0, sizeof(Sum));
    work();
  });
  Sum got;
  check(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost), "copy");
  if (got != want) {
    fprintf(stderr, "%s: %lld, want %lld\n", name.c_str(), (long long)got, (long long)want);
    exit(1);
  }
  printf("%s\n  \"theta ablation: %s\": %.4f", separator, name.c_str(), ms);
  separator = ",";
}

int randomAt(uint64_t i, uint64_t column) {
  uint64_t h = (i + (column << 40)) * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
  h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
  return int(h >> 32);
}

void measure(const std::string& size, int nr, int ns, bool slow) {
  std::vector<Row> r(nr), s(ns);
  std::vector<int> ra(nr), sa(ns), sx(ns);
  for (int i = 0; i < nr; i++) ra[i] = r[i].a = randomAt(i, 1);
  for (int i = 0; i < ns; i++) sa[i] = s[i].a = randomAt(i, 2), sx[i] = s[i].x = randomAt(i, 3);
  std::vector<int> sorted = ra;
  std::sort(sorted.begin(), sorted.end());
  int64_t exact = 0;
  for (int i = 0; i < ns; i++) exact += int64_t(sx[i]) * (std::lower_bound(sorted.begin(), sorted.end(), sa[i]) - sorted.begin());
  want = Sum(exact);
  Row *dr = upload(r), *ds = upload(s);
  int *dra = upload(ra), *dsa = upload(sa), *dsx = upload(sx);
  Sum* sums;
  check(cudaMalloc(&sums, nr * sizeof(Sum)), "cudaMalloc");
  unsigned blocks = (nr + kThreads - 1) / kThreads;
  if (slow) report("naive, " + size, [&] { naive<<<dim3((nr + 31) / 32, (ns + 7) / 8), dim3(32, 8)>>>(dr, nr, ds, ns, sum); });
  report("partial sums, " + size, [&] {
    partialSums<<<blocks, kThreads>>>(dr, nr, ds, ns, sums);
    addUp<<<132, kThreads>>>(sums, nr, sum);
  });
  report("tiles, " + size, [&] { tiles<<<blocks, kThreads>>>(dra, nr, dsa, dsx, ns, sum); });
  for (void* p : {(void*)dr, (void*)ds, (void*)dra, (void*)dsa, (void*)dsx, (void*)sums}) cudaFree(p);
}

int main() {
  check(cudaMalloc(&sum, sizeof(Sum)), "cudaMalloc");
  measure("50K x 45K", 50000, 45000, true);
  measure("500K x 450K", 500000, 450000, false);
  puts("\n}");
}
