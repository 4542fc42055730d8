package agg

import (
	"slices"

	"gsql/exec/agg/keytable"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// ascending numbers groups without lookups as long as the only key, an integer, never decreases from
// row to row, as in a table that is clustered by it. The keys of the worker's table then ascend and
// need no index: the table is bare.
type ascending struct {
	on    bool
	flat  vec.Vector  // memory of key
	key   *vec.Vector // the batch's keys, flat
	fresh []int32     // rows that begin a group
}

// barePart is the part of the memory within reach that must be left for a table to stay bare, since
// its index takes a multiple of what the table holds.
const barePart = 7.0 / 8

func canAscend(ts []types.Type) bool {
	return len(ts) == 1 && ts[0].Kind() == types.KindI64
}

// findGroups sets l.gids to the groups of keys.
func (l *local) findGroups(keys []*vec.Vector) error {
	if l.asc.on {
		if l.asc.find(l.table, keys[0], l.gids) {
			return l.table.AddAscending(l.asc.key, len(l.gids), l.asc.fresh)
		}
		if err := l.leaveOrder(); err != nil {
			return err
		}
	}
	return l.direct.Find(l.table, keys, l.gids)
}

// leaveOrder builds an index over the table's groups and ends the ascending mode.
func (l *local) leaveOrder() error {
	l.asc.on = false
	return l.table.Index()
}

// find computes the groups of rows and records which rows begin new ones. It returns false if the
// keys do not ascend.
func (a *ascending) find(t *keytable.Table, k *vec.Vector, gids []int32) bool {
	v := k.Flatten(&a.flat)
	xs := v.I64[:len(gids)]
	g, last := int32(t.Groups)-1, xs[0]
	if t.Groups > 0 {
		last = t.Keys[0].I64[t.Groups-1]
	}
	if v.Null != nil || xs[0] < last || !slices.IsSorted(xs) {
		return false
	}
	a.key, a.fresh = v, a.fresh[:0]
	if t.Groups == 0 {
		a.fresh = append(a.fresh, 0)
		g = 0
	}
	for i, x := range xs {
		if x != last {
			a.fresh = append(a.fresh, int32(i))
			last = x
			g++
		}
		gids[i] = g
	}
	return true
}

// mergeAscending merges groups of different workers that have equal keys, which occur where
// morsels meet. All tables are bare. Groups that were added to another one are omitted from the
// result.
func (o *Operator) mergeAscending() error {
	for j, src := range o.parts {
		dead := make(map[int32]bool)
		for _, dst := range o.parts[:j] {
			if err := o.ctx.Err(); err != nil {
				return err
			}
			from, to := common(src.table.AscendingKeys(), dst.table.AscendingKeys(), dead)
			for i, s := range dst.states {
				if err := s.Merge(src.states[i], from, to); err != nil {
					return err
				}
			}
			for _, g := range from {
				dead[g] = true
				src.dead = append(src.dead, g)
			}
		}
		slices.Sort(src.dead)
	}
	return nil
}

// common returns the positions of the keys that occur in two ascending lists, except dead ones of
// a.
func common(a, b []int64, dead map[int32]bool) (inA, inB []int32) {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			i = leap(a, i, b[j])
		case a[i] > b[j]:
			j = leap(b, j, a[i])
		default:
			if !dead[int32(i)] {
				inA, inB = append(inA, int32(i)), append(inB, int32(j))
			}
			i++
			j++
		}
	}
	return inA, inB
}

// leap returns the first position after at whose key is not less than x. Lists of alternating
// morsels have long runs, which it skips quickly.
func leap(keys []int64, at int, x int64) int {
	step := 1
	for at+step < len(keys) && keys[at+step] < x {
		at += step
		step *= 2
	}
	n, _ := slices.BinarySearch(keys[at+1:min(at+step, len(keys))], x)
	return at + 1 + n
}

// chunksOf cuts the groups of p that are not dead into runs of up to rows.
func chunksOf(p *groups, rows int) (out []chunk) {
	lo := 0
	for _, d := range append(p.dead[:len(p.dead):len(p.dead)], int32(p.n)) {
		for ; lo < int(d); lo += rows {
			out = append(out, chunk{p, lo, min(lo+rows, int(d))})
		}
		lo = int(d) + 1
	}
	return out
}
