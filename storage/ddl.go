package storage

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/keyindex"
	"gsql/storage/segment"
)

func sortNames(names []string) { slices.Sort(names) }

// DDL changes definitions within a transaction: databases, tables, views and indexes. Like rows, they
// become visible to others at commit.
type DDL struct{ *Tx }

// DDL returns the interface for changing definitions in the transaction.
func (tx *Tx) DDL() DDL { return DDL{tx} }

// apply makes a change to the names that the transaction sees and records it for the commit.
func (tx DDL) apply(c change) error {
	if tx.done {
		return errDone
	}
	n, err := c(tx.names)
	if err != nil {
		return err
	}
	tx.names = n
	tx.changes = append(tx.changes, c)
	return nil
}

func (tx *Tx) dbName(db string) string {
	if db == "" {
		return tx.db
	}
	return db
}

// CreateDatabase creates an empty database; error 1007 if it exists. Like all changes of
// definitions it belongs to the transaction; callers that want MySQL's implicit commits must
// commit themselves.
func (tx DDL) CreateDatabase(name string) error { return tx.apply(addDatabase(name)) }

// SetCollation sets the default collation of tables created in a database; error 1049.
func (tx DDL) SetCollation(db string, coll types.Collation) error {
	return tx.apply(setCollation(tx.dbName(db), coll))
}

// DropDatabase removes a database with its tables; error 1008 if it does not exist. The default
// database cannot be dropped.
func (tx DDL) DropDatabase(name string) error { return tx.apply(dropDatabase(name)) }

// CreateTable creates an empty table in db ("" means the current one). Errors: 1049, 1050, 1060
// for columns and 1061 for keys with the same name, 1068 for two primary keys. PRIMARY KEY makes
// its columns NOT NULL. The schema must not be changed afterwards.
func (tx DDL) CreateTable(db, name string, schema *catalog.Schema) error {
	return tx.createTable(tx.dbName(db), name, schema)
}

func (tx DDL) createTable(db, name string, schema *catalog.Schema) error {
	schema, err := checkSchema(schema)
	if err != nil {
		return err
	}
	t := newTable(tx.store.tables.Add(1), db, name, tx.store.segmentRows, tx.store.mem)
	if err := tx.apply(addObject(db, object{name: name, table: t})); err != nil {
		return err
	}
	v := newVersion(t, schema)
	tx.writes = append(tx.writes, &write{base: v, view: v, created: true})
	return nil
}

// checkSchema returns a copy of the schema in which the primary key's columns are NOT NULL.
func checkSchema(s *catalog.Schema) (*catalog.Schema, error) {
	out := new(catalog.Schema)
	*out = *s
	out.Columns, out.Indexes = slices.Clone(s.Columns), nil
	seen := make(map[string]bool)
	for _, c := range s.Columns {
		if seen[strings.ToLower(c.Name)] {
			return nil, sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", c.Name)
		}
		seen[strings.ToLower(c.Name)] = true
	}
	for _, x := range s.Indexes {
		if err := addIndex(out, x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addIndex adds an index to a schema under construction.
func addIndex(s *catalog.Schema, x catalog.Index) error {
	if x.Primary {
		x.Unique, x.Name = true, "PRIMARY"
	}
	for _, old := range s.Indexes {
		if x.Primary && old.Primary {
			return sqlerr.New(sqlerr.MultiplePriKey, "Multiple primary key defined")
		}
		if catalog.EqualFold(old.Name, x.Name) {
			return sqlerr.New(sqlerr.DupKeyName, "Duplicate key name '%s'", x.Name)
		}
	}
	if x.Primary {
		for _, c := range x.Columns {
			s.Columns[c].NotNull = true
		}
	}
	s.Indexes = append(s.Indexes, x)
	return nil
}

// DropTable removes a table, preferring a temporary one; errors 1049 and 1051.
func (tx DDL) DropTable(db, name string) error {
	db = tx.dbName(db)
	return tx.dropTable(tx.shadowing(db, name), name)
}

func (tx DDL) dropTable(db, name string) error {
	o, _ := tx.names.lookup(db, name)
	if err := tx.apply(dropObject(db, name, false)); err != nil {
		return err
	}
	v := tx.version(o.table)
	w, err := tx.target(v)
	if err != nil {
		return err
	}
	w.dropped = true
	return nil
}

// CreateView creates a view in view.DB ("" means the current database). Errors: 1049, 1050, and
// 1347 if replace is set and the name belongs to a table.
func (tx DDL) CreateView(view catalog.View, replace bool) error {
	view.DB = tx.dbName(view.DB)
	o := object{name: view.Name, view: &view}
	if replace {
		return tx.apply(replaceView(view.DB, o))
	}
	return tx.apply(addObject(view.DB, o))
}

// DropView removes a view; errors 1049, 1051, and 1347 for a table.
func (tx DDL) DropView(db, name string) error {
	return tx.apply(dropObject(tx.dbName(db), name, true))
}

// CreateIndex adds an index. Errors: 1061 for a name in use, 1062 if a unique index meets
// duplicates, 1068, and 1048 if a PRIMARY KEY meets NULLs.
func (tx DDL) CreateIndex(ctx context.Context, tbl catalog.Table, x catalog.Index) error {
	w, err := tx.target(tbl)
	if err != nil {
		return err
	}
	schema := new(catalog.Schema)
	*schema = *w.view.schema
	schema.Columns, schema.Indexes = slices.Clone(schema.Columns), slices.Clone(schema.Indexes)
	if err := addIndex(schema, x); err != nil {
		return err
	}
	x = schema.Indexes[len(schema.Indexes)-1]
	schema.SortIndexes()
	next := w.view.successor()
	next.schema = schema
	if x.Unique {
		key := newUniqueKey(w.view.table, schema, &x)
		local := keyindex.New(w.view.mem, key.Form)
		if err := key.build(ctx, w.view, local, x.Primary); err != nil {
			return err
		}
		next.keys = append(slices.Clip(w.view.keys), key)
		for len(w.local) < len(w.view.keys) {
			w.local = append(w.local, keyindex.New(w.view.mem, w.view.keys[len(w.local)].Form))
		}
		w.local = append(slices.Clip(w.local), local)
	}
	w.view, w.altered = next, true
	return nil
}

// build enters the keys of all rows of v: committed rows into the key itself, own rows
// into local.
func (k *uniqueKey) build(ctx context.Context, v *version, local *keyindex.Index, primary bool) error {
	held := v.mem.HoldAnyway(0)
	defer held.Free()
	chunks, err := k.chunksOf(ctx, v, held, primary)
	if err != nil {
		return err
	}
	own, _ := slices.BinarySearchFunc(chunks, ownBase, func(c *keyindex.Chunk, id int64) int { return cmp.Compare(c.First(), id) })
	any := func(int64) bool { return true }
	taken, err := k.rows.Enter(ctx, chunks[:own], keyindex.Others{Index: &k.rows, Taken: any})
	if err == nil && taken < 0 {
		taken, err = local.Enter(ctx, chunks[own:], keyindex.Others{Index: &k.rows, Taken: any}, keyindex.Others{Index: local, Taken: any})
	}
	if err == nil && taken >= 0 {
		err = k.duplicateRow(v, taken)
	}
	return err
}

// chunksOf reads the keys of all rows of v, in order. held is charged for them.
func (k *uniqueKey) chunksOf(ctx context.Context, v *version, held *mem.Holding, primary bool) ([]*keyindex.Chunk, error) {
	src, err := v.Scan(ctx, catalog.ScanSpec{Columns: append(slices.Clip(k.At), catalog.RowID)})
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var chunks []*keyindex.Chunk
	read := func() error {
		r, err := src.NewReader()
		if err != nil {
			return err
		}
		cols := make([]*vec.Vector, len(v.schema.Columns))
		for {
			b, err := r.Next()
			if err != nil || b == nil {
				return err
			}
			if b.N == 0 {
				continue
			}
			for i, c := range k.At {
				cols[c] = b.Cols[i]
				if primary && cols[c].Flatten(nil).MayHaveNulls() {
					return sqlerr.New(sqlerr.BadNull, "Column '%s' cannot be null", v.schema.Columns[c].Name)
				}
			}
			c, err := k.chunk(cols, b.N)
			if err != nil {
				return err
			}
			c.WithIDs(b.Cols[len(k.At)].I64)
			if err := held.Grow(c.Bytes()); err != nil {
				return sqlerr.From(err)
			}
			mu.Lock()
			chunks = append(chunks, c)
			mu.Unlock()
		}
	}
	var g errgroup.Group
	for range min(runtime.GOMAXPROCS(0), 1+int(v.rows()/segment.DefaultRows)) {
		g.Go(func() error { return sqlerr.Guard(read) })
	}
	err = g.Wait()
	slices.SortFunc(chunks, func(a, b *keyindex.Chunk) int { return cmp.Compare(a.First(), b.First()) })
	return chunks, err
}

// DropIndex removes an index by name, PRIMARY for the primary key; error 1091.
func (tx DDL) DropIndex(tbl catalog.Table, name string) error {
	w, err := tx.target(tbl)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(w.view.schema.Indexes, func(x catalog.Index) bool { return catalog.EqualFold(x.Name, name) })
	if at < 0 {
		return sqlerr.New(sqlerr.CantDropFieldOrKey, "Can't DROP '%s'; check that column/key exists", name)
	}
	schema := new(catalog.Schema)
	*schema = *w.view.schema
	schema.Indexes = slices.Delete(slices.Clone(schema.Indexes), at, at+1)
	next := w.view.successor()
	next.schema = schema
	if k := slices.IndexFunc(next.keys, func(k *uniqueKey) bool { return catalog.EqualFold(k.name, name) }); k >= 0 {
		next.keys = slices.Delete(slices.Clone(next.keys), k, k+1)
		if k < len(w.local) {
			w.local = slices.Delete(slices.Clone(w.local), k, k+1)
		}
	}
	w.view, w.altered = next, true
	return nil
}

// Rename renames a table or view and moves it to database toDB; "" means the current database for
// db and toDB. Errors: 1049, 1146, and 1050 if the new name is taken.
func (tx DDL) Rename(db, name, toDB, toName string) error {
	db, toDB = tx.dbName(db), tx.dbName(toDB)
	db, toDB = tx.shadowing(db, name), tx.besides(db, name, toDB)
	o, err := tx.names.lookup(db, name)
	if err != nil {
		return err
	}
	moved := object{name: toName}
	if o.view != nil {
		view := *o.view
		view.DB, view.Name = toDB, toName
		moved.view = &view
	} else {
		moved.table = o.table.renamed(toDB, toName)
	}
	if err := tx.apply(moveObject(db, o, toDB, moved)); err != nil {
		return err
	}
	if o.view != nil {
		return nil
	}
	return tx.renameVersion(o.table, moved.table)
}

// renameVersion moves t's contents and keys to the table to.
func (tx DDL) renameVersion(t, to *table) error {
	w, err := tx.target(tx.version(t))
	if err != nil {
		return err
	}
	next := w.view.successor()
	next.table = to
	next.keys = make([]*uniqueKey, len(w.view.keys))
	for i, k := range w.view.keys {
		named := *k
		named.table = to.name
		next.keys[i] = &named
	}
	w.view, w.altered = next, true
	return nil
}

// moveObject removes an object's name and adds the object to under its new one. The error is 1146
// if the name no longer refers to the object.
func moveObject(db string, o object, toDB string, to object) change {
	return func(n *namespace) (*namespace, error) {
		key := strings.ToLower(o.name)
		n, err := n.withObject(db, key, func(m map[string]object) error {
			if m[key] != o {
				return sqlerr.New(sqlerr.NoSuchTable, "Table '%s.%s' doesn't exist", db, o.name)
			}
			delete(m, key)
			return nil
		})
		if err != nil {
			return nil, err
		}
		return addObject(toDB, to)(n)
	}
}
