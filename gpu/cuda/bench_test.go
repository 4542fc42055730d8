//go:build cuda

package cuda

import (
	"fmt"
	"testing"

	"gsql/gpu"
	"gsql/gpu/gputest"
)

// BenchmarkCopy measures the link and the device's own memory; the MB/s of "device"
// count each byte once though it is read and written. Each copy is awaited.
func BenchmarkCopy(b *testing.B) {
	dev := testDevice(b)
	for _, size := range []int64{1 << 20, 16 << 20, 256 << 20} {
		pinned, pageable := gputest.Pinned(b, dev, size), make([]byte, size)
		x, y, s := gputest.Alloc(b, dev, size), gputest.Alloc(b, dev, size), gputest.NewStream(b, dev)
		for i := range pageable {
			pageable[i], pinned[i] = byte(i*i>>3), byte(i*i>>5)
		}
		copies := []struct {
			name string
			run  func() error
		}{
			{"to-device/pinned", func() error { return dev.CopyToDevice(x, pinned, s) }},
			{"to-device/pageable", func() error { return dev.CopyToDevice(x, pageable, s) }},
			{"to-host/pinned", func() error { return dev.CopyToHost(pinned, x, s) }},
			{"to-host/pageable", func() error { return dev.CopyToHost(pageable, x, s) }},
			{"device", func() error { return dev.CopyDevice(y, x, size, s) }},
		}
		for _, c := range copies {
			b.Run(fmt.Sprintf("%s/%dMiB", c.name, size>>20), func(b *testing.B) {
				b.SetBytes(size)
				for b.Loop() {
					gputest.Must(b, c.run())
					gputest.Must(b, dev.Sync(s))
				}
			})
		}
	}
}

// queuedLaunches are issued before one wait.
const queuedLaunches = 1000

// BenchmarkLaunch measures launches one after the other, and each with a wait for its end.
func BenchmarkLaunch(b *testing.B) {
	dev := testDevice(b)
	gputest.Must(b, dev.LoadModule(testModule))
	s := gputest.NewStream(b, dev)
	how := gpu.Launch{Grid: gpu.Dim{X: 1}, Block: gpu.Dim{X: 32}, Stream: s}
	b.Run("queued", func(b *testing.B) {
		for b.Loop() {
			for range queuedLaunches {
				gputest.Must(b, dev.Launch("gsql_test_nothing", how))
			}
			gputest.Must(b, dev.Sync(s))
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*queuedLaunches), "ns/launch")
	})
	b.Run("awaited", func(b *testing.B) {
		for b.Loop() {
			gputest.Must(b, dev.Launch("gsql_test_nothing", how))
			gputest.Must(b, dev.Sync(s))
		}
	})
}

func BenchmarkPin(b *testing.B) {
	dev := testDevice(b)
	const size = 256 << 20
	b.SetBytes(size)
	for b.Loop() {
		buf, err := dev.AllocHost(size)
		gputest.Must(b, err)
		gputest.Must(b, dev.FreeHost(buf))
	}
}
