package mem

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// splittable is set if parts of a mapping can be unmapped.
const splittable = false

// mapFresh maps n zeroed bytes.
func mapFresh(n int) ([]byte, error) {
	p, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), n), nil
}

func unmap(m []byte) {
	_ = windows.VirtualFree(uintptr(unsafe.Pointer(&m[0])), 0, windows.MEM_RELEASE) // fails only for a mapping that is not ours
}
