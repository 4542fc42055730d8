//go:build cuda

package cuda

import (
	"errors"
	"slices"

	"gorgonia.org/cu"

	"gsql/gpu"
)

// fatal are the errors after which a device, or its context in this process, does no more work.
var fatal = []error{
	cu.EccUncorrectable, cu.NvlinkUncorrectable, cu.IllegalAddress, cu.ContextIsDestroyed, cu.HardwareStackError, cu.IllegalInstruction,
	cu.MisalignedAddress, cu.LaunchFailed, cu.LaunchTimeout, cu.Unknown,
}

// fatalCodes are the same errors as numbers, and that of a device that is not available, as check
// returns them.
var fatalCodes = []int{46, 214, 220, 700, 702, 709, 714, 715, 716, 719, 999}

// driverError is an error of a driver's function that package cu does not have.
type driverError struct {
	code int
	text string
}

// Error implements error.
func (e driverError) Error() string { return e.text }

// lostBy returns err as the loss of a device if it is one.
func lostBy(device string, err error) error {
	var e driverError
	isFatal := slices.ContainsFunc(fatal, func(f error) bool { return errors.Is(err, f) }) ||
		errors.As(err, &e) && slices.Contains(fatalCodes, e.code)
	if !isFatal || gpu.Lost(err) != nil {
		return err
	}
	return &gpu.LostError{Device: device, Err: err}
}
