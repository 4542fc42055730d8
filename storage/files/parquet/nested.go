package parquet

import (
	"gsql/sql/json"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
	"gsql/storage/files/nested"
)

// nestedReader assembles the lists, maps and structures of a column as JSON.
type nestedReader struct {
	shape  *nestedShape
	leaves []*leafReader
	out    vec.Vector
	null   []bool
	text   []byte
}

// nestedReader returns a reader of a nested column, positioned at its first row.
func (g *rowGroup) nestedReader(c *column) (*nestedReader, error) {
	r := &nestedReader{}
	r.shape = r.shapeOf(c.node)
	for _, leaf := range r.leaves {
		var err error
		if leaf.col.Type.ID == types.Null {
			leaf.nothing = true
		}
		if leaf.pages, err = g.scan.loadChunk(g.num, leaf.col, &g.lent); err != nil {
			return nil, err
		}
		leaf.pages.sole = g.sole
		leaf.shared = &sharedColumn{}
		leaf.entries = g.scan.meta.groups[g.num].chunks[leaf.col.node.leaf].values
	}
	return r, nil
}

// shapeKind is the way in which a node's children appear in the JSON.
type shapeKind uint8

const (
	shapeLeaf shapeKind = iota
	shapeStruct
	shapeList // the only child is the element
	shapeMap  // the children are keys and, usually, values

	shapeVariant
	shapeShredded // the object of a shredded variant: the children are variants
)

// nestedShape is a node of the schema as shown in the JSON, without the nodes between a list and
// its elements.
type nestedShape struct {
	kind     shapeKind
	node     *schemaNode // of a structure
	level    int         // repetition level of further elements of a list or map
	present  int         // least definition level of a non-NULL value
	some     int         // least definition level of a non-empty list or map
	children []*nestedShape
	leaves   []*leafReader // of the node and its descendants
	leaf     *leafReader
	members  []json.Member
	variant  *variantShape // of variants
}

// shapeOf returns the shape of a node and creates the readers of its leaves.
func (r *nestedReader) shapeOf(n *schemaNode) *nestedShape {
	if n.repeated {
		return r.listOf(n, n.maxDef-1, n)
	}
	return r.valueOf(n)
}

// listOf returns the shape of the list of a repeated node's elements.
func (r *nestedReader) listOf(repeated *schemaNode, present int, element *schemaNode) *nestedShape {
	first := len(r.leaves)
	s := &nestedShape{kind: shapeList, level: repeated.maxRep, present: present, some: repeated.maxDef}
	if element == repeated {
		s.children = []*nestedShape{r.valueOf(element)}
	} else {
		s.children = []*nestedShape{r.shapeOf(element)}
	}
	s.leaves = r.leaves[first:len(r.leaves):len(r.leaves)]
	return s
}

// valueOf returns the shape of one value of a node.
func (r *nestedReader) valueOf(n *schemaNode) *nestedShape {
	first := len(r.leaves)
	s := &nestedShape{node: n, present: n.maxDef}
	only := (*schemaNode)(nil)
	if len(n.children) == 1 && n.children[0].repeated {
		only = n.children[0]
	}
	switch {
	case n.leaf >= 0:
		s.leaf = newLeafReader(n)
		r.leaves = append(r.leaves, s.leaf)
	case n.isVariant():
		return r.variantOf(n, nil)
	case n.logical.kind == logicalList && only != nil:
		return r.listOf(only, n.maxDef, elementOf(n, only))
	case n.logical.kind == logicalMap && only != nil && len(only.children) == 1:
		return r.listOf(only, n.maxDef, only.children[0])
	case n.logical.kind == logicalMap && only != nil && len(only.children) == 2:
		s.kind, s.level, s.some = shapeMap, only.maxRep, only.maxDef
		s.children = []*nestedShape{r.shapeOf(only.children[0]), r.shapeOf(only.children[1])}
	default:
		s.kind = shapeStruct
		for _, c := range n.children {
			s.children = append(s.children, r.shapeOf(c))
		}
	}
	s.leaves = r.leaves[first:len(r.leaves):len(r.leaves)]
	return s
}

// elementOf returns the element of a list: the repeated node itself, as in files of older
// writers, or its only child.
func elementOf(list, repeated *schemaNode) *schemaNode {
	if len(repeated.children) != 1 || repeated.name == "array" || repeated.name == list.name+"_tuple" || repeated.children[0].repeated {
		return repeated
	}
	return repeated.children[0]
}

// read implements vectorReader.
func (r *nestedReader) read(n int) (*vec.Vector, error) {
	v := &r.out
	v.Type, v.Null = types.T(types.JSON), nil
	v.Resize(n)
	r.null = format.Sized(r.null, n)
	clear(r.null)
	for i := range n {
		isNull, err := r.row()
		if err != nil {
			return nil, err
		}
		if isNull {
			v.Str[i], r.null[i], v.Null = "", true, r.null
			continue
		}
		v.Str[i] = string(r.text)
	}
	return v, nil
}

// skip implements vectorReader.
func (r *nestedReader) skip(rows int64) error {
	for range rows {
		if _, err := r.row(); err != nil {
			return err
		}
	}
	return nil
}

// row writes the next row to text, unless it is NULL.
func (r *nestedReader) row() (isNull bool, err error) {
	for _, l := range r.leaves {
		if err := l.fill(); err != nil {
			return false, err
		}
		if l.rep() != 0 {
			return false, nested.ErrLevels
		}
	}
	if r.shape.isNull() {
		return true, r.shape.pass()
	}
	r.text, err = r.shape.append(r.text[:0])
	return false, err
}

// isNull reports whether the current value is NULL.
func (s *nestedShape) isNull() bool { return s.leaves[0].def() < s.present }

// pass skips the entries of a value without elements.
func (s *nestedShape) pass() error {
	for _, l := range s.leaves {
		if err := l.next(); err != nil {
			return err
		}
	}
	return nil
}

// append appends the current value and advances past it.
func (s *nestedShape) append(dst []byte) ([]byte, error) {
	if s.isNull() {
		return append(dst, "null"...), s.pass()
	}
	switch s.kind {
	case shapeList:
		return s.appendList(dst)
	case shapeMap:
		return s.appendMap(dst)
	case shapeStruct:
		return s.appendStruct(dst)
	case shapeVariant:
		dst, some, err := s.appendVariant(dst)
		if err == nil && !some {
			dst = append(dst, "null"...)
		}
		return dst, err
	}
	dst, err := s.leaf.append(dst)
	if err != nil {
		return dst, err
	}
	return dst, s.leaf.next()
}

func (s *nestedShape) appendList(dst []byte) (_ []byte, err error) {
	dst = append(dst, '[')
	if s.leaves[0].def() < s.some {
		return append(dst, ']'), s.pass()
	}
	for i := 0; ; i++ {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if dst, err = s.children[0].append(dst); err != nil {
			return dst, err
		}
		if len(dst) > nested.MaxBytes {
			return dst, nested.ErrLong
		}
		if !s.goesOn() {
			return append(dst, ']'), nil
		}
	}
}

// goesOn reports whether another element of the list or map follows.
func (s *nestedShape) goesOn() bool { return s.leaves[0].rep() == s.level }

func (s *nestedShape) appendStruct(dst []byte) ([]byte, error) {
	s.members = s.members[:0]
	for i, c := range s.children {
		text, err := c.append(nil)
		if err != nil {
			return dst, err
		}
		s.members = append(s.members, json.Member{Name: nested.ToText(s.node.children[i].name), Value: string(text)})
	}
	return json.AppendObject(dst, s.members), nil
}

func (s *nestedShape) appendMap(dst []byte) ([]byte, error) {
	s.members = s.members[:0]
	size := 0
	for some := s.leaves[0].def() >= s.some; some; some = s.goesOn() {
		key, err := s.children[0].append(nil)
		if err != nil {
			return dst, err
		}
		value, err := s.children[1].append(nil)
		if err != nil {
			return dst, err
		}
		s.members = append(s.members, json.Member{Name: nested.Name(key), Value: string(value)})
		if size += len(key) + len(value); size > nested.MaxBytes {
			return dst, nested.ErrLong
		}
	}
	if len(s.members) == 0 {
		return append(dst, "{}"...), s.pass()
	}
	return json.AppendObject(dst, s.members), nil
}
