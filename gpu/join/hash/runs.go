package hash

import (
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
)

// buildRuns sorts the rows with non-NULL keys by the key's hash and builds a hash table that leads
// from each key to its run.
func buildRuns(t *engine.Task, keys column.Column) (*table, error) {
	tab := newHashTable(keys.Kind, keys.Rows)
	tab.runs = &runs{}
	var err error
	if tab.words, err = t.Alloc(tab.hashBytes()); err != nil {
		return nil, err
	}
	if tab.runs.order, err = t.Alloc(keys.Rows * 4); err != nil {
		return nil, err
	}
	if tab.runs.lengths, err = t.Alloc(keys.Rows * 4); err != nil {
		return nil, err
	}
	if err := t.Fill(tab.words, 0xFF, tab.hashBytes()); err != nil {
		return nil, err
	}
	m := t.Mark()
	hashes, n, err := sortByHash(t, keys, tab.runs.order)
	if err != nil {
		return nil, err
	}
	if n > 0 {
		err = t.Launch("gsql_hash_runs_build", tab.bits, n, false, uint64(hashes), uint64(n), word(keys.Kind == column.F64), uint64(tab.words), tab.buckets, uint64(tab.runs.lengths))
	}
	if err != nil {
		return nil, err
	}
	return tab, t.Release(m)
}

// sortByHash returns the sorted hashes of the non-NULL keys and their number, and writes their rows
// to order.
func sortByHash(t *engine.Task, keys column.Column, order gpu.Ptr) (sorted gpu.Ptr, n int64, err error) {
	width := keys.Kind.Width()
	hashes, err := t.Alloc(keys.Rows * width)
	if err != nil {
		return 0, 0, err
	}
	if sorted, err = t.Alloc(keys.Rows * width); err != nil {
		return 0, 0, err
	}
	rows, n, err := notNull(t, keys)
	if err != nil || n == 0 {
		return 0, 0, err
	}
	values := keys.Values
	if rows != 0 {
		values = sorted // until the sort
		if err := prim.Gather(t, width, keys.Values, rows, values, n); err != nil {
			return 0, 0, err
		}
	}
	if err := t.Launch("gsql_hash_keys", keys.Kind.Bits(), n, false, uint64(values), uint64(hashes), uint64(n)); err != nil {
		return 0, 0, err
	}
	by := hashOrder(keys.Kind)
	return sorted, n, by.Sort(t, prim.Pairs{Keys: hashes, Values: rows}, prim.Pairs{Keys: sorted, Values: order}, 4, n)
}

// hashOrder is the order of unsigned numbers.
func hashOrder(kind column.Kind) prim.Sorting {
	if kind == column.I32 {
		return prim.Sorting{Kind: column.I32, Unsigned: true}
	}
	return prim.Sorting{Kind: column.I64, Unsigned: true}
}

// notNull returns the rows with non-NULL keys, or 0 for all rows.
func notNull(t *engine.Task, keys column.Column) (rows gpu.Ptr, n int64, err error) {
	if keys.Valid == 0 {
		return 0, keys.Rows, nil
	}
	if rows, err = t.Alloc(keys.Rows * 4); err != nil {
		return 0, 0, err
	}
	count, err := t.Alloc(8)
	if err != nil {
		return 0, 0, err
	}
	if err := prim.SelectRows(t, keys.Valid, rows, keys.Rows, count); err != nil {
		return 0, 0, err
	}
	selected, err := t.ReadWord(count)
	return rows, int64(selected), err
}
