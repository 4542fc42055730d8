package mem

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// wantHugePages is only advice: if it fails, only speed is lost.
func wantHugePages(m []byte) { _ = unix.Madvise(m, unix.MADV_HUGEPAGE) }

// remap lengthens m by moving its pages.
func remap(m []byte, n int) ([]byte, error) {
	p, err := unix.MremapPtr(unsafe.Pointer(&m[0]), uintptr(len(m)), nil, uintptr(n), unix.MREMAP_MAYMOVE)
	if err != nil {
		return nil, err
	}
	m = unsafe.Slice((*byte)(p), n)
	wantHugePages(m)
	return m, nil
}
