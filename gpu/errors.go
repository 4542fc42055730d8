package gpu

import (
	"errors"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
)

// ErrOutOfMemory is the error of Device.Alloc if device memory is exhausted. It is also below every error 1037
// that is about the memory of a device, not of the host.
var ErrOutOfMemory = errors.New("out of device memory")

// Exhausted returns error 1037 over ErrOutOfMemory.
func Exhausted(format string, args ...any) *sqlerr.Error {
	e := sqlerr.New(sqlerr.OutOfMemory, format, args...)
	e.Err = ErrOutOfMemory
	return e
}

// outOfMemory returns the error that users see: 1037 with operator, bytes and setting.
func outOfMemory(device, operator string, bytes, used, limit int64) error {
	return Exhausted("Out of device memory on %s; %s needs %s more, %s of gsql_gpu_memory_limit %s are in use",
		device, operator, mem.Size(bytes), mem.Size(used), mem.Size(limit)).
		WithHint("Raise it with SET gsql_gpu_memory_limit = '8GB' if the device has more, or run the query on the CPU.")
}

// LostError is the error of a device that does no more work for this process: it has failed, or its
// context has become useless.
type LostError struct {
	Device string
	Err    error // what the driver reports
}

// Error implements error.
func (e *LostError) Error() string { return "device " + e.Device + " is lost: " + e.Err.Error() }

// Unwrap returns what the driver reports.
func (e *LostError) Unwrap() error { return e.Err }

// Lost returns the loss of a device below err, or nil.
func Lost(err error) *LostError {
	var lost *LostError
	errors.As(err, &lost)
	return lost
}
