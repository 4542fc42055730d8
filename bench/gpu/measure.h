// Medians of repeated device work, and the results as JSON and Markdown.
#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "../../kernels/tests/testing.h"

constexpr int kRepeats = 9;

// medianOf is the median time of work in milliseconds, by events around it, after two
// calls that are not counted.
inline double medianOf(const std::function<void()>& work) {
  cudaEvent_t from, to;
  checkCuda(cudaEventCreate(&from), "event");
  checkCuda(cudaEventCreate(&to), "event");
  std::vector<float> times;
  for (int i = -2; i < kRepeats; i++) {
    checkCuda(cudaEventRecord(from), "record");
    work();
    checkCuda(cudaEventRecord(to), "record");
    checkCuda(cudaEventSynchronize(to), "work");
    checkCuda(cudaGetLastError(), "launch");
    float ms;
    checkCuda(cudaEventElapsedTime(&ms, from, to), "elapsed");
    if (i >= 0) times.push_back(ms);
  }
  cudaEventDestroy(from);
  cudaEventDestroy(to);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// Line is one row of the report. The floor is the bytes that the work must move over the
// copy rate measured in the same run; 0 where another limit counts.
struct Line {
  std::string work;
  double ms, items;
  std::string unit;
  double bytes, bar;  // bar in units of 1e9 items/s; 0: none
  double rivalMs;     // CUB's time for the same; 0: not measured
};

inline std::vector<Line> report;
inline double copyRate = 0;  // bytes/s, read plus written

inline void add(const std::string& work, double ms, double items, const std::string& unit, double bytes, double rivalMs,
                double bar = 0) {
  report.push_back({work, ms, items, unit, bytes, bar, rivalMs});
  printf("%-52s %9.3f ms  %9.2f G %s/s", work.c_str(), ms, items / ms / 1e6, unit.c_str());
  if (bytes > 0) printf("  floor %.3f ms", bytes / copyRate * 1e3);
  if (rivalMs > 0) printf("  CUB %.3f ms, %.2f of it", rivalMs, rivalMs / ms);
  if (bar > 0) printf("  bar %.1f", bar);
  puts("");
  fflush(stdout);
}

inline void writeReport(const std::string& path) {
  cudaDeviceProp device;
  int driver = 0, runtime = 0;
  cudaGetDeviceProperties(&device, 0);
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const char* date = getenv("BENCH_DATE");
  const char* driverName = getenv("BENCH_DRIVER");
  FILE* json = fopen((path + ".json").c_str(), "w");
  FILE* table = fopen((path + ".md").c_str(), "w");
  if (json == nullptr || table == nullptr) die("cannot write " + path);
  fprintf(json, "{\"device\": \"%s\", \"driver\": \"%s\", \"cuda\": %d, \"date\": \"%s\", \"copy_TBps\": %.3f, \"repeats\": %d, \"results\": [\n",
          device.name, driverName ? driverName : "", runtime, date ? date : "", copyRate / 1e12, kRepeats);
  fprintf(table,
          "# GPU kernels on one %s\n\nDriver %s, CUDA %d.%d, %s. Medians of %d, CUDA events, random data, results verified in the run. "
          "Device copy: %.2f TB/s read plus written; the floor is the bytes a work must move over that rate. "
          "CUB stands in the same run; a bar is the project's aim.\n\n"
          "| work | ms | G/s | floor ms | CUB ms | of CUB | bar G/s |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
          device.name, driverName ? driverName : "", runtime / 1000, runtime % 1000 / 10, date ? date : "", kRepeats, copyRate / 1e12);
  for (size_t i = 0; i < report.size(); i++) {
    const Line& l = report[i];
    double rate = l.items / l.ms / 1e6, floor = l.bytes / copyRate * 1e3;
    fprintf(json, "  {\"work\": \"%s\", \"ms\": %.4f, \"rate_G\": %.3f, \"unit\": \"%s\", \"floor_ms\": %.4f, \"cub_ms\": %.4f, \"bar_G\": %.2f}%s\n",
            l.work.c_str(), l.ms, rate, l.unit.c_str(), floor, l.rivalMs, l.bar, i + 1 < report.size() ? "," : "");
    auto cell = [](double v, int digits) {
      char text[32];
      snprintf(text, sizeof text, "%.*f", digits, v);
      return v > 0 ? std::string(text) : std::string();
    };
    fprintf(table, "| %s | %.3f | %.2f %s | %s | %s | %s | %s |\n", l.work.c_str(), l.ms, rate, l.unit.c_str(), cell(floor, 3).c_str(),
            cell(l.rivalMs, 3).c_str(), cell(l.rivalMs / l.ms, 2).c_str(), cell(l.bar, 1).c_str());
  }
  fprintf(json, "]}\n");
  fclose(json);
  fclose(table);
}
