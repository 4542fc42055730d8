package expr

import (
	"fmt"

	"gsql/sql/types"
)

// WindowFn names a window function.
type WindowFn uint8

// The window functions. WindowAgg is an aggregate over a frame.
const (
	RowNumber WindowFn = iota
	Rank
	DenseRank
	PercentRank
	CumeDist
	Ntile
	Lag
	Lead
	FirstValue
	LastValue
	NthValue
	WindowAgg
)

var windowNames = [...]string{
	RowNumber: "ROW_NUMBER", Rank: "RANK", DenseRank: "DENSE_RANK", PercentRank: "PERCENT_RANK", CumeDist: "CUME_DIST", Ntile: "NTILE",
	Lag: "LAG", Lead: "LEAD", FirstValue: "FIRST_VALUE", LastValue: "LAST_VALUE", NthValue: "NTH_VALUE", WindowAgg: "aggregate",
}

// String returns the function's SQL name.
func (f WindowFn) String() string { return windowNames[f] }

// WindowFunc is a function of a Window node. A window's partition and order belong to
// the node, the frame to the function.
type WindowFunc struct {
	Fn    WindowFn
	Agg   AggFn  // WindowAgg
	Args  []Expr // the value; none for rankings and COUNT(*)
	N     int64  // NTILE: buckets; LAG, LEAD: rows away; NTH_VALUE: which row, from 1
	Frame *Frame // WindowAgg, FirstValue, LastValue and NthValue; nil for the others
	T     types.Type
}

// FrameUnit is the unit in which a frame's bounds are given.
type FrameUnit uint8

// The units of frames.
const (
	Rows   FrameUnit = iota // rows
	Range                   // differences of the order key
	Groups                  // groups of peers, rows that are equal in all order keys
)

// BoundKind is the form of a frame bound.
type BoundKind uint8

// The kinds of bounds. A bound at the current row includes all peers of that row, except in ROWS
// frames.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Frame is the part of a row's partition that a function reads.
type Frame struct {
	Unit       FrameUnit
	Start, End Bound
	Key        Expr // Range with offsets: the one order key, of the type of the bounds' values
	Desc       bool // Range with offsets: that key's direction
}

// Bound is one end of a frame.
type Bound struct {
	Kind BoundKind
	N    int64 // Rows, Groups: how many away
	// Value is, for Range, the key's value at the bound, computed for each row. If it is NULL and
	// the key is not, the bound lies beyond all keys in its direction.
	Value Expr
}

// NewWindowFunc returns a function other than an aggregate. args contains its value, if it takes
// one.
func NewWindowFunc(fn WindowFn, n int64, args ...Expr) *WindowFunc {
	f := &WindowFunc{Fn: fn, N: n, Args: args}
	switch fn {
	case PercentRank, CumeDist:
		f.T = types.T(types.Float64)
	case RowNumber, Rank, DenseRank, Ntile:
		f.T = types.T(types.Uint64)
	default:
		args[0] = Shown(args[0])
		f.T = args[0].Type()
	}
	return f
}

// NewWindowAgg returns an aggregate over frames, with the same types as NewAgg and NewAverage.
//
// Errors: 1582 (argument count).
func NewWindowAgg(fn AggFn, args []Expr, increment int) (*WindowFunc, error) {
	args = append([]Expr(nil), args...)
	shownArguments(args)
	a, err := NewAgg(fn, args, false)
	if fn.Averages() {
		a, err = NewAverage(fn, args, false, increment)
	}
	if err != nil {
		return nil, err
	}
	return &WindowFunc{Fn: WindowAgg, Agg: fn, Args: a.Args, T: a.T.Shown()}, nil
}

// Framed reports whether the function reads a frame instead of its whole partition.
func (f *WindowFunc) Framed() bool {
	return f.Fn == WindowAgg || f.Fn == FirstValue || f.Fn == LastValue || f.Fn == NthValue
}

// NeverNull reports whether the function never returns NULL.
func (f *WindowFunc) NeverNull() bool {
	switch f.Fn {
	case RowNumber, Rank, DenseRank, PercentRank, CumeDist, Ntile:
		return true
	case WindowAgg:
		switch f.Agg {
		case CountStar, Count, BitAnd, BitOr, BitXor:
			return true
		}
	}
	return false
}

// Exprs calls f for the expressions of the function.
func (f *WindowFunc) Exprs(visit func(Expr)) {
	for _, a := range f.Args {
		visit(a)
	}
	if f.Frame == nil {
		return
	}
	for _, e := range []Expr{f.Frame.Key, f.Frame.Start.Value, f.Frame.End.Value} {
		if e != nil {
			visit(e)
		}
	}
}

// Map rebuilds the function with change applied to each of its expressions. It returns f itself if
// nothing changed.
func (f *WindowFunc) Map(change func(Expr) Expr) *WindowFunc {
	out := *f
	changed := false
	apply := func(e Expr) Expr {
		if e == nil {
			return nil
		}
		m := change(e)
		changed = changed || m != e
		return m
	}
	out.Args = make([]Expr, len(f.Args))
	for i, a := range f.Args {
		out.Args[i] = apply(a)
	}
	if f.Frame != nil {
		frame := *f.Frame
		frame.Key, frame.Start.Value, frame.End.Value = apply(frame.Key), apply(frame.Start.Value), apply(frame.End.Value)
		out.Frame = &frame
	}
	if !changed {
		return f
	}
	return &out
}

// EqualWindowFuncs reports whether two functions of one window are the same.
func EqualWindowFuncs(a, b *WindowFunc) bool {
	return a.Fn == b.Fn && a.Agg == b.Agg && a.N == b.N && equalLists(a.Args, b.Args) && EqualFrames(a.Frame, b.Frame)
}

// EqualFrames reports whether two frames of one window, which may be nil, are the same.
func EqualFrames(a, b *Frame) bool {
	if a == nil || b == nil {
		return a == b
	}
	same := func(x, y Expr) bool { return (x == nil) == (y == nil) && (x == nil || Equal(x, y)) }
	return a.Unit == b.Unit && a.Desc == b.Desc && same(a.Key, b.Key) &&
		a.Start.Kind == b.Start.Kind && a.Start.N == b.Start.N && same(a.Start.Value, b.Start.Value) &&
		a.End.Kind == b.End.Kind && a.End.N == b.End.N && same(a.End.Value, b.End.Value)
}

// String writes the function as EXPLAIN shows it, without its frame.
func (f *WindowFunc) String() string {
	switch f.Fn {
	case WindowAgg:
		return (&Agg{Fn: f.Agg, Args: f.Args}).String()
	case Ntile:
		return fmt.Sprintf("%s(%d)", f.Fn, f.N)
	case Lag, Lead, NthValue:
		return fmt.Sprintf("%s(%s, %d)", f.Fn, list(f.Args), f.N)
	}
	return fmt.Sprintf("%s(%s)", f.Fn, list(f.Args))
}

// String writes the frame as SQL does, with the values of RANGE bounds.
func (f *Frame) String() string {
	unit := [...]string{Rows: "ROWS", Range: "RANGE", Groups: "GROUPS"}[f.Unit]
	return fmt.Sprintf("%s BETWEEN %s AND %s", unit, f.Start, f.End)
}

// String writes the bound.
func (b Bound) String() string {
	kind := [...]string{"UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING"}[b.Kind]
	if b.Kind != Preceding && b.Kind != Following {
		return kind
	}
	if b.Value != nil {
		return b.Value.String() + " " + kind
	}
	return fmt.Sprintf("%d %s", b.N, kind)
}
