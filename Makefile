# The few commands people use.
.PHONY: build gsql-gpu ptx cubin test random test-sim test-cuda race slt corpus bench vet-bench bench-gpu bench-devices cross module check

# Tests and benchmarks use the built-in rates, whatever gsql calibrate has measured here.
export GSQL_PROFILE ?= off

build: ## bin/gsql, one static binary
	CGO_ENABLED=0 go build -o bin/gsql ./cmd/gsql

# Building for NVIDIA GPUs needs Go and gcc: header and trampolines stand in for the CUDA
# toolkit, and the driver is looked for when the program asks for it.
CUDA := $(CURDIR)/.build/cuda
CUDA_ENV := CGO_ENABLED=1 CGO_CFLAGS="-O2 -I$(CURDIR)/gpu/cuda/driver" CGO_LDFLAGS="-L$(CUDA) -ldl"

$(CUDA)/libcuda.a: gpu/cuda/driver/cuda.h gpu/cuda/driver/open.h gpu/cuda/driver/trampolines.sh
	gpu/cuda/driver/trampolines.sh $(CUDA)

gsql-gpu: $(CUDA)/libcuda.a ## bin/gsql-gpu, which uses NVIDIA GPUs where there are any
	$(CUDA_ENV) go build -tags cuda -o bin/gsql-gpu ./cmd/gsql

# Packages with tests that run on a real device.
DEVICE_TESTS := cuda engine group group/sorting prim join/hash join/radix join/theta join/merge pipeline/ptx pipeline/run operators

test-cuda: $(CUDA)/libcuda.a ## the device tests in bin/gpu, to be run on a machine with a GPU; vet of the tagged code
	$(CUDA_ENV) go vet -tags cuda ./gpu/... ./cmd/gsql ./bench/gpu ./internal/tests/device
	for p in $(DEVICE_TESTS); do [ ! -d gpu/$$p ] || $(CUDA_ENV) go test -c -tags cuda -ldflags="-s -w" -o bin/gpu/$$(echo $$p | tr / -).test ./gpu/$$p || exit 1; done

bench-gpu: test-cuda ## the device tests and the benchmark in bin/gpu, which bench/gpu/run.sh runs on a machine with a GPU and nvcc
	$(CUDA_ENV) go build -tags cuda -ldflags="-s -w" -o bin/gpu/gpubench ./bench/gpu

bench-devices: $(CUDA)/libcuda.a ## tests and benchmark for several devices in bin/devices, which bench/devices/run.sh runs on a machine with several GPUs
	for p in cuda group group/sorting join/radix; do $(CUDA_ENV) go test -c -tags cuda -ldflags="-s -w" -o bin/devices/$$(echo $$p | tr / -).test ./gpu/$$p || exit 1; done
	$(CUDA_ENV) go build -tags cuda -ldflags="-s -w" -o bin/devices/devices ./bench/devices
	cd bench/devices/host && $(CUDA_ENV) go build -tags cuda -ldflags="-s -w" -o ../../../bin/devices/host .

# The kernels under emulation. The hash makes go compile anew when a kernel changed.
SIM_ENV = CGO_ENABLED=1 CGO_CXXFLAGS="-O2 -DGSQL_KERNELS=0x$(shell cat kernels/*.cu kernels/*.cuh kernels/emu/* | sha256sum | cut -c1-15)"

# The packages below gpu with tests on the simulated device; those of the others need none.
SIM_TESTS := $(addprefix ./gpu/,engine group/... join/... operators pipeline/run prim sim tables)

test-sim: ## the kernels' sources executed on the CPU, and SQL on the device that does it; needs g++
	@if command -v g++ >/dev/null; then $(SIM_ENV) go vet -tags sim ./internal/tests/device ./cmd/gsql ./gpu/... && $(SIM_ENV) go test -tags sim ./internal/tests/device $(SIM_TESTS); \
	else echo "skipped: the kernels' emulation needs g++, which is not here"; fi

ptx: ## the kernels compiled anew for embedding; needs nvcc 11.8, named by NVCC (docs/gpu.md)
	kernels/ptx.sh

cubin: ## the PTX compiled for common architectures; needs ptxas 13, named by PTXAS (docs/gpu.md)
	kernels/cubin.sh

test: ## all tests
	go test -timeout 20m ./...

# How long each of the random tests runs, and where it begins: make random FOR=1h SEED=7.
FOR := 10m
SEED := random

random: ## tests with random statements, each for FOR from SEED: answers, FULL JOIN, NOT IN, set operations, grammar, memory, cancellation, crashes, kills
	GSQL_FOR=$(FOR) GSQL_SEED=$(SEED) go test -timeout 0 -v -run '^(TestMetamorphic|TestRunsAnswer|TestChaos|TestSpilledJoins|TestCorrelatedSetOperations|TestGrammarFuzz|TestNotInAgainstNotExists|TestMemoryIsMonotone|TestMemorySweep|TestHugeValues|TestCancelsAreSoon|TestCancelAnytime|TestCancelHugeValues|TestHostileStatements|TestCrashes|TestKills|TestSessions|TestReadFaults|TestFaults|TestFlips|TestReadersOfAnotherProcess)$$' ./internal/tests/...

# The packages below internal with goroutines of their own, or tests that run SQL.
RACES := $(addprefix ./internal/,calibrate database dump mem parquetfile session slt statement tests/... tpch/...)

race: ## the packages with concurrency under the race detector
	go test -race -short -timeout 20m $(RACES) ./sql/vec/... ./storage/... ./exec/... .

slt: build ## the repository's own sqllogictest suites
	bin/gsql slt testdata/slt

# The SQLite corpus as regenerated for MySQL (dolthub/sqllogictest), which the repository does not hold.
CORPUS := ../shared/slt

corpus: build ## every file of the sqllogictest corpus in the folder CORPUS
	@if [ -d "$(CORPUS)" ]; then bin/gsql slt "$(CORPUS)"; else echo "skipped: there is no sqllogictest corpus in $(CORPUS)"; fi

bench: ## gsql beside DuckDB, written to bench/results; a module of its own with prebuilt libraries, needs gcc
	cd bench/cpu && go run -tags duckdb_arrow . $(BENCH)

vet-bench: ## vet of the benchmarks' modules
	cd bench/cpu && go vet -tags duckdb_arrow .
	cd bench/devices/host && go vet .

cross: ## vet on arm64 and on macOS, and of storage and the program on Windows
	GOOS=linux GOARCH=arm64 go vet ./...
	GOOS=darwin GOARCH=arm64 go vet ./...
	GOOS=windows GOARCH=amd64 go vet . ./storage/... ./cmd/gsql ./internal/tests/durable

module: ## the module under another import path, for a fork: make module NAME=example.org/you/gsql
	go run ./internal/rename "$(NAME)"

check: ## what CI runs
	.ci/run
