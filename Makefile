# The few commands people use.
.PHONY: build test race slt bench check

build: ## bin/gsql, one static binary
	CGO_ENABLED=0 go build -o bin/gsql ./cmd/gsql

test: ## all tests
	go test ./...

race: ## the packages with concurrency under the race detector
	go test -race -short ./internal/... ./sql/vec/... ./storage/... ./exec/... .

slt: build ## the repository's own sqllogictest suites
	bin/gsql slt testdata/slt

bench: ## benchmarks, written to bench/results
	go run ./bench/cpu

check: ## what CI runs
	.ci/run
