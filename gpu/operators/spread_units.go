package operators

import (
	"errors"
	"sync"
	"sync/atomic"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/group"
	gpujoin "gsql/gpu/join"
	"gsql/gpu/operators/partitioned"
	"gsql/sql/sqlerr"
)

// slots is how many units a device has at a time: one that it joins, and the next one, which is sent meanwhile.
const slots = 2

// compute joins the partitions on the devices.
func (d *divided) compute() (values []gpujoin.Value, err error) {
	g, err := group.Begin(d.ctx, d.engines, nameOf(d.node))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.End()) }()
	free := g.Members[0].Free()
	for _, m := range g.Members {
		free = min(free, m.Free())
	}
	work := &units{all: partitioned.Units(d.sides[0], d.sides[1], d.unitBytes(free))}
	values = d.aggs.empty()
	var merging sync.Mutex
	err = g.Run(func(m *group.Member) error {
		w := &unitWorker{divided: d, m: m, work: work, sum: d.aggs.empty()}
		err := w.run()
		if err != nil {
			work.stop()
		}
		merging.Lock()
		defer merging.Unlock()
		d.aggs.merge(values, w.sum)
		return err
	})
	d.crossings.Pieces.Add(int64(len(work.all)))
	return values, errors.Join(err, d.note(g))
}

// units is the work that devices take, the largest units first.
type units struct {
	all  []partitioned.Unit
	next atomic.Int64
}

func (u *units) take() *partitioned.Unit {
	if at := u.next.Add(1) - 1; at < int64(len(u.all)) {
		return &u.all[at]
	}
	return nil
}

// stop makes the devices take no more units.
func (u *units) stop() { u.next.Store(int64(len(u.all))) }

// unitBytes returns how many bytes of rows a unit has at most, on a device with free bytes of memory: with two units
// there, one of them can be joined. A quarter always suffices for slices of the probe side.
func (d *divided) unitBytes(free int64) int64 {
	var total int64
	for _, s := range d.sides {
		total += s.Total() * s.RowBytes()
	}
	bytes := free / slots
	for ; bytes > free/8; bytes -= max(bytes/16, 1) {
		share := min(float64(bytes)/float64(total), 1)
		in, aggs := d.described([2]int64{int64(share * float64(d.sides[0].Total())), int64(share * float64(d.sides[1].Total()))})
		if slots*(bytes+d.padding())+d.algo.bytes(in, aggs) <= free {
			break
		}
	}
	return bytes
}

// padding is what the alignment of a unit's columns adds.
func (d *divided) padding() int64 { return 2 * gpu.Alignment * int64(len(d.columns)) }

// described returns the join of so many rows of each side, without addresses.
func (d *divided) described(rows [2]int64) (gpujoin.Input, []gpujoin.Agg) {
	columns := make([]column.Column, len(d.columns))
	for side := range d.at {
		for i, at := range d.at[side] {
			columns[at] = d.form(side, i)
			columns[at].Rows = rows[side]
			columns[at].Values = gpu.Ptr(at + 1) // distinct columns differ
		}
	}
	return d.inputs([][]column.Column{columns})[0], d.arguments(columns)
}

// unitWorker joins units on one device.
type unitWorker struct {
	*divided
	m    *group.Member
	work *units
	sum  []gpujoin.Value

	at     [slots]gpu.Ptr
	bytes  int64 // of a slot
	copied [slots]gpu.Event
}

// sent is a unit in a slot, or the error of sending it.
type sent struct {
	slot int
	unit *partitioned.Unit
	err  error
}

// run joins units until none is left. While one is joined, the next one is sent.
func (w *unitWorker) run() (err error) {
	if len(w.work.all) == 0 {
		return nil
	}
	w.bytes = w.work.all[0].Bytes + w.padding()
	for i := range slots {
		if w.at[i], err = w.m.Alloc(w.bytes); err != nil {
			return err
		}
		if w.copied[i], err = w.m.Device.NewEvent(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.m.Device.FreeEvent(w.copied[i])) }()
	}
	free, ready := make(chan int, slots), make(chan sent, slots)
	for i := range slots {
		free <- i
	}
	var sending sync.WaitGroup
	sending.Go(func() {
		defer close(ready)
		for slot := range free {
			u := w.work.take()
			if u == nil {
				return
			}
			x := sent{slot, u, sqlerr.Guard(func() error { return w.send(u, slot) })}
			if ready <- x; x.err != nil {
				return
			}
		}
	})
	defer sending.Wait()
	defer close(free)
	for x := range ready {
		if err := errors.Join(x.err, w.m.Err()); err != nil {
			return err
		}
		if err := w.join(x); err != nil {
			return err
		}
		free <- x.slot
	}
	return nil
}

// columnsAt returns the columns of a unit in a slot.
func (w *unitWorker) columnsAt(u *partitioned.Unit, slot int) []column.Column {
	out := make([]column.Column, len(w.columns))
	next := w.at[slot]
	place := func(bytes int64) gpu.Ptr {
		at := next
		next += gpu.Ptr((bytes + gpu.Alignment - 1) / gpu.Alignment * gpu.Alignment)
		return at
	}
	for side := range w.divided.at {
		rows := u.Rows[side].Rows()
		for i, at := range w.divided.at[side] {
			c := w.form(side, i)
			c.Rows = rows
			c.Values = place(rows * c.Kind.Width())
			if c.Valid != 0 {
				c.Valid = place(rows)
			}
			out[at] = c
		}
	}
	return out
}

// send queues copying a unit to a slot.
func (w *unitWorker) send(u *partitioned.Unit, slot int) error {
	columns := w.columnsAt(u, slot)
	var parcels []engine.Parcel
	for side, s := range w.divided.sides {
		r := u.Rows[side]
		for i, at := range w.divided.at[side] {
			c := &columns[at]
			parcels = append(parcels, engine.Parcel{To: c.Values, From: s.Values(i, u.Partition, r.From, r.To)})
			if c.Valid != 0 {
				parcels = append(parcels, engine.Parcel{To: c.Valid, From: s.Valid(i, u.Partition, r.From, r.To)})
			}
			w.spread.sides[side].crossings.ToDevice.Add(c.Bytes())
			w.noted.Sent[w.m.Number] += c.Bytes()
		}
	}
	return w.m.Send(parcels, max(w.ctx.Workers/len(w.engines), 1), w.copied[slot])
}

// join joins a unit that has been sent.
func (w *unitWorker) join(x sent) error {
	if err := w.m.Device.Wait(w.m.Compute, w.copied[x.slot]); err != nil {
		return err
	}
	columns := w.columnsAt(x.unit, x.slot)
	whole := [2]span{{0, x.unit.Rows[0].Rows()}, {0, x.unit.Rows[1].Rows()}}
	w.rows[w.m.Number] += whole[0].to + whole[1].to
	return eachPart(whole[0], whole[1], nil, func(l, r span) (bool, error) {
		part := make([]column.Column, len(columns))
		for i, c := range columns {
			part[i] = rowsOf(c, [2]span{l, r}[w.columns[i].side])
		}
		mark := w.m.Mark()
		values, err := w.algo.aggregate(w.m.Task, w.inputs([][]column.Column{part})[0], w.arguments(part))
		if err = errors.Join(err, w.m.Release(mark)); err != nil {
			return false, err
		}
		w.crossings.FromDevice.Add(int64(valueBytes * len(values)))
		w.aggs.merge(w.sum, values)
		return false, nil
	})
}
