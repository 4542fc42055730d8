package gpu

import "unsafe"

// HostPtr is the address at which kernels read pinned host memory of Device.AllocHost over
// the link, each access crossing it anew: the host's own address, because all devices with
// unified addressing have it mapped. Copies to and from the device do not take it.
func HostPtr(b []byte) Ptr { return Ptr(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
