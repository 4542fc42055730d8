//go:build cuda

package cuda

/*
#include <cuda.h>
#include <stdlib.h>

// Compiles PTX for the sake of the compiler's complaint.
static void complaint(const char *image, char *log, size_t bytes) {
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)bytes};
	CUmodule module;
	log[0] = 0;
	if (cuModuleLoadDataEx(&module, image, 2, options, values) == CUDA_SUCCESS) cuModuleUnload(module);
}

// Copies of other threads wait while cuModuleLoadData compiles, but not for a library.
static CUresult load_library(CUlibrary *library, CUmodule *module, const char *text) {
	CUresult status = cuLibraryLoadData(library, text, NULL, NULL, 0, NULL, NULL, 0);
	if (status) return status;
	status = cuLibraryGetModule(module, *library);
	if (status) cuLibraryUnload(*library);
	return status;
}
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"gorgonia.org/cu"

	"gsql/gpu"
)

// module is loaded in a context, by itself or as part of a library.
type module struct {
	cu.Module
	library C.CUlibrary // nil if there is none
}

// loadModule loads m, compiling it if there is no machine code that the driver can load; its error
// includes the compiler's message.
func loadModule(m gpu.Module) (module, error) {
	if len(m.Cubin) > 0 {
		if loaded, err := cu.LoadData(string(m.Cubin)); err == nil {
			return module{Module: loaded}, nil
		}
	}
	text := C.CString(m.PTX)
	defer C.free(unsafe.Pointer(text))
	var loaded module
	// The driver's handle is the only content of a cu.Module.
	if C.load_library(&loaded.library, (*C.CUmodule)(unsafe.Pointer(&loaded.Module)), text) == C.CUDA_SUCCESS {
		return loaded, nil
	}
	var err error // drivers before CUDA 12 have no libraries
	if loaded.Module, err = cu.LoadData(m.PTX); err == nil {
		return module{Module: loaded.Module}, nil
	}
	log := (*C.char)(C.calloc(1, 4096))
	defer C.free(unsafe.Pointer(log))
	C.complaint(text, log, 4096)
	return module{}, fmt.Errorf("module %s: %w: %s", m.Name, err, strings.TrimSpace(C.GoString(log)))
}

// unload frees the module, whose context must be current.
func (m module) unload() error {
	if m.library != nil {
		return check(C.CUresult(C.cuLibraryUnload(m.library)))
	}
	return m.Unload()
}
