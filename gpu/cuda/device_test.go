//go:build cuda

package cuda

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"gsql/gpu"
	"gsql/gpu/gputest"
	"gsql/sql/sqlerr"
)

//go:embed testdata/kernels.ptx
var testPTX string

var testModule = gpu.Module{Name: "test", PTX: testPTX}

// testDevice returns the first GPU, or skips the test and says why there is none.
func testDevice(t testing.TB) gpu.Device {
	t.Helper()
	devices, reasons := gpu.Devices()
	if len(devices) == 0 {
		if len(reasons) == 0 || reasons[0] == "" {
			t.Fatal("no device and no reason")
		}
		t.Skip("no GPU: " + strings.Join(reasons, "; "))
	}
	return devices[0]
}

func TestContract(t *testing.T) { gputest.Run(t, testDevice(t)) }

// TestPeers copies between as many GPUs as there are.
func TestPeers(t *testing.T) {
	testDevice(t)
	devices, _ := gpu.Devices()
	gputest.RunPeers(t, devices)
}

func TestArenaOnDevice(t *testing.T) {
	dev := testDevice(t)
	info, err := dev.Info()
	gputest.Must(t, err)
	limit := gpu.DefaultLimit(info.Free)
	a, err := gpu.NewArena(dev, limit)
	gputest.Must(t, err)
	if _, err := a.Alloc("hash join", limit+1); !errors.Is(err, sqlerr.OutOfMemory) {
		t.Errorf("error %v, want 1037", err)
	}
	if _, err := gpu.NewArena(dev, info.Memory); !errors.Is(err, sqlerr.OutOfMemory) {
		t.Errorf("a second arena of all memory: %v, want 1037", err)
	}
	gputest.Must(t, a.Close())
}

func words(b []byte) []uint32 {
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w
}

func TestLaunch(t *testing.T) {
	dev := testDevice(t)
	gputest.Must(t, dev.LoadModule(testModule))
	gputest.Must(t, dev.LoadModule(testModule)) // again does nothing
	const block, most = 256, 100_000
	out, s := gputest.Alloc(t, dev, 4*(most+1)), gputest.NewStream(t, dev)
	for _, n := range []int{0, 1, 255, 256, 257, most} {
		got := make([]byte, 4*(most+1))
		gputest.Must(t, dev.Memset(out, 0xFF, int64(len(got)), s))
		grid := gpu.Dim{X: uint32(n/block + 1)}
		gputest.Must(t, dev.Launch("gsql_test_fill", gpu.Launch{Grid: grid, Block: gpu.Dim{X: block}, Stream: s}, uint64(out), uint64(n), 7))
		gputest.Must(t, dev.CopyToHost(got, out, s))
		gputest.Must(t, dev.Sync(s))
		for i, w := range words(got) {
			want := uint32(7 + i)
			if i >= n {
				want = 0xFFFFFFFF
			}
			if w != want {
				t.Fatalf("n %d: word %d is %d, want %d", n, i, w, want)
			}
		}
	}
}

func TestLaunchWithMuchSharedMemory(t *testing.T) {
	dev := testDevice(t)
	gputest.Must(t, dev.LoadModule(testModule))
	info, err := dev.Info()
	gputest.Must(t, err)
	s := gputest.NewStream(t, dev)
	for _, shared := range []int{4 << 10, plainShared, plainShared + 4, info.SharedPerBlock} {
		n := shared / 4
		out, got := gputest.Alloc(t, dev, int64(shared)), make([]byte, shared)
		how := gpu.Launch{Block: gpu.Dim{X: 512}, Shared: shared, Stream: s}
		gputest.Must(t, dev.Launch("gsql_test_reverse", how, uint64(out), uint64(n)))
		gputest.Must(t, dev.CopyToHost(got, out, s))
		gputest.Must(t, dev.Sync(s))
		for i, w := range words(got) {
			if w != uint32(n-1-i) {
				t.Fatalf("%d bytes of shared memory: word %d is %d, want %d", shared, i, w, n-1-i)
			}
		}
	}
	how := gpu.Launch{Block: gpu.Dim{X: 512}, Shared: info.SharedPerBlock + 1024, Stream: s}
	gputest.Must(t, dev.Launch("gsql_test_reverse", how, 0, 0))
	if err := dev.Sync(s); err == nil || !strings.Contains(err.Error(), "shared memory") {
		t.Errorf("more shared memory than a block may have: %v", err)
	}
}

func TestBrokenPTXShowsTheCompilersComplaint(t *testing.T) {
	dev := testDevice(t)
	broken := strings.Replace(testPTX, "add.u64", "addd.u64", 1)
	err := dev.LoadModule(gpu.Module{Name: "broken", PTX: broken})
	if err == nil || !strings.Contains(err.Error(), "addd") {
		t.Errorf("error %v does not quote the source", err)
	}
	t.Log(err)
}

// TestCompiledPTX loads what a CUDA compiler made of testdata/kernels.cu, where
// GSQL_TEST_PTX names its output.
func TestCompiledPTX(t *testing.T) {
	path := os.Getenv("GSQL_TEST_PTX")
	if path == "" {
		t.Skip("GSQL_TEST_PTX names no file")
	}
	dev := testDevice(t)
	text, err := os.ReadFile(path)
	gputest.Must(t, err)
	gputest.Must(t, dev.LoadModule(gpu.Module{Name: "compiled", PTX: string(text)}))
	const n = 1000
	x, y, s := gputest.Alloc(t, dev, 8*n), gputest.Alloc(t, dev, 8*n), gputest.NewStream(t, dev)
	buf := make([]byte, 8*n)
	for i := range n {
		binary.LittleEndian.PutUint64(buf[8*i:], uint64(i*i))
	}
	gputest.Must(t, dev.CopyToDevice(x, buf, s))
	gputest.Must(t, dev.CopyToDevice(y, buf, s))
	gputest.Must(t, dev.Launch("gsql_test_axpy", gpu.Launch{Grid: gpu.Dim{X: 4}, Block: gpu.Dim{X: 256}, Stream: s}, uint64(x), uint64(y), n, 3))
	got := make([]byte, 8*n)
	gputest.Must(t, dev.CopyToHost(got, y, s))
	gputest.Must(t, dev.Sync(s))
	for i := range n {
		if v := binary.LittleEndian.Uint64(got[8*i:]); v != uint64(4*i*i) {
			t.Fatalf("y[%d] is %d, want %d", i, v, 4*i*i)
		}
	}
}

// TestIllegalAddress runs in a process of its own, because the fault ends the context.
func TestIllegalAddress(t *testing.T) {
	dev := testDevice(t)
	if os.Getenv("GSQL_TEST_FAULT") == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestIllegalAddress$", "-test.v")
		child.Env = append(os.Environ(), "GSQL_TEST_FAULT=1")
		out, err := child.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "PASS") {
			t.Errorf("%v:\n%s", err, out)
		}
		return
	}
	gputest.Must(t, dev.LoadModule(testModule))
	gputest.Must(t, dev.Launch("gsql_test_fill", gpu.Launch{Block: gpu.Dim{X: 32}}, 0x1000, 32, 0))
	err := dev.Sync(0)
	if err == nil || !strings.Contains(err.Error(), "ILLEGAL_ADDRESS") {
		t.Errorf("error %v, want the illegal address", err)
	}
	if _, err := dev.Alloc(1 << 10); err == nil {
		t.Error("the device allocates after the fault")
	}
}

// TestCloseRefusesFurtherWork runs in a process of its own, as devices open once.
func TestCloseRefusesFurtherWork(t *testing.T) {
	dev := testDevice(t)
	if os.Getenv("GSQL_TEST_CLOSE") == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestCloseRefusesFurtherWork$", "-test.v")
		child.Env = append(os.Environ(), "GSQL_TEST_CLOSE=1")
		if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
			t.Errorf("%v:\n%s", err, out)
		}
		return
	}
	s, err := dev.NewStream()
	gputest.Must(t, err)
	gputest.Must(t, dev.LoadModule(testModule))
	gputest.Must(t, dev.Launch("gsql_test_nothing", gpu.Launch{Stream: s}))
	gputest.Must(t, dev.Close())
	if _, err := dev.Alloc(16); err == nil {
		t.Error("a closed device allocates")
	}
	if err := dev.Sync(0); err == nil {
		t.Error("a closed device synchronises")
	}
	if err := dev.Close(); err == nil {
		t.Error("a closed device closes")
	}
}
