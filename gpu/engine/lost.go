package engine

import (
	"context"
	"slices"
	"sync"

	"gsql/gpu"
)

// losses are the devices that no query uses any more until Restore.
var losses struct {
	mu      sync.Mutex
	devices map[string]*gpu.LostError
	changes int // of devices
}

// noteLost records the loss of a device below err, if there is one.
func noteLost(err error) {
	lost := gpu.Lost(err)
	if lost == nil {
		return
	}
	losses.mu.Lock()
	defer losses.mu.Unlock()
	if losses.devices[lost.Device] != nil {
		return
	}
	if losses.devices == nil {
		losses.devices = map[string]*gpu.LostError{}
	}
	losses.devices[lost.Device] = lost
	losses.changes++
}

// lost returns the loss of a device, or nil.
func lost(device string) *gpu.LostError {
	losses.mu.Lock()
	defer losses.mu.Unlock()
	return losses.devices[device]
}

// Changes returns a number that changes whenever a device is lost or restored. A plan is made for the
// devices of its time.
func Changes() int {
	losses.mu.Lock()
	defer losses.mu.Unlock()
	return losses.changes
}

// Restore lets queries use lost devices again. Their engines, whose memory is lost, are closed, and the
// next use opens them anew.
func Restore(ctx context.Context) error {
	losses.mu.Lock()
	gone := losses.devices
	losses.devices = nil
	if len(gone) > 0 {
		losses.changes++
	}
	losses.mu.Unlock()
	if len(gone) == 0 {
		return nil
	}
	process.mu.Lock()
	defer process.mu.Unlock()
	for _, e := range slices.Clone(process.open) {
		if gone[e.Name()] == nil {
			continue
		}
		if err := e.abandon(ctx, gone[e.Name()]); err != nil {
			return err
		}
		process.open = slices.DeleteFunc(process.open, func(x *Engine) bool { return x == e })
	}
	return nil
}

// abandon closes the engine of a lost device once no task runs. Tasks that wait for it end with the loss.
func (e *Engine) abandon(ctx context.Context, loss *gpu.LostError) error {
	select {
	case <-e.busy:
	case <-ctx.Done():
		return ctx.Err()
	}
	e.loss = loss
	close(e.gone)
	_ = e.Close() // its errors are those of a lost device
	return nil
}
