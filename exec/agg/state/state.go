// Package state has the aggregate functions: what each keeps of the rows of all groups, as arrays over
// group numbers, how it takes batches, merges and returns results, and how functions that keep rows move
// them to disk. It knows no operator: groups have numbers, and whoever drives the states finds them.
package state

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// State is one aggregate of all groups of a table, as arrays over group numbers.
type State interface {
	// Grow makes room for groups up to n, which start empty.
	Grow(n int) error
	// Update adds n rows of flat arguments: row i to group gids[i], or all to group 0
	// where gids is nil. Every group up to the last grow that has not been updated yet
	// gets a row. An update, or a merge, that lacks memory has done nothing that would count
	// twice when it is run again; a Keeper's lacks none where rows can go to disk.
	Update(gids []int32, n int, args []*vec.Vector) error
	// Merge adds group from[i] of src, which is of the same type, to group to[i]. src may
	// be read by several goroutines.
	Merge(src State, from, to []int32) error
	// Finish is called once, after the last update or merge.
	Finish(ctx *op.Ctx) error
	// Result writes groups [lo, hi) to the flat vector dst. Safe for concurrent use.
	Result(lo, hi int, dst *vec.Vector) error
	// Free returns the memory.
	Free()
}

// TimesState is a state that takes equal rows together.
type TimesState interface {
	State
	// UpdateTimes is Update for n rows each of which stands for times[i] rows like it, one
	// behind the other.
	UpdateTimes(gids []int32, n int, args []*vec.Vector, times []int32) error
}

// RunState is a state that takes rows of a group together.
type RunState interface {
	State
	// UpdateRuns is Update for rows in runs of one group: those up to ends[i] belong to group
	// gids[i]. No argument has NULLs.
	UpdateRuns(gids, ends []int32, args []*vec.Vector) error
}

// Aggregate is an aggregate and the types of what it reads.
type Aggregate struct {
	*expr.Agg
	Types []types.Type // of the arguments, then of the keys of GROUP_CONCAT's ORDER BY
}

// New makes the state of an aggregate.
func New(a Aggregate, account *mem.Account, ctx *kernel.Ctx, files *Files) (State, error) {
	if a.Fn.Gathers() {
		return newConcat(a, account, ctx, files), nil
	}
	kind := types.KindNull
	if len(a.Types) > 0 {
		kind = a.Types[0].Kind()
	}
	distinct := a.Distinct && a.Fn != expr.Min && a.Fn != expr.Max && a.Fn != expr.First
	s, err := newPlain(a, kind, account, files, distinct)
	if err != nil || !distinct {
		return s, err
	}
	return newDistinct(a.Types, s, account, files), nil
}

// newPlain makes the state that sees every row; sparse states may leave groups without
// any.
func newPlain(a Aggregate, kind types.Kind, account *mem.Account, files *Files, sparse bool) (State, error) {
	seen := validity{account: account, sparse: sparse}
	switch a.Fn {
	case expr.CountStar, expr.Count:
		return &count{account: account}, nil
	case expr.Sum:
		return newSum(a, kind, seen)
	case expr.Avg:
		s, err := newSum(a, kind, seen)
		return &average{sum: s, count: count{account: account}}, err
	case expr.Median:
		seen.sparse = true
		return newMedian(a, kind, seen, files)
	case expr.Min, expr.Max:
		return newExtreme(a.Fn == expr.Max, kind, seen)
	case expr.StddevPop, expr.StddevSamp, expr.VarPop, expr.VarSamp:
		return &variance{fn: a.Fn, account: account, kind: kind, scale: scaleOf(a)}, nil
	case expr.BitAnd, expr.BitOr, expr.BitXor:
		return &bitwise{fn: a.Fn, account: account}, nil
	case expr.First:
		return newFirst(a.Types[0], account), nil
	}
	return nil, sqlerr.Internal("aggregate %s has no state", a.Fn)
}

func scaleOf(a Aggregate) int32 { return int32(a.Types[0].Scale) }

// validity remembers which groups have seen a value. As long as no NULL was met and
// every group gets rows, all have.
type validity struct {
	account *mem.Account
	sparse  bool // groups may be left without rows
	any     bool // some row was met
	known   int  // groups at the last update
	n       int
	flags   *mem.Buffer[bool]
}

func (v *validity) grow(n int) error {
	v.n = n
	if v.sparse || v.flags != nil {
		return mem.Room(v.account, &v.flags, n)
	}
	return nil
}

// update notes a batch of rows and reports whether the caller must look at null.
func (v *validity) update(gids []int32, n int, null []bool) error {
	if null == nil && v.flags == nil {
		v.any, v.known = true, v.n
		return nil
	}
	if err := v.track(); err != nil {
		return err
	}
	v.any, v.known = true, v.n
	flags := v.flags.S
	switch {
	case gids == nil:
		for i := range n {
			if null == nil || !null[i] {
				flags[0] = true
				break
			}
		}
	case null == nil:
		for _, g := range gids {
			flags[g] = true
		}
	default:
		for i, g := range gids {
			if !null[i] {
				flags[g] = true
			}
		}
	}
	return nil
}

// track starts the flags: what was known until now had values.
func (v *validity) track() error {
	if v.flags != nil {
		return nil
	}
	if err := mem.Room(v.account, &v.flags, v.n); err != nil {
		return err
	}
	if v.any {
		for i := range v.flags.S[:v.known] {
			v.flags.S[i] = true
		}
	}
	return nil
}

func (v *validity) merge(src *validity, from, to []int32) error {
	if src.flags == nil && src.any && v.flags == nil {
		v.any, v.known = true, v.n
		return nil
	}
	if err := v.track(); err != nil {
		return err
	}
	v.any, v.known = true, v.n
	for i, g := range from {
		if src.has(int(g)) {
			v.flags.S[to[i]] = true
		}
	}
	return nil
}

// has reports whether group g has seen a value.
func (v *validity) has(g int) bool {
	if v.flags == nil {
		return v.any
	}
	return v.flags.S[g]
}

// result marks the groups without values as NULL.
func (v *validity) result(lo, hi int, dst *vec.Vector) {
	if v.flags == nil && v.any {
		return
	}
	for g := lo; g < hi; g++ {
		if !v.has(g) {
			dst.SetNull(g - lo)
		}
	}
}

func (v *validity) free() { v.flags.Free() }
