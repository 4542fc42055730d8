package theta

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
)

// owners is a strip of the owning side: rows from number first on, with their intervals of all axes
// one after another, and one byte per row that is 0 if the row matches nothing.
type owners struct {
	first, rows        int64
	lows, highs, keeps gpu.Ptr
}

// others is a strip of the other side without its NULL rows: words of all axes, stride apart, and
// the rows' numbers in the strip, or 0 if no row was dropped.
type others struct {
	first, rows, stride int64
	words, numbers      gpu.Ptr
}

// leastStrip is the shortest strip; longestOther limits how long launches over a strip run.
const (
	leastStrip   = 2048
	longestOther = 1 << 24
)

// cellBytes returns the memory that a cell of the join matrix takes, for the given rows of each
// side.
type cellBytes func(p *plan, nOwner, nOther int64) int64

// strips cuts the join matrix into cells that fit the free memory according to bytes, and calls
// cell for each. Each cell may use all of that memory.
func (p *plan) strips(t *engine.Task, bytes cellBytes, cell func(*engine.Task, *plan, owners, others) error) error {
	nOwner, nOther := p.nOwner, min(p.nOther, longestOther)
	for bytes(p, nOwner, nOther) > t.Free() && max(nOwner, nOther) > leastStrip {
		if nOwner >= nOther {
			nOwner = halved(nOwner)
		} else {
			nOther = halved(nOther)
		}
	}
	for from := int64(0); from < p.nOther; from += nOther {
		err := within(t, func() error {
			other, err := p.others(t, from, min(nOther, p.nOther-from))
			for row := int64(0); err == nil && row < p.nOwner && other.rows > 0; row += nOwner {
				err = within(t, func() error {
					owner, err := p.owners(t, row, min(nOwner, p.nOwner-row))
					if err != nil {
						return err
					}
					return cell(t, p, owner, other)
				})
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// halved keeps strips multiples of leastStrip.
func halved(n int64) int64 { return (n/2 + leastStrip - 1) / leastStrip * leastStrip }

// within releases what f allocates, for work that is queued later.
func within(t *engine.Task, f func() error) error {
	m := t.Mark()
	return errors.Join(f(), t.Release(m))
}

// alloc fills ps with allocations of the given bytes each.
func alloc(t *engine.Task, bytes int64, ps ...*gpu.Ptr) (err error) {
	for _, p := range ps {
		if *p, err = t.Alloc(bytes); err != nil {
			return err
		}
	}
	return nil
}

func (p *plan) ownerBytes(rows int64) int64 {
	return 2*padded(p.columns()*rows*p.width()) + padded(rows)
}

// owners computes the intervals of rows of the owning side.
func (p *plan) owners(t *engine.Task, first, rows int64) (owners, error) {
	o := owners{first: first, rows: rows}
	stride := rows * p.width()
	bytes := p.columns() * stride
	err := alloc(t, bytes, &o.lows, &o.highs)
	if err == nil {
		err = alloc(t, rows, &o.keeps)
	}
	if err == nil {
		err = errors.Join(t.Fill(o.lows, 0, bytes), t.Fill(o.highs, 0xFF, bytes), t.Fill(o.keeps, 1, rows))
	}
	for i := range p.axes {
		x, at := &p.axes[i], gpu.Ptr(int64(i)*stride)
		for _, a := range x.asks {
			if err != nil {
				return o, err
			}
			values, valid := slice(a.owner, first)
			err = t.Launch("gsql_theta_intervals", p.kinds(a.owner), rows, false, values, valid, uint64(rows), uint64(a.op),
				uint64(x.base), uint64(x.top), x.order(), uint64(o.lows+at), uint64(o.highs+at), uint64(o.keeps))
		}
	}
	return o, err
}

func (p *plan) otherBytes(rows int64) int64 {
	words := padded(p.columns() * rows * p.width())
	if !p.nulls {
		return words + padded(rows)
	}
	return 2*words + padded(rows) + padded(4*rows) + padded(8) + prim.SelectBytes(rows)
}

// others computes the words of rows of the other side. With NULLs it waits for the number of rows.
func (p *plan) others(t *engine.Task, first, rows int64) (others, error) {
	o := others{first: first, rows: rows, stride: rows}
	bytes := p.columns() * rows * p.width()
	if err := alloc(t, bytes, &o.words); err != nil {
		return o, err
	}
	if p.nulls {
		if err := alloc(t, 4*rows, &o.numbers); err != nil {
			return o, err
		}
	}
	err := within(t, func() error {
		var keeps gpu.Ptr
		if err := alloc(t, rows, &keeps); err != nil {
			return err
		}
		if !p.nulls {
			return p.fillWords(t, o, o.words, keeps)
		}
		var all gpu.Ptr
		err := alloc(t, bytes, &all)
		if err == nil {
			err = p.fillWords(t, o, all, keeps)
		}
		if err == nil {
			o.rows, err = p.compact(t, o, all, keeps)
		}
		return err
	})
	return o, err
}

// fillWords writes the words of the strip's rows and clears the flags of those with NULLs.
func (p *plan) fillWords(t *engine.Task, o others, words, keeps gpu.Ptr) error {
	err := t.Fill(keeps, 1, o.rows)
	if len(p.axes) == 0 && err == nil {
		err = t.Fill(words, 0, o.rows*p.width())
	}
	for i := range p.axes {
		if err != nil {
			return err
		}
		x, at := &p.axes[i], gpu.Ptr(int64(i)*o.stride*p.width())
		values, valid := slice(x.other, o.first)
		err = t.Launch("gsql_theta_words", p.kinds(x.other), o.rows, false, values, valid, uint64(o.rows),
			uint64(x.base), uint64(x.top), x.order(), uint64(words+at), uint64(keeps))
	}
	return err
}

// compact moves the words of the rows to keep together and returns the number of these rows.
func (p *plan) compact(t *engine.Task, o others, words, keeps gpu.Ptr) (int64, error) {
	var kept gpu.Ptr
	if err := alloc(t, 8, &kept); err != nil {
		return 0, err
	}
	for i := range p.axes {
		at := gpu.Ptr(int64(i) * o.stride * p.width())
		if err := prim.SelectValues(t, p.width(), words+at, keeps, o.words+at, o.rows, kept); err != nil {
			return 0, err
		}
	}
	if err := prim.SelectRows(t, keeps, o.numbers, o.rows, kept); err != nil {
		return 0, err
	}
	n, err := t.ReadWord(kept)
	return int64(n), err
}

// kinds returns the kernel type that converts a column to words.
func (p *plan) kinds(c column.Column) string { return c.Kind.Suffix() + p.words() }

// order returns the kernels' flag for a reversed axis.
func (x *axis) order() uint64 {
	if x.reversed {
		return 1
	}
	return 0
}

// slice returns the addresses of a column's values and flags from a row on.
func slice(c column.Column, first int64) (values, valid uint64) {
	values = uint64(c.Values) + uint64(first*c.Kind.Width())
	if c.Valid != 0 {
		valid = uint64(c.Valid) + uint64(first)
	}
	return values, valid
}
