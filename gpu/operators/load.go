package operators

import (
	"errors"

	"gsql/exec"
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
)

// span is a range of a side's rows.
type span struct{ from, to int64 }

func (s span) rows() int64 { return s.to - s.from }

// errUnread means that host values are required that have not been read.
var errUnread = errors.New("a column is not on the device and was not read")

// loader copies operands to the device for one task.
type loader struct {
	t       *engine.Task
	sides   [2]*exec.Crossings // records of uploads of the left and of the right side
	rows    [2]int64
	wide    bool // table columns take their types' widths, because statistics were wrong
	columns map[loaded]column.Column
}

// loaded is a column that this part of the work has already copied to the device.
type loaded struct {
	o *operand
	f column.Format
	s span
}

func newLoader(t *engine.Task, sides [2]*exec.Crossings, rows [2]int64, wide bool) *loader {
	return &loader{t: t, sides: sides, rows: rows, wide: wide, columns: map[loaded]column.Column{}}
}

// column returns rows of an operand of a side (0 left, 1 right) on the device. Whole columns of
// tables come from the cache.
func (l *loader) column(side int, o *operand, f column.Format, s span) (column.Column, error) {
	key := loaded{o, f, s}
	if c, ok := l.columns[key]; ok {
		return c, nil
	}
	upload := func() (column.Column, error) {
		if o.vec == nil {
			return column.Column{}, errUnread
		}
		if err := o.checkNaN(); err != nil {
			return column.Column{}, err
		}
		c, err := l.t.Upload(f, o.vec.Slice(int(s.from), int(s.to)))
		l.sides[side].ToDevice.Add(c.Bytes())
		return c, err
	}
	var c column.Column
	var err error
	if o.table != nil && (o.vec == nil || s == span{0, l.rows[side]}) {
		c, _, err = l.t.Cached(o.key(f), upload)
		if err == nil && o.vec == nil {
			c = rowsOf(c, s)
		}
	} else {
		c, err = upload()
	}
	if err == nil {
		l.columns[key] = c
	}
	return c, err
}

// rowsOf returns rows of a column.
func rowsOf(c column.Column, s span) column.Column {
	c.Values += gpu.Ptr(s.from * c.Kind.Width())
	if c.Valid != 0 {
		c.Valid += gpu.Ptr(s.from)
	}
	c.Rows = s.rows()
	return c
}

// input returns the join of rows of both sides.
func (l *loader) input(conds []condition, left, right span) (join.Input, error) {
	in := join.Input{Left: left.rows(), Right: right.rows()}
	for _, c := range conds {
		f, err := format(l.wide, c.left, c.right)
		if err != nil {
			return in, err
		}
		out := join.Condition{Op: c.op}
		if out.Left, err = l.column(0, c.left, f, left); err != nil {
			return in, err
		}
		if out.Right, err = l.column(1, c.right, f, right); err != nil {
			return in, err
		}
		in.Conditions = append(in.Conditions, out)
	}
	return in, nil
}
