package spill

import (
	"runtime"
	"runtime/debug"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestSpillingCollects checks that garbage is collected while rows are spilled and read back, if
// their account has a limit.
func TestSpillingCollects(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // nothing else collects
	const rows = 1 << 18                             // 2 MB
	v := vec.NewFlat(types.T(types.Int64), rows)
	b := &vec.Batch{Cols: []*vec.Vector{v}, N: rows}
	for _, limit := range []int64{0, 64 << 20} {
		account := mem.NewRoot("query", limit)
		if err := account.Reserve(48 << 20); err != nil { // leaves little memory for garbage
			t.Fatal(err)
		}
		f, err := NewSpace(t.TempDir(), 0).For(account).Child().Create(typesOf(b))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var at Block
		for _, step := range []struct {
			name string
			do   func() error
		}{
			{"writing", func() (err error) { at, err = f.Write(b); return err }},
			{"reading", func() error { _, err := f.NewReader(nil).Read(at); return err }},
		} {
			runtime.GC()
			before := collections()
			for tries := 0; collections() == before && tries < 100; tries++ {
				discarded = make([]byte, 4<<20) // also takes CPU time, because collections are spaced out
				if err := step.do(); err != nil {
					t.Fatal(err)
				}
			}
			if collected := collections() > before; collected != (limit > 0) {
				t.Errorf("%s under limit %d: garbage was collected: %v", step.name, limit, collected)
			}
		}
	}
}

var discarded []byte // so that the compiler does not place it on the stack

func collections() uint32 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.NumGC
}
