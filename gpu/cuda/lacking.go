//go:build cuda

package cuda

/*
#include <cuda.h>
#include <stdint.h>
#include <time.h>

static CUresult host_alloc(void **p, size_t bytes) {
	return cuMemHostAlloc(p, bytes, CU_MEMHOSTALLOC_PORTABLE);
}

static CUresult allow_shared(void *function, int bytes) {
	return cuFuncSetAttribute((CUfunction)function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
}

// So many parameters a kernel has at most.
enum { MOST_PARAMETERS = 256 };

// Each function here takes the context first, whatever thread it is called on.
static CUresult launch(void *context, void *function, const uint32_t *dims, unsigned shared, void *stream,
		uint64_t *args, int count) {
	void *params[MOST_PARAMETERS];
	CUresult status = cuCtxSetCurrent((CUcontext)context);
	if (status) return status;
	for (int i = 0; i < count; i++) params[i] = &args[i];
	return cuLaunchKernel((CUfunction)function, dims[0], dims[1], dims[2], dims[3], dims[4], dims[5], shared, (CUstream)stream, params, NULL);
}

// Access stays enabled as long as the contexts live.
static CUresult enable_peer(void *context, void *peer) {
	CUresult status = cuCtxSetCurrent((CUcontext)context);
	if (!status) status = cuCtxEnablePeerAccess((CUcontext)peer, 0);
	return status == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ? CUDA_SUCCESS : status;
}

static CUresult copy_peer(void *to, uint64_t dst, void *from, uint64_t src, size_t bytes, void *stream) {
	CUresult status = cuCtxSetCurrent((CUcontext)to);
	if (status) return status;
	return cuMemcpyPeerAsync((CUdeviceptr)dst, (CUcontext)to, (CUdeviceptr)src, (CUcontext)from, bytes, (CUstream)stream);
}

static int64_t nanoseconds(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Waits ask again and again for spin nanoseconds, because to be woken takes longer than a
// short kernel; then they block, so that long kernels do not take a core from others.
static CUresult wait_event(void *context, void *event, int64_t spin) {
	CUresult status = cuCtxSetCurrent((CUcontext)context);
	int64_t end = nanoseconds() + spin;
	if (status) return status;
	do {
		status = cuEventQuery((CUevent)event);
	} while (status == CUDA_ERROR_NOT_READY && nanoseconds() < end);
	return status == CUDA_ERROR_NOT_READY ? cuEventSynchronize((CUevent)event) : status;
}

static CUresult wait_stream(void *context, void *stream, void *event, int64_t spin) {
	CUresult status = cuCtxSetCurrent((CUcontext)context);
	int64_t end = nanoseconds() + spin;
	if (status) return status;
	do {
		status = cuStreamQuery((CUstream)stream);
	} while (status == CUDA_ERROR_NOT_READY && nanoseconds() < end);
	if (status != CUDA_ERROR_NOT_READY) return status;
	status = cuEventRecord((CUevent)event, (CUstream)stream);
	return status ? status : cuEventSynchronize((CUevent)event);
}
*/
import "C"

import (
	"fmt"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// This file adds what gorgonia.org/cu lacks.

// maxSharedAttribute is CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN.
const maxSharedAttribute = cu.DeviceAttribute(C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)

// handle returns the driver's handle, which is the only content of a cu.Stream, Event, Function or
// CUContext.
func handle[T cu.Stream | cu.Event | cu.Function | cu.CUContext](h T) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&h))
}

// check converts a status of the driver into an error.
func check(status C.CUresult) error {
	if status == C.CUDA_SUCCESS {
		return nil
	}
	var name, text *C.char
	C.cuGetErrorName(status, &name)
	C.cuGetErrorString(status, &text)
	if name == nil || text == nil {
		return driverError{int(status), fmt.Sprintf("driver error %d", int(status))}
	}
	return driverError{int(status), C.GoString(name) + ": " + C.GoString(text)}
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

// allowShared permits a kernel more than 48 KB of dynamic shared memory.
func allowShared(f cu.Function, bytes int) error {
	return check(C.allow_shared(handle(f), C.int(bytes)))
}

// spin is how long waits poll before they block.
const spin = 200 * time.Microsecond

func waitStream(context cu.CUContext, s *stream) error {
	return check(C.wait_stream(handle(context), handle(s.cu), handle(s.end), C.int64_t(spin)))
}

func waitEvent(context cu.CUContext, e *event) error {
	return check(C.wait_event(handle(context), handle(e.cu), C.int64_t(spin)))
}

// enablePeer lets work of a context access the memory of another device's.
func enablePeer(context, peer cu.CUContext) error {
	return check(C.enable_peer(handle(context), handle(peer)))
}

func copyPeer(to cu.CUContext, dst gpu.Ptr, from cu.CUContext, src gpu.Ptr, bytes int64, on cu.Stream) error {
	return check(C.copy_peer(handle(to), C.uint64_t(dst), handle(from), C.uint64_t(src), C.size_t(bytes), handle(on)))
}

func launch(context cu.CUContext, f cu.Function, how gpu.Launch, on cu.Stream, args []uint64) error {
	if len(args) > C.MOST_PARAMETERS {
		return sqlerr.Internal("%d parameters", len(args))
	}
	g, b := how.Grid, how.Block
	dims := [6]C.uint32_t{extent(g.X), extent(g.Y), extent(g.Z), extent(b.X), extent(b.Y), extent(b.Z)}
	return check(C.launch(handle(context), handle(f), &dims[0], C.unsigned(how.Shared), handle(on),
		(*C.uint64_t)(unsafe.SliceData(args)), C.int(len(args))))
}

func extent(n uint32) C.uint32_t { return C.uint32_t(max(n, 1)) }
