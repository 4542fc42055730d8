package operators

import (
	"errors"
	"time"

	"gsql/exec"
	"gsql/exec/join/input"
	"gsql/exec/op"
	"gsql/gpu/column"
	gpujoin "gsql/gpu/join"
	"gsql/gpu/operators/partitioned"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// divided is an aggregate over a join whose inputs the host divides into partitions. Devices join one partition
// after another, each of them the next one that no other has taken.
type divided struct {
	*spread
	bits  uint
	sides [2]*partitioned.Side
	at    [2][]int // the columns of each side, as places in spread.columns
}

// runDivided computes the aggregates on some devices, from inputs that are divided by so many bits.
func (a *aggregate) runDivided(devices []physical.Device, bits uint) (values []gpujoin.Value, err error) {
	engines, err := enginesOf(devices)
	if err != nil {
		return nil, err
	}
	err = withWidths(func(wide bool) error {
		if wide { // what was read is not complete
			if err := a.restart(); err != nil {
				return &inputError{err}
			}
		}
		s := &spread{aggregate: a, engines: engines, wide: wide, noted: exec.Spread{Sent: make([]int64, len(engines))}, rows: make([]int64, len(engines))}
		if err := s.list(); err != nil {
			return err
		}
		d := &divided{spread: s, bits: bits}
		defer d.free()
		if err := d.read(); err != nil {
			return err
		}
		if d.sides[0].Total() == 0 || d.sides[1].Total() == 0 {
			values = a.aggs.empty()
			return nil
		}
		values, err = d.compute()
		return err
	})
	return values, err
}

func (d *divided) free() {
	d.sides[0].Free()
	d.sides[1].Free()
}

// read divides both inputs.
func (d *divided) read() error {
	begin := time.Now()
	defer func() { d.crossings.Divided.Add(int64(time.Since(begin))) }()
	for i := range d.sides {
		columns, exprs := d.columnsOf(i)
		var err error
		rows := int64(d.spread.sides[i].node.Est.Rows) / int64(max(d.ctx.Workers, 1))
		if d.sides[i], err = partitioned.NewSide(columns, d.bits, rows, d.acct); err != nil {
			return err
		}
		if err := d.divide(d.spread.sides[i], d.sides[i], exprs); err != nil {
			return err
		}
	}
	return nil
}

// columnsOf lists the columns of a side.
func (d *divided) columnsOf(side int) (columns []partitioned.Column, exprs []expr.Expr) {
	keys := map[int]bool{}
	for _, c := range d.conds {
		keys[c[side]] = true
	}
	for i, c := range d.columns {
		if c.side == side {
			d.at[side] = append(d.at[side], i)
			columns = append(columns, partitioned.Column{Format: c.format, Key: keys[i], Bounded: keys[i] && len(d.conds) > 1, Name: c.o.expr.String()})
			exprs = append(exprs, c.o.expr)
		}
	}
	return columns, exprs
}

// divide reads an input to its end with all workers.
func (d *divided) divide(from *side, to *partitioned.Side, exprs []expr.Expr) error {
	spec, err := input.NewSpec(from.node.Cols, nil, exprs)
	if err != nil {
		return err
	}
	from.opened = true
	if err := from.in.Open(d.ctx); err != nil {
		return &inputError{err}
	}
	return op.Drain(d.ctx, from.in, func(_ int, stream op.Stream) error {
		w, err := to.NewWriter()
		if err != nil {
			return err
		}
		err = d.write(w, spec, stream)
		return errors.Join(err, w.Close(err != nil))
	})
}

// write passes the rows of a stream to a writer.
func (d *divided) write(w *partitioned.Writer, spec *input.Spec, stream op.Stream) error {
	r := spec.NewReader(d.ctx)
	defer r.Free()
	for {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		b, err := stream.Next()
		if err != nil {
			return &inputError{err}
		}
		if b == nil {
			return nil
		}
		values, err := r.Read(b)
		if err != nil {
			return &inputError{err}
		}
		if err := w.Add(values.Keys); err != nil {
			return err
		}
	}
}

// form returns a column of a side without an address: Valid only says whether there are NULLs.
func (d *divided) form(side, i int) column.Column {
	f := d.columns[d.at[side][i]].format
	c := column.Column{Kind: f.Kind, Flipped: f.Flipped}
	if found := d.sides[side].Found(i); f.Kind != column.F64 {
		if c.Bounded = true; !found.Bounds.Empty() {
			c.Min, c.Max = found.Bounds.Min, found.Bounds.Max
		}
	}
	if d.sides[side].HasNulls(i) {
		c.Valid = 1
	}
	return c
}
