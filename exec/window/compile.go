package window

import (
	"gsql/planner/physical"
	"gsql/sql/eval"
	"gsql/sql/expr"
)

// spec describes a window: its functions share partitions, peers and frames.
type spec struct {
	partition, order int // number of leading keys that are equal within a partition, and within a group of peers
	frames           []*frame
	funcs            []*function
	groups           bool // a function or frame needs the groups of peers
}

// function is one window function.
type function struct {
	*expr.WindowFunc
	arg   int // collected column, or -1
	frame int // in spec.frames, or -1
	out   int // in Operator.out
}

// frame is a frame clause. The columns of RANGE bounds are collected columns, or -1.
type frame struct {
	*expr.Frame
	key, start, end int
}

// compiler finds or creates the collected columns that expressions need.
type compiler struct {
	o   *Operator
	ids []expr.ColID
	at  map[expr.ColID]int
}

// column returns the collected column that holds e, which it creates if necessary.
func (c *compiler) column(e expr.Expr) (int, error) {
	if col, ok := e.(*expr.Col); ok {
		if i, ok := c.at[col.ID]; ok {
			return i, nil
		}
	}
	o := c.o
	for i, have := range o.computed {
		if expr.Equal(have, e) && !expr.Volatile(e) {
			return o.width + i, nil
		}
	}
	p, err := eval.Compile(e, c.ids)
	if err != nil {
		return 0, err
	}
	o.programs, o.computed = append(o.programs, p), append(o.computed, e)
	o.types = append(o.types, e.Type())
	return len(o.types) - 1, nil
}

// optional is column for an expression that may be nil, for which it returns -1.
func (c *compiler) optional(e expr.Expr) (int, error) {
	if e == nil {
		return -1, nil
	}
	return c.column(e)
}

// function adds a function to its window.
func (c *compiler) function(out int, f *physical.WindowFunc) (err error) {
	s := c.spec(f.Partition, f.Order)
	fn := &function{WindowFunc: f.WindowFunc, out: out, arg: -1, frame: -1}
	if len(f.Args) > 0 {
		if fn.arg, err = c.column(f.Args[0]); err != nil {
			return err
		}
	}
	if f.Frame != nil {
		if fn.frame, err = c.frame(s, f.Frame); err != nil {
			return err
		}
	}
	switch f.Fn {
	case expr.Rank, expr.DenseRank, expr.PercentRank, expr.CumeDist:
		s.groups = true
	}
	s.funcs = append(s.funcs, fn)
	return nil
}

func (c *compiler) spec(partition, order int) *spec {
	for _, s := range c.o.specs {
		if s.partition == partition && s.order == order {
			return s
		}
	}
	s := &spec{partition: partition, order: order}
	c.o.specs = append(c.o.specs, s)
	return s
}

// frame returns the number of a frame in s, which it adds if necessary.
func (c *compiler) frame(s *spec, f *expr.Frame) (int, error) {
	for i, have := range s.frames {
		if expr.EqualFrames(have.Frame, f) {
			return i, nil
		}
	}
	out := &frame{Frame: f}
	var err error
	for _, b := range []struct {
		e  expr.Expr
		to *int
	}{{f.Key, &out.key}, {f.Start.Value, &out.start}, {f.End.Value, &out.end}} {
		if *b.to, err = c.optional(b.e); err != nil {
			return 0, err
		}
	}
	s.frames = append(s.frames, out)
	s.groups = s.groups || f.Unit != expr.Rows
	return len(s.frames) - 1, nil
}
