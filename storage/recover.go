package storage

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync/atomic"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/storage/chainlog"
	"gsql/storage/durable"
	"gsql/storage/keyindex"
	"gsql/storage/segfile"
	"gsql/storage/segment"
	"gsql/storage/vfs"
)

// Directory describes the directory that a store is kept in.
type Directory struct {
	FS       vfs.FS
	Cache    int64         // bytes of columns that may stay in memory without being in use
	Sync     chainlog.Sync // what COMMIT waits for
	ReadOnly bool          // open beside a writer in another process, and change nothing
	LogLimit int64         // bytes of the log from which a commit starts a checkpoint; 0 means 64 MB
	// Rules returns what completes and checks the rows of a recovered table with generated columns
	// or constraints.
	Rules Rules
}

// Rules returns what completes and checks the rows of a table.
type Rules func(db, table string, schema *catalog.Schema) catalog.RowRules

// OpenStore opens the store in a directory, or creates one there. Memory is charged as NewStore
// says. warnings tell what a crash or damage has cost. Errors: 1105 if the directory is in use by
// another process or is damaged, 1017 if it cannot be opened.
func OpenStore(account *mem.Account, d Directory) (s *Store, warnings []string, err error) {
	s = &Store{segmentRows: segment.DefaultRows}
	if account != nil {
		s.mem = account.Child("the table store")
		account.OnFull(s.relieve)
	}
	found, err := durable.Open(d.FS, durable.Options{Account: s.mem, Cache: d.Cache, Sync: d.Sync, ReadOnly: d.ReadOnly})
	if err != nil {
		return nil, nil, openError(d.FS, err)
	}
	if account != nil {
		account.OnFull(found.Files.Relieve)
	}
	found.Files.SetOwner(s.owner)
	s.journal = &journal{dir: found.Directory, logged: found.Catalog.Sequence}
	s.journal.closing, s.journal.end = context.WithCancel(context.Background())
	s.journal.limit = cmp.Or(d.LogLimit, defaultLogLimit)
	s.rules, s.reader = d.Rules, d.ReadOnly
	st, err := s.recovered(found.Catalog, &state{names: newNamespace()})
	if err != nil {
		return nil, nil, errors.Join(openError(d.FS, err), found.Close())
	}
	s.publish(st)
	return s, found.Warnings, nil
}

// owner says which column of a table has a block of a segment file.
func (s *Store) owner(of segfile.Ref) (name string) {
	st := s.state.Load()
	if st == nil {
		return ""
	}
	for _, page := range st.pages {
		for _, v := range page {
			for i := 0; v != nil && i < len(v.Segs) && name == ""; i++ {
				segfile.Blocks(v.Segs[i].Segment, func(col int, r segfile.Ref) {
					if r == of {
						name = durable.Owner(v.db, v.name, v.schema, col)
					}
				})
			}
		}
	}
	return name
}

// Refresh makes a store that was opened for reading show what a writer in another process has
// committed by now. Transactions that have begun keep their snapshot. It does nothing for other
// stores. The errors are those of OpenStore; the store then stays as it was.
func (s *Store) Refresh() error {
	if !s.reader {
		return nil
	}
	c, err := s.journal.dir.Reload(s.mem)
	if err != nil {
		return sqlerr.Wrap(sqlerr.FileNotFound, err, "Can't read the database in '%s' again", s.Path())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := s.recovered(c, s.head)
	if err != nil {
		return err
	}
	s.publish(next)
	return nil
}

// openError reports why a directory cannot be opened.
func openError(dir vfs.FS, err error) error {
	var locked *vfs.LockedError
	e := sqlerr.Wrap(sqlerr.FileNotFound, err, "Can't open the database in '%s'", dir)
	switch {
	case errors.As(err, &locked):
		e = e.WithHint("Only one process can change a database. Others can open it with the option readonly=true.")
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
	default:
		e = e.WithHint("Nothing was changed. `gsql check` names everything that is damaged.")
	}
	return e
}

// recovered builds the state from what a directory has. Temporary tables are those of was, and
// keep their slots.
func (s *Store) recovered(c *durable.Catalog, was *state) (*state, error) {
	names := newNamespace()
	for _, key := range slices.Sorted(maps.Keys(c.Databases)) {
		db := c.Databases[key]
		names = names.withDatabase(&database{name: db.Name, coll: db.Coll})
	}
	st := &state{seq: was.seq, locked: &lockNode{}}
	ed := st.edit(names, &s.dropped)
	s.free, s.slots = nil, 0
	taken := map[int]bool{}
	for _, db := range was.names.dbs {
		if !temporary(db.name) {
			continue
		}
		names = names.withDatabase(db)
		for o := range db.all() {
			v := was.version(o.table)
			slot := int(o.table.slot.Load())
			ed.set(slot, v)
			taken[slot] = true
		}
	}
	s.tables.Store(max(c.NextTable, s.tables.Load()))
	for _, id := range slices.Sorted(maps.Keys(c.Tables)) {
		v := s.recoveredTable(c.Tables[id])
		slot := s.newSlot()
		for taken[slot] {
			slot = s.newSlot()
		}
		v.table.slot.Store(int64(slot))
		ed.set(slot, v)
		var err error
		if names, err = addObject(v.db, object{name: v.name, table: v.table})(names); err != nil {
			return nil, err
		}
	}
	for slot := range taken {
		s.slots = max(s.slots, slot+1)
	}
	for _, key := range slices.Sorted(maps.Keys(c.Views)) {
		v := c.Views[key]
		var err error
		if names, err = addObject(v.DB, object{name: v.Name, view: v})(names); err != nil {
			return nil, err
		}
	}
	ed.next.names = names
	return ed.next, nil
}

// recoveredTable builds the version of a table.
func (s *Store) recoveredTable(t *durable.Table) *version {
	tab := newTable(t.ID, t.DB, t.Name, t.SegmentRows, s.mem)
	tab.created = t.Created
	tab.auto.Store(t.Auto)
	schema := t.Schema
	if s.rules != nil && needsRules(schema) {
		schema.Rules = s.rules(t.DB, t.Name, schema)
	}
	v := newVersion(tab, schema)
	v.Rows, v.nextRow, v.churn = t.Rows, t.NextRow, t.Churn
	if t.Stats != nil {
		v.prior = &tableStats{Stats: t.Stats.Stats, churn: t.Stats.Churn, end: t.Stats.End, own: ownBase, preview: &preview{}, combined: &combined{}}
	}
	if v.rows() > 0 {
		for _, k := range v.keys {
			k.unread.Store(v)
		}
	}
	return v
}

// needsRules reports whether rows are computed or checked before they are stored.
func needsRules(s *catalog.Schema) bool {
	return len(s.Checks) > 0 || slices.ContainsFunc(s.Columns, func(c catalog.Column) bool { return c.Generated != "" })
}

// lookupRows is the number of rows of a recovered table up to which lookups read the keys of all
// rows. In a larger table they scan instead, until a row is added.
const lookupRows = 1 << 17

// unread is the version whose keys have not been entered yet, or nil: opening a directory does not
// read the rows.
type unread struct{ atomic.Pointer[version] }

// read enters the keys of the rows that were there when the directory was opened.
func (k *uniqueKey) read(ctx context.Context) error {
	if k.unread.Load() == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	v := k.unread.Load()
	if v == nil {
		return nil
	}
	if err := k.build(ctx, v, keyindex.New(nil, k.Form), false); err != nil {
		k.rows = *keyindex.New(v.mem, k.Form)
		return err
	}
	k.unread.Store(nil)
	return nil
}

// readForLookup is like read for a lookup, which may also scan. It reports whether the keys of all
// rows have been entered.
func (k *uniqueKey) readForLookup() bool {
	v := k.unread.Load()
	return v == nil || v.rows() <= lookupRows && k.read(context.Background()) == nil
}

// SetSync sets what COMMIT waits for, if the store is kept in a directory.
func (s *Store) SetSync(mode chainlog.Sync) {
	if s.journal != nil {
		s.journal.dir.SetSync(mode)
	}
}

// ReadOnly returns why the store cannot be changed, or nil.
func (s *Store) ReadOnly() error {
	if s.journal == nil {
		return nil
	}
	return s.journal.dir.ReadOnly()
}

// LogBytes returns the size of the log since the last checkpoint, or 0 for a store in memory.
func (s *Store) LogBytes() int64 {
	if s.journal == nil {
		return 0
	}
	return s.journal.dir.LogBytes()
}

// Path returns the directory that the store is kept in, or "".
func (s *Store) Path() string {
	if s.journal == nil {
		return ""
	}
	return s.journal.dir.Path()
}
