package radix

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
	"gsql/kernels"
)

// joinPartitions joins partitioned sides into pieces of w.
func joinPartitions(t *engine.Task, build, probe *prim.Partitions, w *writer) error {
	u, err := countUnits(t, build, probe)
	if err != nil {
		return err
	}
	total, err := t.Alloc(8)
	if err != nil {
		return err
	}
	j := &joiner{task: t, build: build, probe: probe, total: total, writer: w}
	list := func(first, n int64) (gpu.Ptr, error) { return u.write(t, first, n) }
	return j.join(batch{list: list, n: u.n, most: u.most}, float64(probe.Rows)/float64(max(u.n, 1)))
}

// joiner joins units into the pieces of a writer. The number of a unit's result rows is unknown
// before the unit is joined. A launch whose rows do not fit writes none beyond the piece, counts
// them all, and is repeated with fewer or smaller units.
type joiner struct {
	task         *engine.Task
	build, probe *prim.Partitions
	total        gpu.Ptr
	writer       *writer
}

// batch is n units; list returns a range of them, of at most most units.
type batch struct {
	list    func(first, n int64) (gpu.Ptr, error)
	n, most int64
}

const (
	// fill is the share of a piece that a launch is expected to fill if it cannot join all units.
	// It leaves a margin, so that launches seldom overflow.
	fill = 0.9

	// manyUnits keep a device busy: units are cut before a launch has fewer of them, unless they
	// yield fewer than leastRows rows each.
	manyUnits = 512
	leastRows = 1 << 12

	// cutUnits is the most units that result from cutting units at once.
	cutUnits = 64 << 10
)

// join joins the units of b; perUnit is the expected number of result rows per unit.
func (j *joiner) join(b batch, perUnit float64) error {
	for first := int64(0); first < b.n; {
		_, capacity, err := j.writer.room()
		if err != nil {
			return err
		}
		n := min(b.n-first, b.most)
		if perUnit*float64(n) > float64(capacity) {
			n = max(int64(fill*float64(capacity)/perUnit), 1)
		}
		list, err := b.list(first, n)
		if err != nil {
			return err
		}
		rows, err := j.launch(list, n)
		if err != nil {
			return err
		}
		perUnit = float64(rows) / float64(n)
		if rows <= capacity {
			if err := j.writer.done(rows); err != nil {
				return err
			}
			first += n
			continue
		}
		more, err := j.emptied(capacity)
		if err != nil {
			return err
		}
		if many := max(min(manyUnits, capacity/leastRows), 1); !more && fill*float64(capacity) < float64(many)*perUnit {
			n = min(n, manyUnits)
			whole, err := j.joinCut(list, n, perUnit*float64(many)/(fill*float64(capacity)), perUnit)
			if err != nil {
				return err
			}
			if !whole {
				first += n
			}
		}
	}
	return nil
}

// emptied flushes the writer and reports whether its capacity is then above the given one.
func (j *joiner) emptied(capacity int64) (bool, error) {
	if err := j.writer.flush(); err != nil {
		return false, err
	}
	_, whole, err := j.writer.room()
	return whole > capacity, err
}

// joinCut joins n listed units, each cut into about parts parts, so that more of them fit a piece.
// If each unit has one row per side, nothing can be cut: whole is true and nothing was done.
func (j *joiner) joinCut(list gpu.Ptr, n int64, parts, perUnit float64) (whole bool, err error) {
	probe, build, err := largest(j.task, list, n)
	if err != nil || probe == 1 && build == 1 {
		return true, err
	}
	m := j.task.Mark()
	rows := max(probe, 1)
	if probe == 1 {
		rows = build
	}
	into := min(max(2, min(int64(parts), cutUnits/n, j.task.Free()/(8*unitBytes*n))), rows)
	smaller, err := cut(j.task, list, n, into, probe == 1)
	if err == nil {
		at := func(first, _ int64) (gpu.Ptr, error) { return span{first: first}.at(smaller, unitBytes), nil }
		err = j.join(batch{list: at, n: n * into, most: n * into}, perUnit/float64(into))
	}
	return false, errors.Join(err, j.task.Release(m))
}

// launch joins n listed units into the open piece and returns how many rows they have.
func (j *joiner) launch(list gpu.Ptr, n int64) (int64, error) {
	c, capacity, err := j.writer.room()
	if err != nil {
		return 0, err
	}
	if err := j.task.Fill(j.total, 0, 8); err != nil {
		return 0, err
	}
	b, p := j.build, j.probe
	typ := keyType(b.Wide) + "b4"
	if b.Width == 8 {
		typ = keyType(b.Wide) + "b8"
	}
	err = j.task.LaunchBlocks("gsql_radix_join", typ, n, kernels.RadixJoinShared[typ], uint64(b.Hashes), uint64(b.Values),
		uint64(p.Hashes), uint64(p.Values), uint64(list), uint64(b.Bits), uint64(c.keys), uint64(c.build), uint64(c.buildHigh),
		uint64(c.probe), uint64(c.probeHigh), uint64(capacity), uint64(j.total))
	if err != nil {
		return 0, err
	}
	rows, err := j.task.ReadWord(j.total)
	return int64(rows), err
}

func keyType(wide bool) string {
	if wide {
		return "b8"
	}
	return "b4"
}
