//go:build cuda

package device_test

import (
	"testing"

	"gsql"
	_ "gsql/gpu/cuda" // registers the GPUs
	"gsql/internal/sqltest"
)

// What other tests run on: the first GPU, tables of these numbers of rows, TPC-H of this scale.
const (
	device = "gpu"
	scale  = 0.05
)

var largest = [2]int{4000, 1300}

// TestCUDASuites runs the repository's suites of queries on the GPU.
func TestCUDASuites(t *testing.T) {
	sqltest.Suites(t, gsql.Config{Variables: map[string]string{"gsql_device": "gpu"}}, "slt/joins", "slt/queries")
}
