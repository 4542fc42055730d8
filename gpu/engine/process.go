package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"gsql/gpu"
	"gsql/internal/mem"
	"gsql/sql/deviceset"
	"gsql/sql/sqlerr"
)

// process holds the engines of this process, by device. Each is opened on first use and stays open
// until the process ends.
var process struct {
	mu    sync.Mutex
	limit int64 // gsql_gpu_memory_limit, 0 for the default
	open  []*Engine
}

// For returns the engine of a device and opens it on first use. name is the device's own name, such
// as "cuda:0", its kind, which selects the first of that kind, or "gpu", which selects the first
// that is not a simulation. Lost devices are skipped. If there is none, the error says why.
func For(name string) (*Engine, error) {
	devices, reasons := gpu.Devices()
	var gone *gpu.LostError
	for _, d := range devices {
		if !isNamed(d, name) {
			continue
		}
		if l := lost(d.Name()); l == nil {
			return opened(d)
		} else if gone == nil {
			gone = l
		}
	}
	if gone != nil {
		return nil, gone
	}
	return nil, noDevice(name, devices, reasons)
}

func noDevice(name string, devices []gpu.Device, reasons []string) error {
	return sqlerr.New(sqlerr.WrongArguments, "No device '%s': %s", name, cmp.Or(strings.Join(reasons, "; "), "there are only "+names(devices)))
}

// Named returns the devices of a set that queries may use, in its order. If there is none, the error
// says why.
func Named(set deviceset.Set) (found []gpu.Device, err error) {
	devices, reasons := gpu.Devices()
	for _, d := range members(set, devices) {
		if l := lost(d.Name()); l == nil {
			found = append(found, d)
		} else {
			err = cmp.Or(err, error(l))
		}
	}
	switch {
	case len(found) == 0 && err != nil:
		return nil, err
	case len(found) == 0:
		return nil, noDevice(set.String(), devices, reasons)
	case !set.All && set.Numbers == nil:
		found = found[:1]
	}
	return found, nil
}

// members returns the devices of a set's kind that have its numbers, or all of the kind.
func members(set deviceset.Set, devices []gpu.Device) (found []gpu.Device) {
	if set.Numbers == nil {
		for _, d := range devices {
			if isNamed(d, set.Kind) {
				found = append(found, d)
			}
		}
		return found
	}
	for _, n := range set.Numbers {
		for _, d := range devices {
			if _, number, _ := strings.Cut(d.Name(), ":"); isNamed(d, set.Kind) && number == strconv.Itoa(n) {
				found = append(found, d)
			}
		}
	}
	return found
}

// Check returns an error unless each device exists that a set has by its number.
func Check(set deviceset.Set) error {
	if set.Numbers == nil {
		return nil
	}
	devices, reasons := gpu.Devices()
	if len(members(set, devices)) == len(set.Numbers) {
		return nil
	}
	return sqlerr.New(sqlerr.WrongValueForVar, "Variable 'gsql_device' can't be set to the value of '%s'", set).
		WithHint("%s.", cmp.Or(strings.Join(reasons, "; "), "The devices are "+names(devices)))
}

// Start starts the driver and the device that For would open, which takes about 150 ms, but
// allocates none of its memory for columns. The next call of For reports what fails.
func Start(name string) {
	devices, _ := gpu.Devices()
	for _, d := range devices {
		if isNamed(d, name) {
			_, _ = d.Info()
			return
		}
	}
}

func isNamed(d gpu.Device, name string) bool {
	kind, _, _ := strings.Cut(d.Name(), ":")
	return name == d.Name() || name == kind || name == "gpu" && kind != "sim"
}

func names(devices []gpu.Device) string {
	all := make([]string, len(devices))
	for i, d := range devices {
		all[i] = d.Name()
	}
	return strings.Join(all, ", ")
}

func opened(d gpu.Device) (*Engine, error) {
	process.mu.Lock()
	defer process.mu.Unlock()
	for _, e := range process.open {
		if e.dev == d {
			return e, nil
		}
	}
	e, err := New(d, process.limit)
	noteLost(err)
	if err == nil {
		process.open = append(process.open, e)
	}
	return e, err
}

// Available names the devices that For can open, with one line for each kind that has none. It does
// not open any.
func Available() (devices, reasons []string) {
	found, reasons := gpu.Devices()
	for _, d := range found {
		devices = append(devices, d.Name())
	}
	return devices, reasons
}

// Opened returns the open engines of devices that are not lost.
func Opened() (open []*Engine) {
	process.mu.Lock()
	defer process.mu.Unlock()
	for _, e := range process.open {
		if lost(e.Name()) == nil {
			open = append(open, e)
		}
	}
	return open
}

// Limit returns the size of the arena that an engine of a device with so many bytes of free memory gets.
func Limit(free int64) int64 {
	process.mu.Lock()
	defer process.mu.Unlock()
	if process.limit > 0 {
		return process.limit
	}
	return gpu.DefaultLimit(free)
}

// SetLimit sets how many bytes of its device each engine may take, 0 for the default. Open engines
// wait for their running task and drop their cached columns.
func SetLimit(ctx context.Context, bytes int64) error {
	process.mu.Lock()
	defer process.mu.Unlock()
	if bytes == process.limit {
		return nil
	}
	process.limit = bytes
	var errs []error
	for _, e := range process.open {
		if lost(e.Name()) == nil {
			errs = append(errs, e.SetLimit(ctx, bytes))
		}
	}
	return errors.Join(errs...)
}

// Describe returns lines that report what the engine's memory is used for.
func (e *Engine) Describe() []string {
	limit, tasks, columns := e.Memory()
	resident := e.Resident()
	lines := []string{fmt.Sprintf("%s: %s of gsql_gpu_memory_limit %s in use, %s by queries, %s by %d cached columns",
		e.Name(), mem.Size(tasks+columns), mem.Size(limit), mem.Size(tasks), mem.Size(columns), len(resident))}
	for _, r := range resident {
		lines = append(lines, fmt.Sprintf("  %s version %d, column %s as %s: %d rows, %s, used %s",
			r.Table, r.Version, r.Name, r.Form(), r.Rows, mem.Size(r.Bytes), r.Used.Format("15:04:05")))
	}
	return lines
}

// Form describes how the column's values are stored: "i32", "2 bytes", "codes of 1 byte", or
// "values of a function".
func (r *Resident) Form() string {
	switch {
	case r.Share.Of > 0:
		return fmt.Sprintf("%s, share %d of %d", r.Format.Kind.Suffix(), r.Share.Number+1, r.Share.Of)
	case !r.Narrow:
		return r.Format.Kind.Suffix()
	case r.Derived != "":
		return "values of a function"
	case r.Texts > 0:
		return "codes of " + inBytes(r.Width)
	}
	return inBytes(r.Width)
}

func inBytes(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
