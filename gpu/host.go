package gpu

import "unsafe"

// HostPtr returns the address at which kernels read pinned host memory of Device.AllocHost over the
// link, which each access crosses anew: it is the host's own address, because all devices with
// unified addressing map it. Copies to and from the device do not accept it.
func HostPtr(b []byte) Ptr { return Ptr(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
