//go:build cuda

package ptx

import (
	"testing"

	"gsql/gpu"
	"gsql/gpu/enginetest"
)

// TestProgramsOnDevice runs the programs on a GPU.
func TestProgramsOnDevice(t *testing.T) { testPrograms(t, device{enginetest.Device(t)}) }

// device is a GPU.
type device struct{ gpu.Device }

func (d device) alloc(t *testing.T, raw []byte) uint64 {
	p, err := d.Alloc(int64(len(raw)))
	if err == nil {
		t.Cleanup(func() {
			if err := d.Free(p); err != nil {
				t.Error(err)
			}
		})
		err = d.CopyToDevice(p, raw, 0)
	}
	if err == nil {
		err = d.Sync(0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return uint64(p)
}

func (d device) launch(t *testing.T, l *Launch, blocks int, args []uint64) {
	t.Helper()
	err := d.LoadModule(gpu.Module{Name: l.Entry, PTX: l.Text})
	if err == nil {
		err = d.Launch(l.Entry, gpu.Launch{Grid: gpu.Dim{X: uint32(blocks)}, Block: gpu.Dim{X: uint32(l.Threads)}, Shared: l.Shared}, args...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (d device) read(t *testing.T, p uint64, n int) []byte {
	t.Helper()
	raw := make([]byte, n)
	err := d.CopyToHost(raw, gpu.Ptr(p), 0)
	if err == nil {
		err = d.Sync(0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
