// Package windowsort finds the sorts that several window functions share.
package windowsort

import (
	"cmp"
	"slices"

	"gsql/planner/logical"
	"gsql/sql/expr"
)

// Sort is an order of rows that several windows can use.
type Sort struct {
	blocks  []sortBlock
	Windows []*logical.Window
}

// sortBlock is either one key with its direction, or a set of keys whose order is not decided
// yet, such as those of a PARTITION BY.
type sortBlock struct {
	keys  []expr.SortKey
	fixed bool
}

// Share assigns windows to sorts, those with the most keys first. A window uses an existing sort
// if its partition keys are the first keys of the sort, in any order, and its order keys follow
// them. The sort with the most keys comes last: its order is that of the output.
func Share(windows []*logical.Window) []*Sort {
	byKeys := slices.Clone(windows)
	slices.SortStableFunc(byKeys, func(a, b *logical.Window) int { return cmp.Compare(keyCount(b), keyCount(a)) })
	var sorts []*Sort
	for _, w := range byKeys {
		if !slices.ContainsFunc(sorts, func(s *Sort) bool { return s.fit(w) }) {
			s := &Sort{}
			s.fit(w)
			sorts = append(sorts, s)
		}
	}
	slices.Reverse(sorts)
	return sorts
}

func keyCount(w *logical.Window) int { return len(w.Partition) + len(w.Order) }

// partitionKeys returns the partition keys without duplicates and constants.
func partitionKeys(w *logical.Window) []expr.SortKey {
	var keys []expr.SortKey
	for _, e := range w.Partition {
		keys = addKey(keys, expr.SortKey{Expr: e})
	}
	return keys
}

// orderKeys returns the order keys that can differ within a partition.
func orderKeys(w *logical.Window) []expr.SortKey {
	partition := partitionKeys(w)
	keys := slices.Clone(partition)
	for _, k := range w.Order {
		keys = addKey(keys, k)
	}
	return keys[len(partition):]
}

func addKey(keys []expr.SortKey, k expr.SortKey) []expr.SortKey {
	if _, constant := k.Expr.(*expr.Const); constant || indexKey(keys, k.Expr) >= 0 {
		return keys
	}
	return append(keys, k)
}

// indexKey returns the index of the key equal to e, or -1. A volatile key equals no other.
func indexKey(keys []expr.SortKey, e expr.Expr) int {
	if expr.Volatile(e) {
		return -1
	}
	return slices.IndexFunc(keys, func(k expr.SortKey) bool { return expr.Equal(k.Expr, e) })
}

// fit adds w to the windows of the sort, refining the order of the sort if necessary. If w requires
// another order, fit returns false and changes nothing.
func (s *Sort) fit(w *logical.Window) bool {
	f := fitting{blocks: slices.Clone(s.blocks)}
	if !f.partition(partitionKeys(w)) || !f.order(orderKeys(w)) {
		return false
	}
	s.blocks, s.Windows = f.blocks, append(s.Windows, w)
	return true
}

// fitting is an attempt to fit a window; the blocks before at are used.
type fitting struct {
	blocks []sortBlock
	at     int
}

// partition matches the keys, in any order, with the first blocks.
func (f *fitting) partition(keys []expr.SortKey) bool {
	for len(keys) > 0 {
		if f.at == len(f.blocks) {
			f.blocks = append(f.blocks, sortBlock{keys: keys})
			f.at++
			return true
		}
		in, out := divide(f.blocks[f.at].keys, keys)
		left := len(keys) - len(in)
		switch {
		case len(in) == 0 || len(out) > 0 && left > 0:
			return false
		case len(out) > 0:
			f.split(sortBlock{keys: in}, sortBlock{keys: out})
		}
		_, keys = divide(keys, in)
		f.at++
	}
	return true
}

// order matches the keys in sequence.
func (f *fitting) order(keys []expr.SortKey) bool {
	for _, k := range keys {
		if f.at == len(f.blocks) {
			f.blocks = append(f.blocks, sortBlock{keys: []expr.SortKey{k}, fixed: true})
		} else if !f.next(k) {
			return false
		}
		f.at++
	}
	return true
}

// next makes k the key of the current block.
func (f *fitting) next(k expr.SortKey) bool {
	b := f.blocks[f.at]
	i := indexKey(b.keys, k.Expr)
	switch {
	case i < 0 || b.fixed && b.keys[i].Desc != k.Desc:
		return false
	case b.fixed:
		return true
	}
	first := sortBlock{keys: []expr.SortKey{k}, fixed: true}
	if _, rest := divide(b.keys, first.keys); len(rest) > 0 {
		f.split(first, sortBlock{keys: rest})
	} else {
		f.blocks[f.at] = first
	}
	return true
}

// split replaces the current block by two.
func (f *fitting) split(a, b sortBlock) {
	f.blocks = slices.Replace(f.blocks, f.at, f.at+1, a, b)
}

// divide splits keys by whether their expressions occur in by.
func divide(keys, by []expr.SortKey) (in, out []expr.SortKey) {
	for _, k := range keys {
		if indexKey(by, k.Expr) >= 0 {
			in = append(in, k)
		} else {
			out = append(out, k)
		}
	}
	return in, out
}

// SortKeys returns the whole order.
func (s *Sort) SortKeys() []expr.SortKey {
	var keys []expr.SortKey
	for _, b := range s.blocks {
		keys = append(keys, b.keys...)
	}
	return keys
}

// Position returns the number of leading keys that are w's partition keys, and the number of
// those that are its partition and order keys.
func (s *Sort) Position(w *logical.Window) (partition, order int) {
	partition = len(partitionKeys(w))
	return partition, partition + len(orderKeys(w))
}
