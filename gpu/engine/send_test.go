//go:build sim || cuda

package engine_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
)

// TestSend sends parcels of many pieces, some of them empty and some larger than a pinned buffer, with one and with
// several goroutines.
func TestSend(t *testing.T) {
	task := enginetest.Begin(t, enginetest.New(t, 64<<20))
	copied, err := task.Device.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := task.Device.FreeEvent(copied); err != nil {
			t.Error(err)
		}
	}()
	r := rand.New(rand.NewPCG(1, 1))
	for _, workers := range []int{0, 1, 3} {
		mark := task.Mark()
		var parcels []engine.Parcel
		var want [][]byte
		for _, sizes := range [][]int{{1}, {}, {0, 3, 0, 5}, {4 << 20}, {4<<20 - 1, 2, 1 << 20}, {5 << 20}, {100, 7000, 1 << 20}} {
			p := engine.Parcel{}
			for _, n := range sizes {
				b := make([]byte, n)
				for i := range b {
					b[i] = byte(r.Uint32())
				}
				p.From = append(p.From, b)
			}
			all := slices.Concat(p.From...)
			if p.To, err = task.Alloc(max(int64(len(all)), 1)); err != nil {
				t.Fatal(err)
			}
			parcels, want = append(parcels, p), append(want, all)
		}
		if err := task.Send(parcels, workers, copied); err != nil {
			t.Fatal(err)
		}
		if err := task.Device.Wait(task.Compute, copied); err != nil {
			t.Fatal(err)
		}
		for i, p := range parcels {
			if got := enginetest.Download[byte](t, task, p.To, int64(len(want[i]))); !slices.Equal(got, want[i]) {
				t.Errorf("%d workers: parcel %d differs", workers, i)
			}
		}
		if err := task.Release(mark); err != nil {
			t.Fatal(err)
		}
	}
	if err := task.Send(nil, 2, copied); err != nil {
		t.Error(err)
	}
}
