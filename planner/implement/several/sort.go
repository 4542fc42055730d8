package several

import (
	"gsql/planner/cost"
	"gsql/planner/physical"
)

// Sort is an order of rows on devices. The host makes codes of 8 bytes from the keys, of which each device
// sorts a share with the rows' numbers; several devices exchange them, such that each has a range of the
// order. The host receives the numbers.
type Sort struct {
	On   *cost.Accelerator // may stand for several devices
	Rows float64
}

const (
	codeBytes   = 8
	numberBytes = 4
	pairBytes   = codeBytes + numberBytes
	// sortCopies is how many copies of its share of the pairs a device holds at most.
	sortCopies = 6
)

func (s *Sort) devices() float64 { return float64(max(s.On.Devices, 1)) }

// Spread returns the plan's description of the sort; nil for one device.
func (s *Sort) Spread() *physical.Spread {
	if s.On.Devices < 2 {
		return nil
	}
	return &physical.Spread{Exchange: true, Bytes: s.received()}
}

// received returns the bytes that the devices receive from each other.
func (s *Sort) received() float64 {
	n := s.devices()
	return pairBytes * s.Rows * (n - 1) / n
}

// MS returns the price of the sort of pairs that are on the devices.
func (s *Sort) MS() float64 {
	n := s.devices()
	if n == 1 {
		return s.On.SortPairs(s.Rows)
	}
	const bytesPerMS = 1e6 // of 1 GB/s
	return s.On.SplitPairs(s.Rows/n) + s.received()/n/s.On.PeerGBs/bytesPerMS + s.On.SortPairs(s.Rows/n) + n*s.On.GroupUS/1e3
}

// Sent returns the bytes that cross the links to the devices.
func (s *Sort) Sent() float64 { return codeBytes * s.Rows }

// Returned returns the bytes that cross the links to the host.
func (s *Sort) Returned() float64 { return numberBytes * s.Rows }

// Memory returns the bytes that a device needs.
func (s *Sort) Memory() float64 { return sortCopies * pairBytes * s.Rows / s.devices() }
