//go:build sim

package sim

import (
	"errors"

	"gsql/gpu"
)

// Lose makes the device fail as if it had fallen off the bus, with its n-th launch from now on or, if
// n is 0, at once: every later call returns a gpu.LostError, and so do copies to other devices. Only
// what frees something works.
func (d *Device) Lose(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lost, d.loseIn = n == 0, n
}

// Recover ends the device's loss. Its memory keeps what was in it.
func (d *Device) Recover() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lost, d.loseIn = false, 0
	for _, s := range d.streams {
		s.failed = nil
	}
}

// countLaunch loses the device if this launch is the one to do so.
func (d *Device) countLaunch() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.loseIn > 0 {
		d.loseIn--
		d.lost = d.loseIn == 0
	}
}

// usable returns an error if the device is closed or lost. The caller holds the mutex.
func (d *Device) usable() error {
	switch {
	case d.closed:
		return errClosed()
	case d.lost:
		return d.loss()
	}
	return nil
}

func (d *Device) loss() error {
	return d.fail("driver", &gpu.LostError{Device: d.Name(), Err: errors.New("it fell off the bus")})
}
