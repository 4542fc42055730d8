package jsonfile

import (
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/storage/files/dynamic"
	"gsql/storage/files/format"
)

// field says which column a member has. If its objects are nested, their members have columns instead, and
// its own column is hidden.
type field struct {
	column int
	nested []field // by number of the member; nil for a member whose values are not taken apart
}

// columns chooses the columns of a file of objects.
type columns struct {
	opt    *Options
	names  []string
	seen   []*dynamic.Seen
	hidden []hiddenColumn
}

// hiddenColumn is a column of whole objects whose members have columns.
type hiddenColumn struct {
	name string
	of   *field
	seen *dynamic.Seen
}

// decide chooses the columns for what is known of the file.
func (p *Part) decide() {
	mixed := types.T(types.JSON)
	p.cols, p.fields, p.values = nil, nil, p.known.others || len(p.known.names) == 0
	if p.values {
		t := p.known.whole
		p.cols = []dynamic.Column{dynamic.NewColumn(ValueColumn, &t, mixed, p.opt.Types)}
		p.visible = 1
		return
	}
	c := &columns{opt: &p.opt}
	p.fields = c.fields(&p.known.members, "", !p.opt.Whole && !p.known.tooMany())
	if len(c.names)+len(c.hidden) > mostNames {
		c = &columns{opt: &p.opt}
		p.fields = c.fields(&p.known.members, "", false)
	}
	p.visible = len(c.names)
	for _, h := range c.hidden {
		h.of.column = c.add(h.name, h.seen)
	}
	format.UniqueNames(len(c.names), func(i int) *string { return &c.names[i] })
	for i, name := range c.names {
		p.cols = append(p.cols, dynamic.NewColumn(name, c.seen[i], mixed, p.opt.Types))
	}
}

func (c *columns) add(name string, seen *dynamic.Seen) int {
	c.names, c.seen = append(c.names, name), append(c.seen, seen)
	return len(c.names) - 1
}

// fields assigns columns to members whose path in the rows begins with prefix. If paths is set, nested objects
// are taken apart.
func (c *columns) fields(of *members, prefix string, paths bool) []field {
	out := make([]field, len(of.list))
	for i, m := range of.list {
		name := prefix + of.names[i]
		if !paths || !m.nested() || c.declared(name) {
			out[i].column = c.add(name, &m.seen)
			continue
		}
		out[i].nested = c.fields(&m.members, name+".", paths)
		c.hidden = append(c.hidden, hiddenColumn{name, &out[i], &m.seen})
	}
	return out
}

// declared reports whether a column has a declared type, and is therefore not taken apart.
func (c *columns) declared(name string) bool {
	for n := range c.opt.Types {
		if catalog.EqualFold(n, name) {
			return true
		}
	}
	return false
}
