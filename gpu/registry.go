package gpu

import (
	"slices"
	"strings"
	"sync"
)

// Opener finds the devices of one kind. If there are none, reason says why in one line.
type Opener func() (devices []Device, reason string)

// NotBuilt is why a program without device packages has no devices.
const NotBuilt = "built without GPU support; see docs/gpu.md"

type registration struct {
	name string
	open Opener
}

// registry holds the openers and, after the first use, the devices that they found.
type registry struct {
	mu      sync.Mutex
	openers []registration
	opened  bool
	devices []Device
	reasons []string
}

var known registry

// Register registers a kind of devices under name. Packages call it from init; nothing is opened
// then. Devices are listed in the order of names.
func Register(name string, open Opener) { known.register(name, open) }

// Devices opens the devices of all kinds, once, and returns them, with one line for every kind that
// has none. They stay open until the program ends.
func Devices() (devices []Device, reasons []string) { return known.open() }

func (r *registry) register(name string, open Opener) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.openers = append(r.openers, registration{name, open})
	slices.SortFunc(r.openers, func(a, b registration) int { return strings.Compare(a.name, b.name) })
}

func (r *registry) open() ([]Device, []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.opened {
		r.opened = true
		for _, o := range r.openers {
			devices, reason := o.open()
			r.devices = append(r.devices, devices...)
			if reason != "" {
				r.reasons = append(r.reasons, reason)
			}
		}
		if len(r.openers) == 0 {
			r.reasons = append(r.reasons, NotBuilt)
		}
	}
	return slices.Clone(r.devices), slices.Clone(r.reasons)
}
