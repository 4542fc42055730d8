// Package profile holds the rates that prices are computed from: those that gsql calibrate measured on
// this machine and keeps in a file, or the built-in ones.
package profile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"gsql/internal/machine"
	"gsql/internal/simd"
	"gsql/planner/cost"
	"gsql/planner/physical"
)

// Profile holds the rates of a machine. It is read-only once it is in use.
type Profile struct {
	Machine string // the processor's model name
	Cores   int
	Date    string // of the measurement, as 2006-01-02
	CPU     cost.Profile
	Devices map[string]cost.Accelerator // by the manufacturer's name
}

// BuiltIn returns the built-in rates.
func BuiltIn() *Profile {
	return &Profile{
		Machine: machine.Processor(), Cores: runtime.NumCPU(),
		CPU: cost.Default(1).WithVectors(simd.Best().Bits()), Devices: map[string]cost.Accelerator{},
	}
}

// variable names the environment variable that replaces Path, or "off" for the built-in rates.
const variable = "GSQL_PROFILE"

// Path returns the file of the machine's profile: $GSQL_PROFILE, or gsql/profile.json in the user's
// configuration folder. It returns "" if no file is to be used.
func Path() string {
	if path := os.Getenv(variable); path == "off" {
		return ""
	} else if path != "" {
		return path
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "gsql", "profile.json")
}

// current is the profile of this process.
var current struct {
	once sync.Once
	mu   sync.RWMutex
	p    *Profile
	why  string // origin of its rates
}

// Current returns the profile of this process. The first call reads it from Path.
func Current() *Profile {
	current.once.Do(func() {
		p, why := read(Path())
		set(p, why)
	})
	current.mu.RLock()
	defer current.mu.RUnlock()
	return current.p
}

// Use replaces the profile of this process.
func Use(p *Profile) {
	current.once.Do(func() {})
	set(p, "measured in this process")
}

func set(p *Profile, why string) {
	current.mu.Lock()
	defer current.mu.Unlock()
	current.p, current.why = p, why
}

// Source describes the origin of Current's rates in one line.
func Source() string {
	Current()
	current.mu.RLock()
	defer current.mu.RUnlock()
	return current.why
}

// read returns the profile in a file, or the built-in one and the reason.
func read(path string) (*Profile, string) {
	p := BuiltIn()
	if path == "" {
		return p, "built in: " + variable + " is off"
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, "built in; gsql calibrate measures this machine's"
	case err != nil:
		return p, "built in: " + err.Error()
	}
	of, cores := p.Machine, p.Cores
	if err := json.Unmarshal(text, p); err != nil {
		return BuiltIn(), fmt.Sprintf("built in: %s is no profile: %v", path, err)
	}
	if p.Machine != of || p.Cores != cores {
		return BuiltIn(), fmt.Sprintf("built in: %s is of another machine (%s, %d cores); gsql calibrate measures this one", path, p.Machine, p.Cores)
	}
	for name, a := range p.Devices { // a profile of a machine with one device has no rates between devices
		a.PeerGBs, a.GroupUS = cmp.Or(a.PeerGBs, cost.DefaultPeerGBs), cmp.Or(a.GroupUS, cost.DefaultGroupUS)
		p.Devices[name] = a
	}
	if err := p.check(); err != nil {
		return BuiltIn(), fmt.Sprintf("built in: %s: %v", path, err)
	}
	return p, fmt.Sprintf("%s of %s", path, p.Date)
}

// Save writes the profile to a file and creates its folder if necessary.
func (p *Profile) Save(path string) error {
	text, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// ForWorkers returns the rates of the CPU for a number of workers.
func (p *Profile) ForWorkers(n int) cost.Profile {
	c := p.CPU
	c.StreamGBs *= float64(max(n, 1)) / float64(max(c.Workers, 1))
	c.Workers = max(n, 1)
	return c
}

// Accelerator returns the rates of a device with the given manufacturer's name and bytes of free
// memory.
func (p *Profile) Accelerator(device physical.Device, name string, free float64) cost.Accelerator {
	a, ok := p.Devices[name]
	switch {
	case ok:
		a.Device, a.FreeBytes = device, free
		return a
	case strings.HasPrefix(string(device), "sim"):
		return cost.SimulatedAccelerator(device, free)
	}
	return cost.DefaultAccelerator(device, free)
}
