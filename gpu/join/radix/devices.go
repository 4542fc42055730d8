package radix

import (
	"errors"
	"math"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/group"
	"gsql/gpu/join"
	"gsql/gpu/prim"
)

// Spread reports how a join ran on several devices, of which each element describes one.
type Spread struct {
	Received []int64 // bytes copied from other devices
	Rows     []int64 // rows of both sides that the device joined
}

// Balance returns the most rows of a device over the mean, 1 if all have the same number.
func (s Spread) Balance() float64 {
	var most, all int64
	for _, n := range s.Rows {
		most, all = max(most, n), all+n
	}
	if all == 0 {
		return 1
	}
	return float64(most) * float64(len(s.Rows)) / float64(all)
}

// AggregateOn is Aggregate of a join whose rows are spread over the devices of a group: member i
// holds the rows ins[i], whose columns aggs[i] refer to. Conditions and aggregates are the same for
// all members except for addresses and numbers of rows; all conditions form one key, and a column has
// a validity column on all devices or on none. Every device splits its rows into parts by their
// keys' hashes, devices exchange parts, and each joins those that it then owns (Gerber, Hashing and
// hash joins on multi-GPU systems, 2021: the split after the first radix pass).
func AggregateOn(g *group.Group, ins []join.Input, aggs [][]join.Agg, opt Options) ([]join.Value, Spread, error) {
	spread := Spread{Received: make([]int64, len(ins)), Rows: make([]int64, len(ins))}
	values := make([]join.Value, len(aggs[0]))
	perMember := foldsOn(aggs, opt.BuildLeft)
	for i, f := range perMember[0] {
		all := results{}
		double := f.column != nil && f.column.Kind == column.F64
		err := foldOn(g, &spread, opt, ins, func(member int) fold { return perMember[member][i] }, func(r results) { all.add(r, double) })
		if err != nil {
			return nil, spread, err
		}
		for _, a := range f.aggs {
			values[a] = all.value(aggs[0][a])
		}
	}
	return values, spread, nil
}

// foldOn runs one fold on all devices and passes each device's results to add.
func foldOn(g *group.Group, spread *Spread, opt Options, ins []join.Input, foldOf func(member int) fold, add func(results)) error {
	marks, each := make([]gpu.Mark, len(ins)), make([]results, len(ins))
	for i, m := range g.Members {
		marks[i], m.Received = m.Mark(), 0
	}
	err := g.Run(func(m *group.Member) (err error) {
		s := &share{Member: m, fold: foldOf(m.Number)}
		if s.sides, err = newSides(ins[m.Number], !s.fold.left, carry{}, s.fold.carry(), opt); err != nil {
			return err
		}
		each[m.Number], err = s.run(ins[m.Number])
		spread.Received[m.Number] += m.Received
		spread.Rows[m.Number] += s.rows
		return err
	})
	for i, m := range g.Members {
		err = errors.Join(err, m.Release(marks[i]))
		add(each[i])
	}
	return err
}

// add combines the results of two devices, exactly except for sums of doubles. The digits of sums
// have room for carries.
func (r *results) add(other results, double bool) {
	r[0] += other[0]
	if double {
		r[1] = math.Float64bits(math.Float64frombits(r[1]) + math.Float64frombits(other[1]))
	} else {
		for digit := 1; digit <= 3; digit++ {
			r[digit] += other[digit]
		}
	}
	r[4], r[5] = max(r[4], other[4]), max(r[5], other[5])
}

// mostSpreadBits is the most hash bits of a join on several devices: the parents of the last level
// are listed in shared memory.
const mostSpreadBits = 20

// spreadBits returns the number of hash bits for n build rows on all devices.
func (o Options) spreadBits(n int64) uint {
	return min(max(o.bits(max(n, 1)), prim.SplitBits+1), mostSpreadBits)
}
