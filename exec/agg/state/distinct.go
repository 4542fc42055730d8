package state

import (
	"gsql/exec/agg/keytable"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// distinct passes each distinct combination of arguments of a group once to an inner state. It
// keeps them in a table keyed by group and arguments, and runs the inner state at the end, after
// the sets of all workers have been merged.
type distinct struct {
	inner   State
	set     *keytable.Table
	account *mem.Account
	diskRows
	n       int // groups
	byGroup ByGroup
	idx     []int32
	found   []int32
	keys    []*vec.Vector
	scratch []*vec.Vector
}

var groupType = types.T(types.Int64)

func newDistinct(ts []types.Type, inner State, account *mem.Account, files *Files) State {
	keys := append([]types.Type{groupType}, ts...)
	d := &distinct{inner: inner, account: account, diskRows: diskRows{types: keys, files: files}}
	d.set = d.newSet()
	if k, ok := inner.(Keeper); ok {
		k.Join(&Held{}) // separate from d, which feeds it
	}
	d.keys = make([]*vec.Vector, 1+len(ts))
	d.keys[0] = vec.NewFlat(groupType, 0)
	for _, t := range ts {
		d.scratch = append(d.scratch, &vec.Vector{Type: t})
	}
	return d
}

func (d *distinct) newSet() *keytable.Table {
	set := keytable.New(d.types, d.account)
	set.Stop = d.files.Ctx.Err
	return set
}

func (d *distinct) Grow(n int) error {
	d.byGroup.forget()
	d.n = n
	return nil
}

func (d *distinct) Update(gids []int32, n int, args []*vec.Vector) error {
	d.idx = d.idx[:0]
	for i := range n {
		if !anyNull(args, i) {
			d.idx = append(d.idx, int32(i))
		}
	}
	d.keys[0].Resize(len(d.idx))
	for i, row := range d.idx {
		d.keys[0].I64[i] = int64(group(gids, int(row)))
	}
	return d.insert(args, n)
}

// UpdateTimes implements TimesState. It does not depend on the numbers of rows.
func (d *distinct) UpdateTimes(gids []int32, n int, args []*vec.Vector, _ []int32) error {
	return d.Update(gids, n, args)
}

// insert adds rows d.idx of cols, whose groups are in d.keys[0].
func (d *distinct) insert(cols []*vec.Vector, n int) error {
	if len(d.idx) == 0 {
		return nil
	}
	d.byGroup.forget()
	if len(d.idx) < n {
		cols = vec.Select(&vec.Batch{Cols: cols, N: n}, d.idx).Cols
	}
	for i, c := range cols {
		d.keys[1+i] = c.Flatten(d.scratch[i])
	}
	if cap(d.found) < len(d.idx) {
		d.found = make([]int32, len(d.idx))
	}
	err := d.find(len(d.idx))
	for _, v := range d.scratch {
		v.DropTexts()
	}
	return err
}

func (d *distinct) Merge(src State, from, to []int32) error {
	o := src.(*distinct)
	d.absorb(&o.diskRows, o.n, from, to)
	o.byGroup.Build(o.n, func(yield func(row, g int32)) {
		for i, g := range o.set.Keys[0].I64 {
			yield(int32(i), int32(g))
		}
	})
	cols, total := o.set.Keys[1:], o.set.Groups
	at := 0 // rows of group from[i] already merged
	for i := 0; i < len(from); {
		if err := d.files.Ctx.Err(); err != nil {
			return err
		}
		d.idx = d.idx[:0]
		gids := d.keys[0].I64[:0]
		for i < len(from) && len(d.idx) < vec.BatchSize {
			rows := o.byGroup.Of(from[i])[at:]
			n := min(len(rows), vec.BatchSize-len(d.idx))
			for _, row := range rows[:n] {
				d.idx = append(d.idx, row)
				gids = append(gids, int64(to[i]))
			}
			if at += n; n == len(rows) {
				i, at = i+1, 0
			}
		}
		d.keys[0].I64, d.keys[0].N = gids, len(gids)
		// If the lengths were equal, insert would take all rows in their own order.
		if err := d.insert(cols, total+1); err != nil {
			return err
		}
	}
	return nil
}

func (d *distinct) Finish(ctx *op.Ctx) error {
	if err := d.inner.Grow(d.n); err != nil {
		return err
	}
	give := d.feed
	if len(d.sources) > 0 {
		give = d.readBack
	}
	if err := give(ctx); err != nil {
		return err
	}
	d.clear()
	return d.inner.Finish(ctx)
}

// feed passes the rows of the set to the inner state.
func (d *distinct) feed(ctx *op.Ctx) error {
	gids := make([]int32, vec.BatchSize)
	args := make([]*vec.Vector, len(d.scratch))
	for lo := 0; lo < d.set.Groups; lo += vec.BatchSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+vec.BatchSize, d.set.Groups)
		for i, g := range d.set.Keys[0].I64[lo:hi] {
			gids[i] = int32(g)
		}
		for i := range args {
			args[i] = d.set.Keys[1+i].Slice(lo, hi)
		}
		if err := d.inner.Update(gids[:hi-lo], hi-lo, args); err != nil {
			return err
		}
	}
	return nil
}

func (d *distinct) Result(lo, hi int, dst *vec.Vector) error { return d.inner.Result(lo, hi, dst) }

func (d *distinct) Free() {
	d.inner.Free()
	d.set.Free()
}
