package storage

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/storage/contents"
	"gsql/storage/durable"
	"gsql/storage/segment"
)

// journal keeps a store in a directory.
type journal struct {
	dir *durable.Directory

	ticket durable.Ticket // of the last commit logged; guarded by Store.mu
	logged uint64         // its number in the log; guarded by Store.mu

	checkpoints
}

// entry is what a commit adds to the journal. A nil entry is that of a store in memory.
type entry struct {
	store  *Store
	ctx    context.Context   // of preparing it
	wrote  *Writing          // what preparing it has written; may be nil
	files  *spool            // segment files that the commit is the first to refer to
	rows   map[*write][]byte // encoded rows of transactions that add few
	ticket durable.Ticket
	logged bool // the log has the commit
}

// temporary reports whether the tables of a database last only as long as their session.
func temporary(db string) bool { return strings.HasPrefix(db, hidden) }

// Writing is how far a commit is with the segments that it writes to files.
type Writing struct {
	total, done atomic.Int64
}

// Bytes returns the bytes of the segments that are to be written, 0 before that is known, and of those that
// have been. Both are estimates: of what is in memory already, or of files that are to be synced.
func (w *Writing) Bytes() (done, total int64) { return w.done.Load(), w.total.Load() }

// Reset begins anew.
func (w *Writing) Reset() {
	w.total.Store(0)
	w.done.Store(0)
}

func (w *Writing) expect(n int64) {
	if w != nil {
		w.total.Add(n)
	}
}

func (w *Writing) add(n int64) {
	if w != nil {
		w.done.Add(n)
	}
}

// prepare writes what need not wait for other commits: segments to files, and the rows of
// transactions that add few in the form of the log.
func prepare(ctx context.Context, tx *Tx, wrote *Writing) (*entry, error) {
	s := tx.store
	if s.journal == nil {
		return nil, nil
	}
	e := &entry{store: s, ctx: ctx, wrote: wrote, files: spoolOf(tx), rows: map[*write][]byte{}}
	for _, w := range tx.writes {
		if temporary(w.view.db) || w.dropped {
			continue
		}
		if err := s.journal.dir.ReadOnly(); err != nil {
			return nil, readOnlyError(err)
		}
		if err := e.prepareRows(w); err != nil {
			e.release()
			return nil, err
		}
	}
	err := e.files.finish(ctx, wrote)
	if err == nil && ctx.Err() != nil {
		err = sqlerr.From(ctx.Err())
	}
	if err != nil {
		e.release()
		return nil, err
	}
	return e, nil
}

// prepareRows prepares the rows of one table.
func (e *entry) prepareRows(w *write) error {
	next := w.view.successor()
	if w.replaced() {
		if err := e.persist(next.schema, &next.Rows); err != nil {
			return err
		}
		w.view = next
	}
	if next.own == nil {
		return nil
	}
	shape := next.shape()
	if !shape.Separate(next.own) {
		e.rows[w] = durable.EncodeRows(nil, next.own.Tail.Batches())
		return nil
	}
	own := *next.own
	if err := own.Seal(shape); err != nil {
		return err
	}
	if err := e.persist(next.schema, &own); err != nil {
		return err
	}
	next.own, w.view = &own, next
	return nil
}

// replaced reports whether w changes rows other than by deleting some and adding others.
func (w *write) replaced() bool {
	if !w.altered || w.created {
		return false
	}
	was, is := &w.base.Rows, &w.view.Rows
	return is.Tail.N != was.Tail.N || len(is.Tail.Blocks) > 0 && is.Tail.Blocks[0] != was.Tail.Blocks[0] ||
		!slices.EqualFunc(is.Segs, was.Segs, func(a, b segment.Sealed) bool { return a.Segment == b.Segment })
}

// persist writes those segments of rows to files that are not in one, and replaces them by
// segments that are loaded from there.
func (e *entry) persist(schema *catalog.Schema, rows *contents.Rows) error {
	if !slices.ContainsFunc(rows.Segs, func(s segment.Sealed) bool { return !s.OnDemand() }) {
		return nil
	}
	rows.Segs = slices.Clone(rows.Segs)
	for i := range rows.Segs {
		if !rows.Segs[i].OnDemand() {
			e.wrote.expect(rows.Segs[i].Bytes)
		}
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range rows.Segs {
		seg := &rows.Segs[i]
		if seg.OnDemand() {
			continue
		}
		g.Go(func() error {
			return sqlerr.Guard(func() error {
				if err := e.ctx.Err(); err != nil {
					return sqlerr.From(err)
				}
				stored, err := e.files.add(schema, seg.Segment)
				if err != nil {
					return err
				}
				seg.Segment = stored
				e.wrote.add(stored.Bytes)
				return nil
			})
		})
	}
	return g.Wait()
}

// log appends the transaction's changes to the log. cur is the state that they apply to. The
// caller holds Store.mu.
func (e *entry) log(cur, next *state, merges []merged) error {
	if e == nil {
		return nil
	}
	j := e.store.journal
	e.ticket = j.ticket
	c := durable.NewCommit(j.logged+1, j.dir.Files)
	recordNames(c, cur.names, next.names, merges)
	for i := range merges {
		e.recordRows(c, &merges[i])
	}
	if c.Empty() {
		return nil
	}
	ticket, err := j.dir.Log(c)
	if err != nil {
		return readOnlyError(err)
	}
	j.logged++
	j.ticket, e.ticket, e.logged = ticket, ticket, true
	e.files.keep()
	return nil
}

// recordRows records the changes of one table's rows and definition.
func (e *entry) recordRows(c *durable.Commit, m *merged) {
	if m.version == nil || temporary(m.version.db) {
		return
	}
	w, v := m.w, m.version
	if w.altered && !w.created {
		c.PutTable(definition(v))
	}
	switch {
	case w.replaced():
		t := definition(v)
		t.NextRow, t.Churn, t.Rows = m.next, v.churn, m.before
		c.Replace(t)
	case !w.created && (w.cleared || w.altered && m.before.Count() == 0):
		c.Clear(v.table.id) // the log may still have deleted rows, of the columns before
	case len(w.deleted) > 0:
		ids := slices.Sorted(slices.Values(w.deleted))
		c.Delete(v.table.id, slices.Compact(ids))
	}
	e.recordOwn(c, m)
	if slices.ContainsFunc(v.schema.Columns, func(c catalog.Column) bool { return c.AutoInc }) {
		last := v.table.auto.Load()
		if n := w.newCounter(); n != nil {
			last = *n
		}
		c.SetCounter(v.table.id, last)
	}
}

// recordOwn records the rows that the transaction has added.
func (e *entry) recordOwn(c *durable.Commit, m *merged) {
	own, id := m.w.view.own, m.version.table.id
	if own == nil {
		return
	}
	if rows, few := e.rows[m.w]; few {
		c.Insert(id, m.next, own.Tail.N, rows)
		var gone []int64
		for row := range own.Tail.N {
			if own.TailDel.Has(row) {
				gone = append(gone, m.next+int64(row))
			}
		}
		if len(gone) > 0 {
			c.Delete(id, gone)
		}
		return
	}
	segs := slices.Clone(own.Segs)
	for i := range segs {
		segs[i].Base += m.shift
	}
	c.Attach(id, segs)
}

// definition returns a version's table without its rows.
func definition(v *version) *durable.Table {
	return &durable.Table{ID: v.table.id, DB: v.db, Name: v.name, Schema: v.schema, Created: v.created, SegmentRows: v.segRows}
}

// publish waits until the commit is durable and makes next the state that transactions begin with.
func (e *entry) publish(next *state) error {
	if e == nil {
		return nil
	}
	s := e.store
	if err := e.ticket.Wait(); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.head = s.state.Load()
		s.free = nil // tables that were to be dropped are in their slots again
		s.journal.ticket = durable.Ticket{}
		return poisonedError(err)
	}
	// Commits that share a sync do not wait for each other here, nor for the one that is being merged.
	for cur := s.state.Load(); cur.seq < next.seq && !s.state.CompareAndSwap(cur, next); cur = s.state.Load() {
	}
	s.journal.checkpointSoon(s, e.ticket)
	return nil
}

// release removes the files of a commit that was not logged.
func (e *entry) release() {
	if e != nil && !e.logged {
		e.files.drop()
	}
}

// writeError reports a failure to write to the directory; nil stays nil.
func writeError(err error) error {
	var known *sqlerr.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return sqlerr.Wrap(sqlerr.ErrorOnWrite, err, "Error writing to the database directory").
		WithHint("Nothing was changed. Try again when there is space and the disk works.")
}

// poisonedError reports that a commit could not be written to the log, which therefore takes no
// more.
func poisonedError(err error) error {
	return sqlerr.Wrap(sqlerr.ErrorOnWrite, err, "Error writing to the database directory").
		WithHint("The database can be read, but not changed, until it is opened again. What was committed before is safe; this change may be there or not.")
}

// readOnlyError reports that a database cannot be changed, and why.
func readOnlyError(why error) error {
	return sqlerr.Wrap(sqlerr.OptionPreventsStatement, why, "The database is read only, so it cannot execute this statement")
}

// recordNames records which databases, tables and views differ between two namespaces: first what
// is gone, so that names are free, then what is new. A table whose id stays has been renamed.
func recordNames(c *durable.Commit, was, is *namespace, merges []merged) {
	if was == is {
		return
	}
	gone, fresh := difference(was, is), difference(is, was)
	kept := map[uint64]bool{}
	for _, o := range fresh {
		if o.table != nil {
			kept[o.table.id] = true
		}
	}
	for _, o := range gone {
		switch {
		case o.view != nil:
			c.DropView(o.view.DB, o.view.Name)
		case !kept[o.table.id]:
			c.DropTable(o.table.id)
		}
	}
	for _, key := range permanent(was) {
		if is.dbs[key] == nil {
			c.DropDatabase(was.dbs[key].name)
		}
	}
	for _, key := range permanent(is) {
		if old, db := was.dbs[key], is.dbs[key]; old == nil || old.coll != db.coll || old.name != db.name {
			c.PutDatabase(db.name, db.coll)
		}
	}
	for _, o := range fresh {
		if o.view != nil {
			c.PutView(o.view)
			continue
		}
		for _, m := range merges {
			if m.version != nil && m.version.table == o.table {
				c.PutTable(definition(m.version))
			}
		}
	}
}

// permanent lists the keys of the databases that do not hold temporary tables.
func permanent(n *namespace) []string {
	keys := slices.Sorted(maps.Keys(n.dbs))
	return slices.DeleteFunc(keys, func(key string) bool { return temporary(n.dbs[key].name) })
}

// permanentObjects lists the tables and views by name, without temporary ones.
func (n *namespace) permanentObjects() []object { return difference(n, newNamespace()) }

// difference lists the tables and views of n, by name, that other does not have. Temporary ones
// are left out.
func difference(n, other *namespace) []object {
	var out []object
	for _, key := range permanent(n) {
		db, theirs := n.dbs[key], other.dbs[key]
		if db == theirs {
			continue
		}
		for i, sh := range db.shards {
			if sh == nil || theirs != nil && theirs.shards[i] == sh {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(sh.objects)) {
				o := sh.objects[name]
				if theirs != nil && theirs.shards[i] != nil && theirs.shards[i].objects[name] == o {
					continue
				}
				out = append(out, o)
			}
		}
	}
	return out
}
