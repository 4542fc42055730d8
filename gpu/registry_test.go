package gpu

import (
	"slices"
	"testing"
)

func TestDevicesOpenOnceAndOnlyWhenAsked(t *testing.T) {
	var r registry
	var opened []string
	opener := func(name, reason string, devices ...Device) Opener {
		return func() ([]Device, string) {
			opened = append(opened, name)
			return devices, reason
		}
	}
	dev := &memoryDevice{}
	r.register("sim", opener("sim", "", dev))
	r.register("cuda", opener("cuda", "no NVIDIA driver"))
	if len(opened) != 0 {
		t.Fatalf("opened %v before anybody asked", opened)
	}
	for range 2 {
		devices, reasons := r.open()
		if len(devices) != 1 || devices[0] != Device(dev) || !slices.Equal(reasons, []string{"no NVIDIA driver"}) {
			t.Errorf("devices %v, reasons %v", devices, reasons)
		}
	}
	if !slices.Equal(opened, []string{"cuda", "sim"}) {
		t.Errorf("opened %v, want each once in the order of names", opened)
	}
}

func TestNoDevicePackagesIsAReason(t *testing.T) {
	var r registry
	if devices, reasons := r.open(); len(devices) != 0 || !slices.Equal(reasons, []string{NotBuilt}) {
		t.Errorf("devices %v, reasons %v", devices, reasons)
	}
}
