//go:build cuda

package cuda

/*
#include <cuda.h>

static CUresult host_alloc(void **p, size_t bytes) {
	return cuMemHostAlloc(p, bytes, CU_MEMHOSTALLOC_PORTABLE);
}

static CUresult allow_shared(void *function, int bytes) {
	return cuFuncSetAttribute((CUfunction)function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
}

// The waits run on the calling thread, so that the owner goes on issuing work: the
// context is current only within the call.
static CUresult wait_stream(void *context, void *stream) {
	CUcontext popped;
	CUresult status = cuCtxPushCurrent((CUcontext)context);
	if (status) return status;
	status = cuStreamSynchronize((CUstream)stream);
	cuCtxPopCurrent(&popped);
	return status;
}

static CUresult wait_event(void *context, void *event) {
	CUcontext popped;
	CUresult status = cuCtxPushCurrent((CUcontext)context);
	if (status) return status;
	status = cuEventSynchronize((CUevent)event);
	cuCtxPopCurrent(&popped);
	return status;
}

// Compiles PTX for the sake of the compiler's complaint.
static void complaint(const char *image, char *log, size_t bytes) {
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)bytes};
	CUmodule module;
	log[0] = 0;
	if (cuModuleLoadDataEx(&module, image, 2, options, values) == CUDA_SUCCESS) cuModuleUnload(module);
}
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"gorgonia.org/cu"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// This file is what gorgonia.org/cu lacks.

// maxSharedAttribute is CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN.
const maxSharedAttribute = cu.DeviceAttribute(C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)

// handle gives the driver's handle, which is all that a cu.Stream, Event, Function or
// CUContext holds.
func handle[T cu.Stream | cu.Event | cu.Function | cu.CUContext](h T) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&h))
}

// check turns a status of the driver into an error.
func check(status C.CUresult) error {
	if status == C.CUDA_SUCCESS {
		return nil
	}
	var name, text *C.char
	C.cuGetErrorName(status, &name)
	C.cuGetErrorString(status, &text)
	if name == nil || text == nil {
		return fmt.Errorf("driver error %d", int(status))
	}
	return fmt.Errorf("%s: %s", C.GoString(name), C.GoString(text))
}

func hostAlloc(bytes int64) ([]byte, error) {
	var p unsafe.Pointer
	if status := C.host_alloc(&p, C.size_t(bytes)); status == C.CUDA_ERROR_OUT_OF_MEMORY {
		return nil, sqlerr.New(sqlerr.OutOfMemory, "Out of memory; %d bytes of host memory cannot be pinned", bytes)
	} else if err := check(status); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

// allowShared lets a kernel have more than 48 KB of dynamic shared memory.
func allowShared(f cu.Function, bytes int) error {
	return check(C.allow_shared(handle(f), C.int(bytes)))
}

func waitStream(context cu.CUContext, s cu.Stream) error {
	return check(C.wait_stream(handle(context), handle(s)))
}

func waitEvent(context cu.CUContext, e cu.Event) error {
	return check(C.wait_event(handle(context), handle(e)))
}

// loadPTX compiles and loads m; its error has the compiler's complaint.
func loadPTX(m gpu.Module) (cu.Module, error) {
	loaded, err := cu.LoadData(m.PTX)
	if err == nil {
		return loaded, nil
	}
	image := C.CString(m.PTX)
	defer C.free(unsafe.Pointer(image))
	log := (*C.char)(C.calloc(1, 4096))
	defer C.free(unsafe.Pointer(log))
	C.complaint(image, log, 4096)
	return loaded, fmt.Errorf("module %s: %w: %s", m.Name, err, strings.TrimSpace(C.GoString(log)))
}
