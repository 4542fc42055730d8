//go:build sim

package sim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gsql/gpu"
	"gsql/gpu/gputest"
	"gsql/sql/sqlerr"
)

func lone(t *testing.T) *Device {
	t.Helper()
	d := New(256 << 20)
	t.Cleanup(func() {
		if d.InUse() != 0 {
			t.Errorf("%d bytes of device memory leaked", d.InUse())
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestContract(t *testing.T) { gputest.Run(t, lone(t)) }

func TestRegistered(t *testing.T) {
	devices, reasons := gpu.Devices()
	if len(devices) != 1 || devices[0].Name() != "sim:0" || len(reasons) != 0 {
		t.Errorf("devices %v, reasons %v", devices, reasons)
	}
}

// TestEveryKernelIsCompiledIn compares the kernels' sources with the files here.
func TestEveryKernelIsCompiledIn(t *testing.T) {
	sources, err := filepath.Glob("../../kernels/*.cu")
	gputest.Must(t, err)
	if len(sources) == 0 {
		t.Fatal("no kernels found")
	}
	for _, source := range sources {
		name := strings.TrimSuffix(filepath.Base(source), ".cu")
		text, err := os.ReadFile("kernel_" + name + ".cpp")
		if want := "#include \"../../kernels/" + name + ".cu\""; err != nil || !strings.Contains(string(text), want) {
			t.Errorf("kernel_%s.cpp is to be a copy of kernel_gather.cpp that includes %s.cu: %v", name, name, err)
		}
	}
}

// upload and download move 32-bit numbers.
func upload(t *testing.T, d *Device, values []int32, s gpu.Stream) gpu.Ptr {
	t.Helper()
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	p := gputest.Alloc(t, d, int64(len(b)))
	gputest.Must(t, d.CopyToDevice(p, b, s))
	return p
}

func download(t *testing.T, d *Device, p gpu.Ptr, n int, s gpu.Stream) []int32 {
	t.Helper()
	b := make([]byte, 4*n)
	gputest.Must(t, d.CopyToHost(b, p, s))
	gputest.Must(t, d.Sync(s))
	values := make([]int32, n)
	for i := range values {
		values[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return values
}

// TestLaunchGather runs a real kernel around its warp and block sizes.
func TestLaunchGather(t *testing.T) {
	d := lone(t)
	s := gputest.NewStream(t, d)
	r := rand.New(rand.NewPCG(1, 0))
	in := make([]int32, 777)
	for i := range in {
		in[i] = r.Int32()
	}
	from := upload(t, d, in, s)
	for _, n := range []int{1, 31, 32, 33, 255, 256, 257, 5000} {
		rows, want := make([]int32, n), make([]int32, n)
		for i := range rows {
			if rows[i] = r.Int32N(int32(len(in))+1) - 1; rows[i] >= 0 {
				want[i] = in[rows[i]]
			}
		}
		to := gputest.Alloc(t, d, int64(4*n))
		how := gpu.Launch{Grid: gpu.Dim{X: 3}, Block: gpu.Dim{X: 256}, Stream: s}
		gputest.Must(t, d.Launch("gsql_gather_rows_b4i32", how, uint64(from), uint64(upload(t, d, rows, s)), uint64(to), uint64(n)))
		if got := download(t, d, to, n, s); !slices.Equal(got, want) {
			t.Errorf("n %d: the gathered rows differ", n)
		}
	}
}

func TestLaunchErrors(t *testing.T) {
	d := lone(t)
	tests := []struct {
		kernel string
		how    gpu.Launch
		args   []uint64
		want   string
	}{
		{"gsql_gather_rows_b4i32", gpu.Launch{}, []uint64{1, 2, 3}, "does not take 3 parameters"},
		{"gsql_nothing_of_the_kind", gpu.Launch{}, nil, "no kernel gsql_nothing_of_the_kind"},
		{"gsql_gather_rows_b4i32", gpu.Launch{Block: gpu.Dim{X: 32, Y: 33}}, make([]uint64, 4), "a block of 1056 threads"},
		{"gsql_gather_rows_b4i32", gpu.Launch{Shared: 1 << 20}, make([]uint64, 4), "1048576 bytes of shared memory"},
	}
	for _, test := range tests {
		gputest.Must(t, d.Launch(test.kernel, test.how, test.args...))
		if err := d.Sync(0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

// TestWorkWaits: results and host memory belong to the stream until Sync.
func TestWorkWaits(t *testing.T) {
	d := lone(t)
	s := gputest.NewStream(t, d)
	p := gputest.Alloc(t, d, 4)
	src, dst := []byte("late"), []byte("....")
	gputest.Must(t, d.CopyToDevice(p, src, s))
	gputest.Must(t, d.CopyToHost(dst, p, s))
	if string(dst) != "...." {
		t.Error("the result came before Sync")
	}
	copy(src, "soon") // reuse without waiting, which a test should notice
	gputest.Must(t, d.Sync(s))
	if string(dst) != "soon" {
		t.Errorf("got %q", dst)
	}
}

// TestWaitKeepsItsPoint: a wait refers to the recording before it, not to later ones.
func TestWaitKeepsItsPoint(t *testing.T) {
	d := lone(t)
	first, second := gputest.NewStream(t, d), gputest.NewStream(t, d)
	p := gputest.Alloc(t, d, 1)
	e, err := d.NewEvent()
	gputest.Must(t, err)
	got := make([]byte, 1)
	gputest.Must(t, d.Memset(p, 1, 1, first))
	gputest.Must(t, d.Record(e, first))
	gputest.Must(t, d.Wait(second, e))
	gputest.Must(t, d.CopyToHost(got, p, second))
	gputest.Must(t, d.Memset(p, 2, 1, first))
	gputest.Must(t, d.Record(e, first))
	gputest.Must(t, d.Sync(second))
	if got[0] != 1 {
		t.Errorf("the waiting stream saw %d, want the first memset's 1", got[0])
	}
	gputest.Must(t, d.FreeEvent(e))
}

func TestMemoryIsPoisonedAndBounded(t *testing.T) {
	d := lone(t)
	p := gputest.Alloc(t, d, 300)
	got := make([]byte, 300)
	gputest.Must(t, d.CopyToHost(got, p, 0))
	gputest.Must(t, d.Sync(0))
	if !bytes.Equal(got, bytes.Repeat([]byte{0xCD}, 300)) {
		t.Error("fresh memory is not poisoned")
	}
	for _, outside := range []struct {
		at gpu.Ptr
		n  int64
	}{{p, 301}, {p + 299, 2}, {p - 1, 1}, {p + 300, 1}, {0, 1}, {p, -1}} {
		gputest.Must(t, d.Memset(outside.at, 0, outside.n, 0))
		if err := d.Sync(0); err == nil {
			t.Errorf("a memset of %d bytes at %+d was done", outside.n, int64(outside.at-p))
		}
	}
	if err := d.Free(p + 256); err == nil {
		t.Error("memory was freed in its middle")
	}
}

func TestFailAlloc(t *testing.T) {
	d := lone(t)
	d.FailAlloc(2)
	p := gputest.Alloc(t, d, 10)
	if _, err := d.Alloc(10); !errors.Is(err, gpu.ErrOutOfMemory) {
		t.Errorf("the second allocation: %v, want ErrOutOfMemory", err)
	}
	gputest.Alloc(t, d, 10)
	d.FailAlloc(1)
	if _, err := gpu.NewArena(d, 1<<20); !errors.Is(err, sqlerr.OutOfMemory) {
		t.Errorf("an arena: %v, want 1037", err)
	}
	if d.InUse() != 20 || p == 0 {
		t.Errorf("%d bytes in use, want 20", d.InUse())
	}
}

// TestLose: a lost device refuses work, and devices that read its memory fail.
func TestLose(t *testing.T) {
	machine := Machine(2, 1<<20)
	d, other := machine[0], machine[1]
	p, q := gputest.Alloc(t, d, 8), gputest.Alloc(t, other, 8)
	wantLoss := func(what string, err error) {
		t.Helper()
		if lost := gpu.Lost(err); lost == nil || lost.Device != "sim:0" {
			t.Errorf("%s: %v, want the loss of sim:0", what, err)
		}
	}
	d.Lose(2)
	gputest.Must(t, d.Launch("gsql_gather_rows_b4i32", gpu.Launch{}, 0, 0, 0, 0))
	wantLoss("the second launch", d.Launch("gsql_gather_rows_b4i32", gpu.Launch{}, 0, 0, 0, 0))
	_, err := d.Alloc(1)
	wantLoss("an allocation", err)
	wantLoss("a copy", d.CopyToDevice(p, []byte("x"), 0))
	wantLoss("waiting", d.Sync(0))
	gputest.Must(t, other.CopyPeer(q, d, p, 8, 0))
	wantLoss("a copy from the lost device", other.Sync(0))
	d.Recover()
	gputest.Must(t, d.CopyToDevice(p, []byte("x"), 0))
	gputest.Must(t, d.Sync(0))
	gputest.Must(t, other.CopyPeer(q, d, p, 8, 0))
	gputest.Must(t, other.Sync(0))
	d.Lose(0)
	wantLoss("waiting", d.Sync(0))
}
