//go:build sim || cuda

package engine_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/gpu/enginetest"
)

func TestLaunch(t *testing.T) {
	task := enginetest.Begin(t, enginetest.New(t, 64<<20))
	in := make([]int32, 5000)
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(in))
	rows, want := make([]int32, len(in)), make([]int32, len(in))
	for i := range in {
		in[i] = int32(i * 7)
	}
	for i, r := range order {
		rows[i], want[i] = int32(r), in[r]
	}
	src, places := enginetest.Upload(t, task, in), enginetest.Upload(t, task, rows)
	out, err := task.Alloc(int64(4 * len(in)))
	if err != nil {
		t.Fatal(err)
	}
	if err := task.Launch("gsql_gather_rows", "b4i32", int64(len(in)), false, uint64(src), uint64(places), uint64(out), uint64(len(in))); err != nil {
		t.Fatal(err)
	}
	if got := enginetest.Download[int32](t, task, out, int64(len(in))); !slices.Equal(got, want) {
		t.Errorf("gathered %v..., want %v...", got[:8], want[:8])
	}
}
