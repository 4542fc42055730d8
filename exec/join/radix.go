package join

import (
	"sync"
	"sync/atomic"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// radixPairer is the radix-partitioned hash join (Manegold, Boncz, Kersten 2002; Kim et
// al. 2009): both sides are partitioned by the top bits of the hash, so that the table
// of a partition fits the cache, and the partitions are dealt to the workers. A
// partition with many probe rows is cut into several tasks, each of which makes the
// table anew.
type radixPairer struct {
	nullSafe []bool
	once     bool

	ctx          *op.Ctx
	acct         *mem.Account
	codes        *codes
	left, right  []*vec.Vector // equality keys, for hashed codes
	probe, build *parts
	swapped      bool // the table is built of left rows
	tasks        []radixTask
	next         atomic.Int64

	mu      sync.Mutex
	scratch holdings // the workers' tables
	ready   []tableRoom
}

// tableRoom is memory for a worker's table.
type tableRoom struct {
	slots *mem.Buffer[slot]
	lists *mem.Buffer[int32]
}

// radixTask is a run of probe rows of one partition.
type radixTask struct{ part, from, to int }

// chunkRows is the least number of probe rows worth a task of its own.
const chunkRows = 1 << 15

// Build implements Pairer.
func (m *radixPairer) Build(ctx *op.Ctx, acct *mem.Account, left, right *Side) error {
	m.ctx, m.acct = ctx, acct
	m.left, m.right = left.Keys[:len(m.nullSafe)], right.Keys[:len(m.nullSafe)]
	m.codes = newCodes(m.right, m.nullSafe)
	m.once = m.once && m.codes.exact
	m.swapped = left.Rows < right.Rows && !m.once
	partBits, _ := shape(2*min(left.Rows, right.Rows), maxRegions)
	d := digits{hashed: true, shift: 64 - partBits, count: 1 << partBits}
	l, err := m.partition(m.left, left.Rows, d)
	if err != nil {
		return err
	}
	r, err := m.partition(m.right, right.Rows, d)
	if err != nil {
		l.free()
		return err
	}
	m.probe, m.build = l, r
	if m.swapped {
		m.probe, m.build = r, l
	}
	m.cut(d.count)
	return m.prepare()
}

// prepare makes room for the workers' tables, so that a want of memory shows while both
// sides can still go to disk.
func (m *radixPairer) prepare() error {
	most := 0
	for _, t := range m.tasks {
		most = max(most, m.build.start[t.part+1]-m.build.start[t.part])
	}
	_, bits := shape(min(most, regionRows), 1)
	for range min(max(m.ctx.Workers, 1), len(m.tasks)) {
		var r tableRoom
		if err := reserve(m, &r.slots, 1<<bits); err != nil {
			return err
		}
		if err := reserve(m, &r.lists, most); err != nil {
			return err
		}
		m.ready = append(m.ready, r)
	}
	return nil
}

func (m *radixPairer) partition(keys []*vec.Vector, rows int, d digits) (*parts, error) {
	in, err := encodeSide(m.ctx, m.acct, m.codes, keys, rows)
	if err != nil {
		return nil, err
	}
	defer in.free()
	return partition(m.ctx, m.acct, in, d)
}

// cut makes the tasks.
func (m *radixPairer) cut(parts int) {
	for x := range parts {
		build := m.build.start[x+1] - m.build.start[x]
		if build == 0 {
			continue
		}
		chunk := max(chunkRows, 4*build)
		for from := m.probe.start[x]; from < m.probe.start[x+1]; from += chunk {
			m.tasks = append(m.tasks, radixTask{x, from, min(from+chunk, m.probe.start[x+1])})
		}
	}
}

// Worker implements Pairer.
func (m *radixPairer) Worker() PairWorker {
	w := &radixWorker{m: m, part: -1}
	w.expander.once = m.once
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.ready); n > 0 {
		w.tableRoom, m.ready = m.ready[n-1], m.ready[:n-1]
	}
	return w
}

// Close implements Pairer.
func (m *radixPairer) Close() {
	m.probe.free()
	m.build.free()
	m.scratch.free()
}

type radixWorker struct {
	expander
	m       *radixPairer
	part    int // whose table is made, -1 for none
	task    radixTask
	table   table
	pending pending
	tableRoom
}

// Next implements PairWorker.
func (w *radixWorker) Next(limit int) (Pairs, bool, error) {
	for w.at == len(w.hits.row) {
		if w.task.from == w.task.to {
			i := int(w.m.next.Add(1)) - 1
			if i >= len(w.m.tasks) {
				return Pairs{}, true, nil
			}
			if err := w.start(w.m.tasks[i]); err != nil {
				return Pairs{}, false, err
			}
		}
		w.probeBlock()
	}
	p, _ := w.next(limit)
	if w.m.swapped {
		p.Probe, p.Build = p.Build, p.Probe
	}
	if !w.m.codes.exact {
		n := KeepEqual(w.m.left, w.m.right, p.Probe, p.Build)
		p.Probe, p.Build = p.Probe[:n], p.Build[:n]
	}
	return p, false, nil
}

// probeBlock looks up the next block of the task.
func (w *radixWorker) probeBlock() {
	from := w.task.from
	n := min(block, w.task.to-from)
	w.task.from += n
	w.table.lookup(w.m.probe.codes.S[from:from+n], &w.hits, &w.pending)
	rows := w.m.probe.rows.S[from : from+n]
	for i, r := range w.hits.row {
		w.hits.row[i] = rows[r]
	}
	w.begin()
}

// start makes the table of the task's partition.
func (w *radixWorker) start(t radixTask) error {
	w.task = t
	if w.part == t.part {
		return w.m.ctx.Err()
	}
	w.part = -1
	from, to := w.m.build.start[t.part], w.m.build.start[t.part+1]
	codes, rows := w.m.build.codes.S[from:to], w.m.build.rows.S[from:to]
	_, bits := shape(min(to-from, regionRows), 1)
	for ; ; bits++ {
		if err := reserve(w.m, &w.slots, 1<<bits); err != nil {
			return err
		}
		w.table = table{slots: w.slots.S[:1<<bits], shift: 64, region: bits}
		clear(w.table.slots)
		twice, err := w.table.count(codes, rows)
		if err != nil {
			continue // more distinct codes than the rows of usual partitions
		}
		w.rows = nil
		if twice {
			if err := reserve(w.m, &w.lists, len(rows)); err != nil {
				return err
			}
			w.rows = w.lists.S[:len(rows)]
			w.table.list(w.table.slots, codes, rows, w.rows, 0)
		}
		w.part = t.part
		return w.m.ctx.Err()
	}
}

// reserve makes room for n elements in a worker's scratch buffer.
func reserve[T any](m *radixPairer, b **mem.Buffer[T], n int) (err error) {
	if *b != nil {
		return (*b).Grow(n)
	}
	if *b, err = mem.Alloc[T](m.acct, n); err == nil {
		m.mu.Lock()
		m.scratch.add(*b)
		m.mu.Unlock()
	}
	return err
}
