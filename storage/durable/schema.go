package durable

import (
	"gsql/sql/catalog"
	"gsql/sql/sqlmode"
	"gsql/sql/types"
)

// schema appends the definition of a table, without its rules, which are compiled from it.
func (e *encoder) schema(s *catalog.Schema) {
	e.uint(uint64(len(s.Columns)))
	for i := range s.Columns {
		e.column(&s.Columns[i])
	}
	e.uint(uint64(len(s.Indexes)))
	for i := range s.Indexes {
		e.index(&s.Indexes[i])
	}
	e.uint(uint64(len(s.Checks)))
	for i := range s.Checks {
		c := &s.Checks[i]
		e.text(c.Name)
		e.text(c.Expr)
		e.flags(c.NotEnforced)
	}
	e.uint(uint64(len(s.ForeignKeys)))
	for i := range s.ForeignKeys {
		f := &s.ForeignKeys[i]
		e.text(f.Name)
		e.texts(f.Columns)
		e.text(f.DB)
		e.text(f.Table)
		e.texts(f.RefColumns)
		e.text(f.OnDelete)
		e.text(f.OnUpdate)
	}
	e.text(s.Comment)
	last := byte(s.Coll) | byte(s.Compression)<<compressionBits
	if s.Cached {
		last |= cachedBit
	}
	e.byte(last)
}

// The byte of a table's collation also has its compression, from compressionBits on, and whether devices keep it.
const (
	compressionBits = 4
	cachedBit       = 1 << 7
)

func (d *decoder) schema() *catalog.Schema {
	s := &catalog.Schema{}
	for range d.count(1) {
		s.Columns = append(s.Columns, d.column())
	}
	for range d.count(1) {
		s.Indexes = append(s.Indexes, d.index(len(s.Columns)))
	}
	for range d.count(1) {
		c := catalog.Check{Name: d.text(), Expr: d.text()}
		d.flags(&c.NotEnforced)
		s.Checks = append(s.Checks, c)
	}
	for range d.count(1) {
		s.ForeignKeys = append(s.ForeignKeys, catalog.ForeignKey{
			Name: d.text(), Columns: d.texts(), DB: d.text(), Table: d.text(), RefColumns: d.texts(), OnDelete: d.text(), OnUpdate: d.text(),
		})
	}
	s.Comment = d.text()
	b := d.byte()
	s.Coll, s.Compression = types.Collation(b&(1<<compressionBits-1)), catalog.Compression(b&^cachedBit>>compressionBits)
	s.Cached = b&cachedBit != 0
	if !s.Compression.Valid() {
		d.fail(errUnknown)
	}
	return s
}

func (e *encoder) column(c *catalog.Column) {
	e.text(c.Name)
	e.typ(c.Type)
	e.text(c.Format)
	e.text(c.Declared)
	e.flags(c.NotNull, c.DefaultExpr, c.OnUpdateNow, c.AutoInc, c.Fixed, c.NotNegative, c.Stored, c.Default != nil)
	if c.Default != nil {
		e.text(*c.Default)
	}
	e.byte(c.Width)
	e.text(c.Generated)
	e.text(c.Comment)
}

func (d *decoder) column() catalog.Column {
	c := catalog.Column{Name: d.text(), Type: d.typ(), Format: d.text(), Declared: d.text()}
	var hasDefault bool
	d.flags(&c.NotNull, &c.DefaultExpr, &c.OnUpdateNow, &c.AutoInc, &c.Fixed, &c.NotNegative, &c.Stored, &hasDefault)
	if hasDefault {
		text := d.text()
		c.Default = &text
	}
	c.Width = d.byte()
	c.Generated = d.text()
	c.Comment = d.text()
	return c
}

func (e *encoder) typ(t types.Type) {
	e.byte(byte(t.ID))
	e.byte(t.Prec)
	e.byte(t.Scale)
	e.byte(byte(t.Coll))
	e.uint(uint64(t.Len))
	e.texts(t.Members.Values())
}

func (d *decoder) typ() types.Type {
	t := types.Type{ID: types.ID(d.byte()), Prec: d.byte(), Scale: d.byte(), Coll: types.Collation(d.byte()), Len: uint32(d.uint())}
	if members := d.texts(); len(members) > 0 {
		t.Members = types.NewMembers(members)
	}
	if t.ID > types.Set || t.ID == types.Decimal && (t.Prec > types.MaxPrecision || t.Scale > t.Prec) {
		d.fail(errUnknown)
	}
	return t
}

func (e *encoder) index(x *catalog.Index) {
	e.text(x.Name)
	e.uint(uint64(len(x.Columns)))
	for _, c := range x.Columns {
		e.uint(uint64(c))
	}
	e.uint(uint64(len(x.Prefix)))
	for _, p := range x.Prefix {
		e.uint(uint64(p))
	}
	e.flags(x.Unique, x.Primary)
	e.text(x.Comment)
}

func (d *decoder) index(columns int) catalog.Index {
	x := catalog.Index{Name: d.text()}
	for range d.count(1) {
		c := d.uint()
		if c >= uint64(columns) {
			d.fail(errUnknown)
			return x
		}
		x.Columns = append(x.Columns, int(c))
	}
	for range d.count(1) {
		x.Prefix = append(x.Prefix, int(d.uint()))
	}
	d.flags(&x.Unique, &x.Primary)
	x.Comment = d.text()
	return x
}

func (e *encoder) view(v *catalog.View) {
	e.text(v.DB)
	e.text(v.Name)
	e.flags(v.Columns != nil)
	e.texts(v.Columns)
	e.text(v.SQL)
	e.text(v.Within)
	e.uint(uint64(v.Mode))
}

func (d *decoder) view() *catalog.View {
	v := &catalog.View{DB: d.text(), Name: d.text()}
	var listed bool
	d.flags(&listed)
	v.Columns = d.texts()
	if listed && v.Columns == nil {
		v.Columns = []string{}
	}
	v.SQL, v.Within, v.Mode = d.text(), d.text(), sqlmode.Mode(d.uint())
	return v
}
