// Package sorting sorts pairs that are spread over several devices by radix partitioning, as Maltenberger
// et al. do for joins of large relations (2024): the highest bits of all keys are counted, the values
// at which one device's range ends are refined by further bits until ranges are even, devices exchange
// ranges, and each sorts its own.
package sorting

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/group"
	"gsql/gpu/prim"
	"gsql/sql/sqlerr"
)

// tolerance is the share of a device's even share by which its rows may differ from it.
const tolerance = 1.0 / 200

// Capacity returns how many pairs the output of each of several devices must have memory for, where
// all together have n.
func Capacity(n int64, devices int) int64 {
	share := n / int64(devices)
	return share + 2*int64(tolerance*float64(share)) + int64(devices) + 1
}

// Part is one device's pairs.
type Part struct {
	prim.Pairs
	Rows int64
}

// Sort sorts the pairs of in, of which each member has one element, in the order of s. Values have
// valueWidth bytes. Afterwards member i's pairs are in out[i], whose memory is of Capacity pairs, in
// order and none before those of member i-1; the result has their numbers. Equal keys stay in the
// order of members and, within one, of their places. in is unchanged.
func Sort(g *group.Group, s prim.Sorting, in []Part, out []prim.Pairs, valueWidth int64) ([]Part, error) {
	var total int64
	for _, p := range in {
		total += p.Rows
	}
	marks, sorted := make([]gpu.Mark, len(in)), make([]Part, len(in))
	for i, m := range g.Members {
		marks[i], m.Received = m.Mark(), 0
	}
	err := g.Run(func(m *group.Member) (err error) {
		w := &worker{Member: m, order: s, width: valueWidth, devices: len(in), total: total}
		sorted[m.Number] = Part{Pairs: out[m.Number]}
		sorted[m.Number].Rows, err = w.sort(in[m.Number], out[m.Number])
		return err
	})
	for i, m := range g.Members {
		err = errors.Join(err, m.Release(marks[i]))
	}
	return sorted, err
}

// worker is one device's share of a sort.
type worker struct {
	*group.Member
	order   prim.Sorting
	width   int64 // of values
	devices int
	total   int64      // pairs on all devices
	pairs   prim.Pairs // the device's, moved as far as cuts require
	cuts    []int64    // where each device's range of them begins, then their number
}

func (w *worker) sort(in Part, out prim.Pairs) (int64, error) {
	if w.devices == 1 {
		return in.Rows, w.order.Sort(w.Task, in.Pairs, out, w.width, in.Rows)
	}
	var err error
	if w.pairs, err = w.alloc(in.Rows); err != nil {
		return 0, err
	}
	w.cuts = make([]int64, w.devices+1)
	w.cuts[w.devices] = in.Rows
	if err := w.cutAll(in); err != nil {
		return 0, err
	}
	got, n, err := w.exchange()
	if err != nil {
		return 0, err
	}
	if n > Capacity(w.total, w.devices) {
		return 0, sqlerr.Internal("%d of %d sorted rows for one of %d devices", n, w.total, w.devices)
	}
	return n, w.order.Sort(w.Task, got, out, w.width, n)
}

func (w *worker) alloc(n int64) (p prim.Pairs, err error) {
	if p.Keys, err = w.Alloc(n * w.order.Kind.Width()); err != nil {
		return p, err
	}
	p.Values, err = w.Alloc(n * w.width)
	return p, err
}

// at returns the pairs from a place on.
func (w *worker) at(p prim.Pairs, first int64) prim.Pairs {
	return prim.Pairs{Keys: p.Keys + gpu.Ptr(first*w.order.Kind.Width()), Values: p.Values + gpu.Ptr(first*w.width)}
}

// offer is a device's ranges, and when they are where they belong.
type offer struct {
	device gpu.Device
	pairs  prim.Pairs
	cuts   []int64
	moved  group.Point
}

// exchange copies this device's range from all devices; those of device 0 come first, so that equal
// keys keep their order.
func (w *worker) exchange() (got prim.Pairs, n int64, err error) {
	moved, err := w.Record(w.Compute)
	if err != nil {
		return got, 0, err
	}
	offers, err := group.Share(w.Member, offer{w.Device, w.pairs, w.cuts, moved})
	if err != nil {
		return got, 0, err
	}
	places := make([]int64, len(offers))
	for d, o := range offers {
		places[d] = n
		n += o.cuts[w.Number+1] - o.cuts[w.Number]
	}
	if got, err = w.alloc(n); err != nil {
		return got, 0, err
	}
	// Memory that the device's own work has used and released receives the copies.
	if err := w.After(w.Member.Copy, moved); err != nil {
		return got, 0, err
	}
	for i := range offers {
		d := (w.Number + i) % len(offers)
		o := offers[d]
		first := o.cuts[w.Number]
		if err := w.fetch(w.at(got, places[d]), o, w.at(o.pairs, first), o.cuts[w.Number+1]-first); err != nil {
			return got, 0, err
		}
	}
	copied, err := w.Record(w.Copy)
	if err == nil {
		err = w.After(w.Compute, copied)
	}
	return got, n, err
}

// fetch queues copying n pairs of a device, which may be this one.
func (w *worker) fetch(to prim.Pairs, o offer, from prim.Pairs, n int64) error {
	if o.device == w.Device {
		return w.copyPairs(to, from, n)
	}
	if err := w.After(w.Copy, o.moved); err != nil {
		return err
	}
	if err := w.Fetch(to.Keys, o.device, from.Keys, n*w.order.Kind.Width()); err != nil {
		return err
	}
	return w.Fetch(to.Values, o.device, from.Values, n*w.width)
}

// copyPairs queues copying n pairs within the device.
func (w *worker) copyPairs(to, from prim.Pairs, n int64) error {
	if n == 0 {
		return nil
	}
	if err := w.Device.CopyDevice(to.Keys, from.Keys, n*w.order.Kind.Width(), w.Compute); err != nil {
		return err
	}
	return w.Device.CopyDevice(to.Values, from.Values, n*w.width, w.Compute)
}
