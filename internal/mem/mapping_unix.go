//go:build unix

package mem

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// splittable is set if parts of a mapping can be unmapped.
const splittable = true

// mapFresh maps n zeroed bytes.
func mapFresh(n int) ([]byte, error) {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	m := unsafe.Slice((*byte)(p), n)
	wantHugePages(m)
	return m, nil
}

func unmap(m []byte) {
	_ = unix.MunmapPtr(unsafe.Pointer(&m[0]), uintptr(len(m))) // fails only for a mapping that is not ours
}
