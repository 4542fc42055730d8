package physical

import (
	"fmt"
	"strings"

	"gsql/internal/mem"
)

// Device is where an operator runs: "cpu", a device such as "cuda:0" or "sim:0", or several devices of
// a kind such as "cuda:0,1".
type Device string

// CPU is the device that always exists.
const CPU Device = "cpu"

// DeviceSet returns several devices of one kind as one.
func DeviceSet(devices []Device) Device {
	set := string(devices[0])
	for _, d := range devices[1:] {
		_, number, _ := strings.Cut(string(d), ":")
		set += "," + number
	}
	return Device(set)
}

// Members returns the devices that d stands for.
func (d Device) Members() []Device {
	kind, numbers, several := strings.Cut(string(d), ":")
	if !several {
		return []Device{d}
	}
	var all []Device
	for number := range strings.SplitSeq(numbers, ",") {
		all = append(all, Device(kind+":"+number))
	}
	return all
}

// Spread is how several devices compute aggregates over a join, or sort. Each has a share of the rows of the
// inputs. With Bits, there may be one device.
type Spread struct {
	// Bits is not 0 if the host divides the inputs by so many bits of their keys' hashes, and devices join one
	// partition after another: they do not have the memory for all rows.
	Bits uint
	// Exchange is set if the devices exchange rows of all inputs, such that each has all rows of some
	// keys. Otherwise each receives the whole of the input Copied.
	Exchange bool
	Copied   int
	Bytes    float64 // that the devices are expected to receive from each other
}

func (s *Spread) describe() string {
	bytes := mem.Size(int64(s.Bytes))
	switch {
	case s.Bits > 0:
		return fmt.Sprintf("%d partitions", 1<<s.Bits)
	case s.Exchange:
		return fmt.Sprintf("exchanges %s", bytes)
	case s.Copied == 0:
		return fmt.Sprintf("copies the left input to all devices, %s", bytes)
	}
	return fmt.Sprintf("copies the right input to all devices, %s", bytes)
}
