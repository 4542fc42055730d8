package ddl

import (
	"fmt"
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/query"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// constraint adds a key or constraint declared separately from the columns.
func (d *definition) constraint(n *ast.Constraint) error {
	x := catalog.Index{Name: n.Name}
	switch n.Tp {
	case ast.ConstraintPrimaryKey:
		x.Name, x.Unique, x.Primary = "PRIMARY", true, true
	case ast.ConstraintUniq, ast.ConstraintUniqKey, ast.ConstraintUniqIndex:
		x.Unique = true
	case ast.ConstraintKey, ast.ConstraintIndex, ast.ConstraintFulltext:
	case ast.ConstraintForeignKey:
		return d.foreignKey(n)
	case ast.ConstraintCheck:
		return d.addCheck(n.Name, n.Expr, n.Enforced)
	default:
		return sqlerr.Unsupported(-1, "this kind of key")
	}
	if n.Option != nil {
		x.Comment = n.Option.Comment
	}
	pos, err := d.keyColumns(&x, n.Keys)
	if err != nil {
		return err
	}
	return d.addKey(x, pos)
}

// BindIndex binds the key that CREATE INDEX adds to a table of the given schema.
func BindIndex(q *query.Binder, schema *catalog.Schema, n *ast.CreateIndexStmt) (catalog.Index, error) {
	d := &definition{Binder: q, schema: schema}
	x := catalog.Index{Name: n.IndexName, Unique: n.KeyType == ast.IndexKeyTypeUnique}
	if n.IndexOption != nil {
		x.Comment = n.IndexOption.Comment
	}
	_, err := d.keyColumns(&x, n.IndexPartSpecifications)
	return x, err
}

// keyColumns adds the columns of a key to x.
func (d *definition) keyColumns(x *catalog.Index, parts []*ast.IndexPartSpecification) (pos int, err error) {
	pos = -1
	for i, p := range parts {
		if p.Column == nil {
			return 0, sqlerr.Unsupported(-1, "key over an expression")
		}
		name := p.Column.Name.O
		pos = d.Find(name, d.Find("KEY", 0))
		o := d.schema.Ordinal(name)
		if o < 0 {
			return 0, sqlerr.New(sqlerr.KeyColumnDoesNotExist, "Key column '%s' doesn't exist in table", name).At(pos)
		}
		if slices.Contains(x.Columns, o) {
			return 0, sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name).At(pos)
		}
		x.Columns = append(x.Columns, o)
		if p.Length > 0 {
			if x.Prefix == nil {
				x.Prefix = make([]int, len(parts))
			}
			x.Prefix[i] = p.Length
		}
	}
	if x.Unique && x.Prefix != nil && !d.wholePrefixes(x) {
		x.Unique = false
		d.Session.Warn(uint16(sqlerr.NotSupportedYet), "UNIQUE over a column prefix is not enforced")
	}
	return pos, nil
}

// wholePrefixes reports whether a key's prefixes cover whole columns.
func (d *definition) wholePrefixes(x *catalog.Index) bool {
	for i, n := range x.Prefix {
		if size := int(d.schema.Columns[x.Columns[i]].Type.Len); n > 0 && (size == 0 || n < size) {
			return false
		}
	}
	return true
}

// addKey adds a key. Without a name it is named after its first column.
func (d *definition) addKey(x catalog.Index, pos int) error {
	given := x.Name != ""
	if !given {
		x.Name = d.schema.Columns[x.Columns[0]].Name
	}
	base := x.Name
	for i := 2; d.key(x.Name) >= 0; i++ {
		if x.Primary {
			return sqlerr.New(sqlerr.MultiplePriKey, "Multiple primary key defined").At(pos)
		}
		if given {
			return sqlerr.New(sqlerr.DupKeyName, "Duplicate key name '%s'", x.Name).At(pos)
		}
		x.Name = fmt.Sprintf("%s_%d", base, i)
	}
	if x.Primary {
		for _, o := range x.Columns {
			d.schema.Columns[o].NotNull = true
		}
	}
	d.schema.Indexes = append(d.schema.Indexes, x)
	return nil
}

// key returns the index of the key with the given name, or -1.
func (d *definition) key(name string) int {
	return slices.IndexFunc(d.schema.Indexes, func(x catalog.Index) bool { return catalog.EqualFold(x.Name, name) })
}

// foreignKey records a foreign key, which is not enforced. Like MySQL, it adds a key over the
// columns if there is none.
func (d *definition) foreignKey(n *ast.Constraint) error {
	x := catalog.Index{Name: n.Name}
	if _, err := d.keyColumns(&x, n.Keys); err != nil {
		return err
	}
	fk := catalog.ForeignKey{Name: n.Name, DB: n.Refer.Table.Schema.O, Table: n.Refer.Table.Name.O}
	for i := 1; fk.Name == ""; i++ {
		if name := fmt.Sprintf("%s_ibfk_%d", d.table, i); d.reference(name) < 0 {
			fk.Name = name
		}
	}
	if d.reference(fk.Name) >= 0 {
		return sqlerr.New(sqlerr.DupForeignKey, "Duplicate foreign key constraint name '%s'", fk.Name).At(d.Find(fk.Name, 0))
	}
	for _, o := range x.Columns {
		fk.Columns = append(fk.Columns, d.schema.Columns[o].Name)
	}
	for _, p := range n.Refer.IndexPartSpecifications {
		if p.Column != nil {
			fk.RefColumns = append(fk.RefColumns, p.Column.Name.O)
		}
	}
	if n.Refer.OnDelete != nil {
		fk.OnDelete = n.Refer.OnDelete.ReferOpt.String()
	}
	if n.Refer.OnUpdate != nil {
		fk.OnUpdate = n.Refer.OnUpdate.ReferOpt.String()
	}
	d.Session.Warn(uint16(sqlerr.NotSupportedYet), "FOREIGN KEY '"+fk.Name+"' is parsed but not enforced")
	d.schema.ForeignKeys = append(d.schema.ForeignKeys, fk)
	for _, old := range d.schema.Indexes {
		if len(old.Columns) >= len(x.Columns) && slices.Equal(old.Columns[:len(x.Columns)], x.Columns) {
			return nil
		}
	}
	x.Name = n.Name
	return d.addKey(x, -1)
}

// reference returns the index of the foreign key with the given name, or -1.
func (d *definition) reference(name string) int {
	return slices.IndexFunc(d.schema.ForeignKeys, func(f catalog.ForeignKey) bool { return catalog.EqualFold(f.Name, name) })
}

// autoKey returns error 1075 unless at most one column is AUTO_INCREMENT and a key begins with it.
func (d *definition) autoKey() error {
	auto := -1
	for i := range d.schema.Columns {
		if !d.schema.Columns[i].AutoInc {
			continue
		}
		if auto >= 0 {
			return wrongAutoKey()
		}
		auto = i
	}
	keyed := slices.ContainsFunc(d.schema.Indexes, func(x catalog.Index) bool { return x.Columns[0] == auto })
	if auto >= 0 && !keyed {
		return wrongAutoKey()
	}
	return nil
}

func wrongAutoKey() error {
	return sqlerr.New(sqlerr.WrongAutoKey, "Incorrect table definition; there can be only one auto column and it must be defined as a key")
}
