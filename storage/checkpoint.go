package storage

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"gsql/sql/sqlerr"
	"gsql/storage/durable"
	"gsql/storage/segfile"
	"gsql/storage/segment"
	"gsql/storage/vfs"
)

// defaultLogLimit is the size of the log from which a commit starts a checkpoint.
const defaultLogLimit = 64 << 20

// inlineRows is the number of rows up to which a checkpoint keeps a tail in the manifest. A larger
// one becomes a segment in a file.
const inlineRows = 512

// checkpoints is what a journal knows of its checkpoints.
type checkpoints struct {
	limit   int64      // size of the log from which a commit starts one
	running sync.Mutex // held by the one that runs
	active  atomic.Bool
	ended   sync.WaitGroup
	closing context.Context // ends when the store is closed
	end     context.CancelFunc

	freed atomic.Int64 // of Store.dropped.ever, what the last checkpoint has freed

	done uint64                  // number of the last commit that the last checkpoint has
	last map[uint64]checkpointed // by id of the table; nil before the first checkpoint
	// tails are the bytes in each segment file of what are tails in memory, as of the last checkpoint.
	tails atomic.Pointer[map[uint64]int64]
}

// checkpointed is a table as of the last checkpoint.
type checkpointed struct {
	version uint64   // its Version
	files   []uint64 // segment files that have its rows
	sealed  int      // segments of the version; what is behind them is its tail
	tails   map[uint64]int64
}

// droppedBytes is the size of dropped segments from which a commit starts a checkpoint, which frees
// their space.
const droppedBytes = 256 << 20

// checkpointSoon starts a checkpoint in the background if the log has become large, or if one would
// free much space. A failure is no error of the commit: the log keeps what the checkpoint would
// have, and a later commit tries again.
func (j *journal) checkpointSoon(s *Store, last durable.Ticket) {
	few := last.LogBytes() < j.limit && s.dropped.ever.Load()-j.freed.Load() < droppedBytes
	if few || !j.active.CompareAndSwap(false, true) {
		return
	}
	j.ended.Add(1)
	go func() {
		defer j.ended.Done()
		defer j.active.Store(false)
		_ = sqlerr.Guard(func() error {
			s.tidy(j.closing)
			return s.Checkpoint(j.closing)
		})
	}()
}

// Checkpoint writes the state to segment files and the manifest, so that opening the directory
// need not repeat the commits so far, and removes files that are no longer needed. It does nothing
// for a store in memory. The error is 1026, after which the log still has the commits, or 1290 if
// the store is read only.
func (s *Store) Checkpoint(ctx context.Context) error {
	j := s.journal
	if j == nil {
		return nil
	}
	j.running.Lock()
	defer j.running.Unlock()
	if err := j.dir.ReadOnly(); err != nil {
		return readOnlyError(err)
	}
	r, err := j.dir.BeginRotation()
	if err != nil {
		return writeError(err)
	}
	s.mu.Lock()
	err = j.dir.Rotate(r)
	head, logged := s.head, j.logged
	s.mu.Unlock()
	if err != nil {
		return writeError(err)
	}
	c := newCheckpointing(ctx, s, head, j.dir)
	c.record.Full = j.last == nil || j.dir.WantsFull()
	if c.last = j.last; !c.record.Full {
		c.sparse = s.sparseFiles()
	}
	err = c.write()
	defer j.dir.Keep(c.number)
	if err != nil {
		return err
	}
	c.record.Sequence = logged
	if err := j.dir.Checkpoint(&c.record, r, c.inUse()); err != nil {
		j.last = nil
		return writeError(err)
	}
	j.done, j.last = logged, c.next
	j.tails.Store(c.tails())
	c.relocate()
	j.freed.Store(s.dropped.ever.Load())
	return nil
}

// relocate replaces the segments that the checkpoint has written by those that are loaded from files,
// so that their memory can be used for others. Versions stay what they are.
func (c *checkpointing) relocate() {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	ed := s.head.edit(s.head.names, &s.dropped)
	ed.next.seq = s.head.seq
	for page, versions := range s.head.pages {
		for i, v := range versions {
			if v == nil {
				continue
			}
			if moved := v.relocated(c.stored); moved != nil {
				ed.set(page*pageSlots+i, moved)
			}
		}
	}
	if ed.copied == nil {
		return
	}
	s.state.CompareAndSwap(s.head, ed.next) // if everything is published
	s.head = ed.next
}

// relocated returns v with segments replaced, or nil if it has none of them.
func (v *version) relocated(stored map[*segment.Segment]*segment.Segment) *version {
	if !slices.ContainsFunc(v.Segs, func(s segment.Sealed) bool { return stored[s.Segment] != nil }) {
		return nil
	}
	out := v.successor()
	out.id, out.committed = v.id, v.committed
	out.stats.Store(v.stats.Load())
	out.Segs = slices.Clone(v.Segs)
	for i := range out.Segs {
		if s := stored[out.Segs[i].Segment]; s != nil {
			out.Segs[i].Segment = s
		}
	}
	return out
}

// checkpointing is the state of a running checkpoint or backup.
type checkpointing struct {
	ctx    context.Context
	store  *Store
	head   *state
	into   filer
	record durable.Checkpoint
	last   map[uint64]checkpointed // what need not be recorded again
	sparse map[uint64]bool         // files whose contents are to be recorded again, if they are tails
	next   map[uint64]checkpointed
	stored map[*segment.Segment]*segment.Segment // segments that were in memory only, and the same ones in files

	file   *segfile.Writer // nil until a segment needs it
	number uint64
	tasks  errgroup.Group
	mu     sync.Mutex // guards stored
}

// filer creates segment files.
type filer interface {
	NewFile() (*segfile.Writer, uint64, error)
}

func newCheckpointing(ctx context.Context, s *Store, head *state, into filer) *checkpointing {
	return &checkpointing{ctx: ctx, store: s, head: head, into: into, next: map[uint64]checkpointed{}, stored: map[*segment.Segment]*segment.Segment{}}
}

// write writes the segments that are in no file yet and fills in the record.
func (c *checkpointing) write() error {
	c.record.NextTable = c.store.tables.Load()
	c.tasks.SetLimit(runtime.GOMAXPROCS(0))
	objects := c.head.names.permanentObjects()
	c.names(objects)
	err := c.tables(objects)
	err = errors.Join(err, c.tasks.Wait())
	if c.file == nil {
		return err
	}
	if err == nil {
		err = c.file.Finish()
	}
	if err != nil {
		return writeError(errors.Join(err, c.file.Abort()))
	}
	return nil
}

// names records the databases and views.
func (c *checkpointing) names(objects []object) {
	for _, key := range permanent(c.head.names) {
		db := c.head.names.dbs[key]
		c.record.Databases = append(c.record.Databases, &durable.Database{Name: db.name, Coll: db.coll})
	}
	for _, o := range objects {
		if o.view != nil {
			c.record.Views = append(c.record.Views, o.view)
		}
	}
}

// tables records the tables that differ from those of the last checkpoint, or all.
func (c *checkpointing) tables(objects []object) error {
	for _, o := range objects {
		if o.table == nil {
			continue
		}
		v := c.head.version(o.table)
		was := c.last[v.table.id]
		if !c.record.Full && was.version == v.id && !was.in(c.sparse) {
			c.next[v.table.id] = was
			continue
		}
		if err := c.ctx.Err(); err != nil {
			return sqlerr.From(err)
		}
		if err := c.table(v); err != nil {
			return err
		}
	}
	for id := range c.last {
		if _, kept := c.next[id]; !kept && !c.record.Full {
			c.record.Dropped = append(c.record.Dropped, id)
		}
	}
	return nil
}

// table records a table. Its segments are complete only once the tasks have ended.
func (c *checkpointing) table(v *version) error {
	if v.rows() >= widenRows {
		v.Stats() // else the first query after opening would have to read columns for them
	}
	t := definition(v)
	t.Auto, t.NextRow, t.Churn, t.Rows, t.Stats = v.auto.Load(), v.nextRow, v.churn, v.Rows, v.known()
	if t.Tail.N > inlineRows {
		shape := v.shape()
		shape.Mem = nil // it lives until it is written
		if err := t.Rows.Seal(shape); err != nil {
			return err
		}
	}
	t.Segs = append([]segment.Sealed(nil), t.Segs...)
	for i := range t.Segs {
		if seg := &t.Segs[i]; !seg.OnDemand() {
			if err := c.segment(v, seg); err != nil {
				return err
			}
		}
	}
	c.record.Tables = append(c.record.Tables, t)
	c.next[t.ID] = checkpointed{version: v.id, sealed: len(v.Segs)}
	return nil
}

// segment replaces a segment by one that is loaded from a file, and writes it if that is new.
func (c *checkpointing) segment(v *version, seg *segment.Sealed) error {
	inMemory := seg.Segment
	if c.file == nil {
		var err error
		if c.file, c.number, err = c.into.NewFile(); err != nil {
			return writeError(err)
		}
	}
	c.tasks.Go(func() error {
		return sqlerr.Guard(func() error {
			twin, err := c.file.Add(v.schema, inMemory)
			if err != nil {
				return err
			}
			seg.Segment = twin
			c.keep(inMemory, twin)
			return nil
		})
	})
	return nil
}

func (c *checkpointing) keep(inMemory, twin *segment.Segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stored[inMemory] = twin
}

// inUse returns whether a segment file is in use: by the checkpoint, by commits since, or by
// those that are not logged yet.
func (c *checkpointing) inUse() func(file uint64) bool {
	s := c.store
	used := map[uint64]bool{}
	for _, t := range c.record.Tables {
		x := c.next[t.ID]
		x.files, x.tails = filesOf(t.Segs), map[uint64]int64{}
		addUsed(x.tails, t.Segs[x.sealed:], map[segfile.Ref]bool{})
		c.next[t.ID] = x
	}
	for _, t := range c.next {
		for _, n := range t.files {
			used[n] = true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := s.journal.dir.NextFile()
	for n := range s.journal.dir.Protected() {
		used[n] = true
	}
	for _, page := range s.head.pages {
		for _, v := range page {
			if v != nil {
				for _, n := range filesOf(v.Segs) {
					used[n] = true
				}
			}
		}
	}
	return func(n uint64) bool { return n >= limit || used[n] }
}

// in reports whether the table's tail is in one of the files.
func (x *checkpointed) in(files map[uint64]bool) bool {
	for n := range x.tails {
		if files[n] {
			return true
		}
	}
	return false
}

// tails returns checkpoints.tails after the checkpoint.
func (c *checkpointing) tails() *map[uint64]int64 {
	out := map[uint64]int64{}
	for _, x := range c.next {
		for n, bytes := range x.tails {
			out[n] += bytes
		}
	}
	return &out
}

// filesOf lists the files that have segments, possibly repeatedly.
func filesOf(segs []segment.Sealed) []uint64 {
	var out []uint64
	for i := range segs {
		out = append(out, segfile.Numbers(segs[i].Segment)...)
	}
	return out
}

// known returns the statistics of v, or those of an earlier version that it would use.
func (v *version) known() *durable.Stats {
	s := v.stats.Load()
	if s == nil {
		s = v.prior
	}
	if s == nil || s.own != ownBase || len(s.Columns) != len(v.schema.Columns) || s.partial() {
		return nil
	}
	return &durable.Stats{Stats: s.Stats, Churn: s.churn, End: s.end}
}

// closeJournal makes the last checkpoint and closes the directory.
func (s *Store) closeJournal() error {
	j := s.journal
	if j == nil {
		return nil
	}
	j.end()
	j.ended.Wait()
	var err error
	if j.dir.ReadOnly() == nil && j.logged > j.done {
		err = s.Checkpoint(context.Background())
	}
	return errors.Join(err, writeError(j.dir.Close()))
}

// Backup copies the committed state to an empty directory, which can then be opened as a database.
// Transactions go on meanwhile. Errors: 1105 for a store in memory, 1026, and 1317 if ctx ends; the
// directory is then empty again.
func (s *Store) Backup(ctx context.Context, to vfs.FS) (err error) {
	j := s.journal
	if j == nil {
		return sqlerr.New(sqlerr.UnknownError, "Tables in memory cannot be backed up").
			WithHint("Open the database in a folder: gsql FOLDER.")
	}
	j.running.Lock() // segments that a checkpoint has written are used again
	defer j.running.Unlock()
	b, err := j.dir.BeginBackup(to)
	if err != nil {
		return writeError(err)
	}
	defer func() { err = errors.Join(err, writeError(b.Close())) }()
	c := newCheckpointing(ctx, s, s.state.Load(), b)
	if err := c.write(); err != nil {
		return err
	}
	files := map[uint64]bool{}
	for _, t := range c.record.Tables {
		for _, n := range filesOf(t.Segs) {
			files[n] = true
		}
	}
	if c.file != nil {
		delete(files, c.number)
	}
	err = b.Finish(ctx, &c.record, slices.Sorted(maps.Keys(files)))
	if err != nil && ctx.Err() != nil {
		return sqlerr.From(ctx.Err())
	}
	return writeError(err)
}
