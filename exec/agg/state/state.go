// Package state implements the aggregate functions: what each keeps of the rows of all groups, as
// arrays over group numbers, how it adds batches, merges and returns results, and how functions
// that keep rows spill them. It does not depend on any operator: the caller assigns rows to group
// numbers.
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
	// Grow makes space for groups up to n, which start empty.
	Grow(n int) error
	// Update adds n rows of flat arguments: row i to group gids[i], or all rows to group 0 if
	// gids is nil. Every group up to the last Grow that has not been updated yet gets a row. If
	// an update or a merge fails for lack of memory, running it again must not count anything
	// twice. A Keeper does not fail if rows can spill.
	Update(gids []int32, n int, args []*vec.Vector) error
	// Merge adds group from[i] of src, which has the same type, to group to[i]. Several
	// goroutines may read src.
	Merge(src State, from, to []int32) error
	// Finish is called once, after the last update or merge.
	Finish(ctx *op.Ctx) error
	// Result writes groups [lo, hi) to the flat vector dst. It is safe for concurrent use.
	Result(lo, hi int, dst *vec.Vector) error
	// Free releases the memory.
	Free()
}

// TimesState is a state that adds equal rows at once.
type TimesState interface {
	State
	// UpdateTimes is Update for n rows, each of which stands for times[i] equal rows in sequence.
	UpdateTimes(gids []int32, n int, args []*vec.Vector, times []int32) error
}

// RunState is a state that adds consecutive rows of a group at once.
type RunState interface {
	State
	// UpdateRuns is Update for runs of rows of one group each: those up to ends[i] belong to
	// group gids[i]. No argument has NULLs.
	UpdateRuns(gids, ends []int32, args []*vec.Vector) error
}

// Aggregate is an aggregate and the types of its inputs.
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

// newPlain makes a state that is updated with every row. Sparse states may have groups without
// rows.
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

// validity records which groups have a value. Until the first NULL, all groups have one, provided
// that every group gets rows.
type validity struct {
	account *mem.Account
	sparse  bool // groups may have no rows
	any     bool // there has been a row
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

// update records the values of a batch of rows.
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

// track creates the flags: all groups known so far have values.
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

// has reports whether group g has a value.
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
