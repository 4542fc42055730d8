package hash

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
)

// probeStep is the most probe rows that are looked up at once in a table of runs.
const probeStep = 1 << 24

// runBytes is the size of a looked-up row: start, count, offset.
const runBytes = 4 + 4 + 8

// pairs writes the partners of probe rows, numbered from firstRow on, to s.
func (tab *table) pairs(t *engine.Task, keys column.Column, firstRow int64, s *sink) error {
	if tab.runs != nil {
		m := t.Mark()
		return errors.Join(tab.runPairs(t, keys, firstRow, s), t.Release(m))
	}
	for done := int64(0); done < keys.Rows; {
		probe, build, free, err := s.room()
		if err != nil {
			return err
		}
		n := min(keys.Rows-done, free)
		if err = tab.append(t, rowsOf(keys, done, n), firstRow+done, probe, build, s.count); err == nil {
			err = s.appended()
		}
		if err != nil {
			return err
		}
		done += n
	}
	return nil
}

// append writes the pairs of probe rows, numbered from firstRow on, after the *count pairs that
// exist already.
func (tab *table) append(t *engine.Task, keys column.Column, firstRow int64, probe, build, count gpu.Ptr) error {
	for _, w := range tab.windows(keys.Rows) {
		args := append([]uint64{uint64(keys.Values), uint64(keys.Valid), uint64(firstRow), uint64(keys.Rows)}, tab.arguments(w)...)
		err := t.Launch(tab.family("pairs"), tab.bits, keys.Rows, false, append(args, uint64(probe), uint64(build), uint64(count))...)
		if err != nil {
			return err
		}
	}
	return nil
}

// rowsOf returns rows [first, first+n) of c.
func rowsOf(c column.Column, first, n int64) column.Column {
	c.Values += gpu.Ptr(first * c.Kind.Width())
	if c.Valid != 0 {
		c.Valid += gpu.Ptr(first)
	}
	c.Rows = n
	return c
}

// found is a step of probe rows with the positions of their partners in the order of runs.
type found struct {
	starts, counts, offsets, total gpu.Ptr
	rows                           int64 // capacity
}

// newFound allocates memory for as many rows as fit, up to n.
func newFound(t *engine.Task, n int64) (*found, error) {
	const least = 1 << 12
	fit := (t.Free() - 8*gpu.Alignment) / (runBytes + 1) // one byte per row is enough for the scan
	f := &found{rows: min(n, probeStep, max(fit, least))}
	for _, a := range []struct {
		p     *gpu.Ptr
		bytes int64
	}{{&f.starts, 4 * f.rows}, {&f.counts, 4 * f.rows}, {&f.offsets, 8 * f.rows}, {&f.total, 8}} {
		var err error
		if *a.p, err = t.Alloc(a.bytes); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// runPairs looks probe rows up in a table of runs, counts their pairs, and writes as many as each
// piece holds.
func (tab *table) runPairs(t *engine.Task, keys column.Column, firstRow int64, s *sink) error {
	f, err := newFound(t, keys.Rows)
	if err != nil {
		return err
	}
	for done := int64(0); done < keys.Rows; done += f.rows {
		n := min(keys.Rows-done, f.rows)
		total, err := tab.find(t, rowsOf(keys, done, n), f)
		if err != nil {
			return err
		}
		if err := tab.expand(t, f, n, firstRow+done, total, s); err != nil {
			return err
		}
	}
	return nil
}

// find looks rows up and returns the number of their pairs.
func (tab *table) find(t *engine.Task, keys column.Column, f *found) (int64, error) {
	err := t.Launch("gsql_hash_runs_find", tab.bits, keys.Rows, false, uint64(keys.Values), uint64(keys.Valid), uint64(keys.Rows),
		uint64(tab.words), tab.buckets, uint64(tab.runs.lengths), uint64(f.starts), uint64(f.counts))
	if err != nil {
		return 0, err
	}
	if err := prim.Scan32(t, f.counts, f.offsets, keys.Rows, f.total); err != nil {
		return 0, err
	}
	total, err := t.ReadWord(f.total)
	return int64(total), err
}

// expand writes the total pairs of n found rows.
func (tab *table) expand(t *engine.Task, f *found, n, firstRow, total int64, s *sink) error {
	for from := int64(0); from < total; {
		probe, build, free, err := s.room()
		if err != nil {
			return err
		}
		to := min(total, from+free)
		at := gpu.Ptr(4 * s.used)
		err = t.Launch("gsql_expand_pairs", "", to-from, false, uint64(f.offsets), uint64(f.starts), uint64(n), uint64(firstRow),
			uint64(tab.runs.order), uint64(from), uint64(to), uint64(probe+at), uint64(build+at))
		if err != nil {
			return err
		}
		s.used += to - from
		from = to
	}
	return nil
}
