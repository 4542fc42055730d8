package storage

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/conform"
	"gsql/storage/keyindex"
	"gsql/storage/segment"
)

// Alteration describes the changes that ALTER TABLE makes to a table.
type Alteration struct {
	Schema  *catalog.Schema
	Columns []AlteredColumn // one for every column of Schema
	Check   bool            // verify that existing rows satisfy Schema.Rules
	// AutoIncrement is the lowest next AUTO_INCREMENT value, or 0 to leave the counter unchanged.
	AutoIncrement uint64
}

// AlteredColumn describes the source of a column's values: a column of the old table, Compute, or
// row numbers.
type AlteredColumn struct {
	From    int     // ordinal in the old schema, or -1
	Compute Compute // used if From is -1; if nil, the rows are numbered from 1
	// Inputs are the ordinals of Compute's arguments: in the old schema, or, for a generated
	// column, in the new one. The inputs of a generated column precede it or are not generated.
	Inputs    []int
	Generated bool
}

// Compute returns the values of a column for n rows, starting at row number row0, from flat input
// vectors. It is called from several goroutines.
//
// held are the bytes of long texts among the values, which Alter releases from the session's account
// once they are stored.
type Compute func(inputs []*vec.Vector, n, row0 int) (v *vec.Vector, held int64, err error)

// Alter changes a table's definition and rows. Unchanged columns keep their memory: adding or
// dropping one column does not copy the others. The transaction must not have inserted rows into
// the table. Errors are those of Compute and of Schema.Rules, 1138 for a NULL in a column that
// becomes NOT NULL, and 1062 for a duplicate in a new key; after an error nothing has changed.
func (tx DDL) Alter(ctx context.Context, tbl catalog.Table, a Alteration) error {
	w, err := tx.target(tbl)
	if err != nil {
		return err
	}
	if w.view.own != nil {
		return sqlerr.Internal("ALTER TABLE in a transaction that has inserted rows")
	}
	schema, err := checkSchema(a.Schema)
	if err != nil {
		return err
	}
	next := w.view.successor()
	next.schema, next.prior = schema, nil
	al := &altering{ctx: ctx, tx: tx.Tx, old: w.view, next: next, columns: a.Columns}
	if err := al.rows(); err != nil {
		return err
	}
	if a.Check && schema.Rules != nil {
		if err := next.checkRules(ctx, tx.Env); err != nil {
			return err
		}
	}
	if err := al.keys(); err != nil {
		return err
	}
	if w.counter, err = al.counter(a.AutoIncrement); err != nil {
		return err
	}
	w.view, w.altered = next, true
	return nil
}

// altering is the state of a running ALTER TABLE.
type altering struct {
	ctx       context.Context
	tx        *Tx
	old, next *version
	columns   []AlteredColumn
}

// rows builds next's segments and tail from old's.
func (al *altering) rows() error {
	next := al.next
	next.Segs = slices.Clone(al.old.Segs)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	row0 := 0
	for i := range next.Segs {
		s, first := &next.Segs[i], row0
		row0 += s.Rows - s.Del.Count()
		g.Go(func() error { return sqlerr.Guard(func() error { return al.segment(s, first) }) })
	}
	g.Go(func() error { return sqlerr.Guard(func() error { return al.tail(row0) }) })
	return g.Wait()
}

// segment replaces the segment of s by one with next's columns.
func (al *altering) segment(s *segment.Sealed, row0 int) error {
	seg := &segment.Segment{Rows: s.Rows, Cols: make([]segment.Column, len(al.columns)), IDs: s.IDs}
	r := run{Sealed: *s}
	var held heldTexts
	defer held.release(al.tx)
	computed, err := al.compute(&r, row0, &held)
	if err != nil {
		return err
	}
	for c, from := range al.columns {
		def := &al.next.schema.Columns[c]
		if from.From < 0 {
			if seg.Cols[c], err = segment.SealVector(al.next.mem, def, computed[c]); err != nil {
				return err
			}
		} else {
			seg.Cols[c] = s.Cols[from.From].Retyped(def.Type)
		}
		seg.Bytes += seg.Cols[c].Bytes()
	}
	s.Segment = seg
	return nil
}

// tail builds next's tail from blocks that share the unchanged columns with old's.
func (al *altering) tail(row0 int) error {
	old := &al.old.Tail
	if old.N == 0 {
		return nil
	}
	whole := run{Sealed: segment.Sealed{Base: old.Base, Del: al.old.TailDel}, tail: old}
	var held heldTexts
	defer held.release(al.tx)
	cols, err := al.compute(&whole, row0, &held)
	if err != nil {
		return err
	}
	t := segment.Tail{Base: old.Base, N: old.N, Bytes: old.Bytes}
	for _, b := range old.Blocks {
		made := al.block(b, cols, min(b.Cap, old.N-b.Start))
		if err := made.Charge(al.next.mem, made.Memory()); err != nil {
			return err
		}
		t.Blocks = append(t.Blocks, made)
	}
	al.next.Tail = t
	return nil
}

// block builds the block of n rows that replaces b.
func (al *altering) block(b *segment.Block, computed []*vec.Vector, n int) *segment.Block {
	out := &segment.Block{Start: b.Start, Cap: b.Cap, Cols: make([]*vec.Vector, len(computed))}
	for c, v := range computed {
		def := &al.next.schema.Columns[c]
		var dst *vec.Vector
		if v == nil {
			shared := *b.Cols[al.columns[c].From]
			shared.Type = def.Type
			dst = &shared
		} else {
			dst = vec.NewFlat(def.Type, b.Cap)
			if v.Null != nil {
				dst.Null = make([]bool, b.Cap)
			}
			segment.CopyRows(dst, 0, v, b.Start, b.Start+n)
		}
		if !def.NotNull && dst.Null == nil {
			dst.Null = make([]bool, b.Cap)
		}
		out.Cols[c] = dst
	}
	return out
}

// noNulls returns error 1138 if a column that becomes NOT NULL has a NULL in r.
func (al *altering) noNulls(r *run, c int) error {
	def := &al.next.schema.Columns[c]
	from := al.columns[c].From
	if !def.NotNull || al.old.schema.Columns[from].NotNull {
		return nil
	}
	if r.Segment != nil && r.Cols[from].Zone.Nulls == 0 {
		return nil
	}
	v, err := r.values(al.old.schema, from, 0, r.rows())
	if err != nil {
		return err
	}
	if v.Null != nil && slices.Contains(v.Null[:v.N], true) {
		return sqlerr.New(sqlerr.InvalidUseOfNull, "Invalid use of NULL value").WithHint("Column '%s' has NULLs.", def.Name)
	}
	return nil
}

// compute returns the computed columns of next for all rows of r; the values of deleted rows are
// arbitrary. Unchanged columns are nil. Generated columns are computed last because they read
// other columns of next.
func (al *altering) compute(r *run, row0 int, held *heldTexts) ([]*vec.Vector, error) {
	live := make([]*vec.Vector, len(al.columns))
	for _, generated := range []bool{false, true} {
		for c, from := range al.columns {
			var err error
			switch {
			case from.From >= 0 && !generated:
				err = al.noNulls(r, c)
			case from.From < 0 && from.Generated == generated:
				live[c], err = al.column(r, c, live, row0, held)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if r.Del.Count() > 0 {
		for c, v := range live {
			if v != nil {
				live[c] = spread(v, r)
			}
		}
	}
	return live, nil
}

// column computes column c of next for the live rows of r.
func (al *altering) column(r *run, c int, live []*vec.Vector, row0 int, held *heldTexts) (*vec.Vector, error) {
	if err := al.ctx.Err(); err != nil {
		return nil, sqlerr.From(err)
	}
	def, from := &al.next.schema.Columns[c], &al.columns[c]
	n := r.rows() - r.Del.Count()
	if from.Compute == nil {
		return conform.Vector(def, numbered(def.Type, n, row0), row0, nil)
	}
	inputs := make([]*vec.Vector, len(from.Inputs))
	for i, o := range from.Inputs {
		if from.Generated {
			if inputs[i] = live[o]; inputs[i] != nil {
				continue
			}
			o = al.columns[o].From
		}
		var err error
		if inputs[i], err = r.values(al.old.schema, o, 0, r.rows()); err != nil {
			return nil, err
		}
	}
	v, texts, err := from.Compute(inputs, n, row0)
	if err != nil {
		return nil, err
	}
	*held += heldTexts(texts)
	return conform.Vector(def, v, row0, nil)
}

// numbered returns the row numbers of n rows, counted from 1, where row0 rows precede the first.
func numbered(t types.Type, n, row0 int) *vec.Vector {
	v := vec.NewFlat(t, n)
	for i := range n {
		switch t.Kind() {
		case types.KindF64:
			v.F64[i] = float64(row0 + i + 1)
		default:
			v.I64[i] = int64(row0 + i + 1)
		}
	}
	return v
}

// spread moves the values of r's live rows to their positions among all rows.
func spread(v *vec.Vector, r *run) *vec.Vector {
	idx := make([]int32, r.rows())
	if v.N == 0 {
		return vec.NewFlat(v.Type, r.rows())
	}
	for i, row := range r.Del.Live(nil, 0, r.rows()) {
		idx[row] = int32(i)
	}
	var c vec.Composer
	return c.View(v, idx).Flatten(nil)
}

// checkRules applies the schema's rules to all rows.
func (v *version) checkRules(ctx context.Context, env catalog.Env) error {
	for _, r := range v.runs() {
		if err := ctx.Err(); err != nil {
			return sqlerr.From(err)
		}
		cols := make([]*vec.Vector, len(v.schema.Columns))
		for c := range cols {
			var err error
			if cols[c], err = r.values(v.schema, c, 0, r.rows()); err != nil {
				return err
			}
		}
		held, err := v.schema.Rules.Apply(env, cols)
		if err != nil {
			return err
		}
		if held > 0 {
			env.Memory().Release(held)
		}
	}
	return nil
}

// keys sets next's unique keys. Keys over unchanged columns share their entries; the others are
// rebuilt.
func (al *altering) keys() error {
	next := al.next
	next.keys = nil
	for i := range next.schema.Indexes {
		x := &next.schema.Indexes[i]
		if !x.Unique && !x.Primary {
			continue
		}
		key := newUniqueKey(next.table, next.schema, x)
		if old := al.sameKey(key); old != nil {
			if err := old.read(al.ctx); err != nil {
				return err
			}
			key.keyEntries = old.keyEntries
		} else if err := key.build(al.ctx, next, keyindex.New(next.mem, key.Form), x.Primary); err != nil {
			return err
		}
		next.keys = append(next.keys, key)
	}
	return nil
}

// sameKey returns the old key over the columns that key's columns come from, or nil.
func (al *altering) sameKey(key *uniqueKey) *uniqueKey {
	for _, old := range al.old.keys {
		same := len(old.At) == len(key.At) && old.Form == key.Form && slices.Equal(old.Collations, key.Collations)
		for i := 0; same && i < len(key.At); i++ {
			same = al.columns[key.At[i]].From == old.At[i]
		}
		if same {
			return old
		}
	}
	return nil
}

// counter returns the new value of the AUTO_INCREMENT counter if the column is new or the
// statement sets a next value, otherwise nil.
func (al *altering) counter(next uint64) (*uint64, error) {
	v := al.next
	at := slices.IndexFunc(v.schema.Columns, func(c catalog.Column) bool { return c.AutoInc })
	if at < 0 || !v.schema.Columns[at].Type.IsInteger() {
		return nil, nil
	}
	if from := al.columns[at].From; next == 0 && from >= 0 && al.old.schema.Columns[from].AutoInc {
		return nil, nil
	}
	top := uint64(0)
	if next > 0 {
		top = next - 1
	}
	for _, r := range v.runs() {
		if err := al.ctx.Err(); err != nil {
			return nil, sqlerr.From(err)
		}
		vals, err := r.values(v.schema, at, 0, r.rows())
		if err != nil {
			return nil, err
		}
		for _, x := range vals.I64[:vals.N] {
			if x > 0 || v.schema.Columns[at].Type.IsUnsigned() {
				top = max(top, uint64(x))
			}
		}
	}
	return &top, nil
}
