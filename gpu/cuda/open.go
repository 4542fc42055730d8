//go:build cuda

package cuda

// #include <cuda.h>
// #include <open.h>
import "C"

import (
	"fmt"
	"strings"

	"gorgonia.org/cu"

	"gsql/gpu"
)

func init() { gpu.Register("cuda", open) }

// missing rewords the loader's message for users.
func missing(complaint string) string {
	if strings.Contains(complaint, "No such file") {
		return "no NVIDIA driver: libcuda.so.1 not found"
	}
	return "no NVIDIA driver: " + complaint
}

// open loads the driver and finds the GPUs. Each starts on first use.
func open() ([]gpu.Device, string) {
	var text *C.char
	switch status := C.gsql_cuda_open(&text); {
	case status < 0:
		return nil, missing(C.GoString(text))
	case status > 0:
		return nil, fmt.Sprintf("the NVIDIA driver does not start: %s (error %d)", C.GoString(text), int(status))
	}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, "the NVIDIA driver cannot count its devices: " + err.Error()
	}
	if n == 0 {
		return nil, "the NVIDIA driver has no devices"
	}
	devices := make([]gpu.Device, n)
	for i := range devices {
		devices[i] = &device{ordinal: i, name: fmt.Sprintf("cuda:%d", i)}
	}
	return devices, ""
}
