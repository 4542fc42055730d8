package parquet

import (
	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/json"
	"gsql/storage/files/nested"
)

// variantShape is the part of a nestedShape that only variants have. The bytes of a variant are in
// value, unless it is shredded: then typed has it as ordinary columns, and value has the members of
// an object for which there are no columns. Members and elements in typed are variants themselves.
type variantShape struct {
	names  *nestedShape // the dictionary of names; nil for members and elements
	value  *nestedShape // nil if there is none
	typed  *nestedShape // nil if there is none
	reader *variantReader
}

// isVariant reports whether a node has the annotation and the fields of a variant.
func (n *schemaNode) isVariant() bool {
	names := n.child("metadata")
	return n.logical.kind == logicalVariant && names != nil && names.isBytes() && n.isVariantPart()
}

// isVariantPart reports whether a node has the fields of a member or element of a shredded variant,
// which are also those of a variant.
func (n *schemaNode) isVariantPart() bool {
	value, typed := n.child("value"), n.child("typed_value")
	return n.leaf < 0 && (value != nil || typed != nil) && (value == nil || value.isBytes())
}

func (n *schemaNode) isBytes() bool {
	return n.leaf >= 0 && !n.repeated && n.physical == parquet.Types.ByteArray
}

// child returns the child with the given name, or nil.
func (n *schemaNode) child(name string) *schemaNode {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// variantOf returns the shape of a variant or, with the reader of the variant around it, of a part
// of one. Columns with other names are skipped over.
func (r *nestedReader) variantOf(n *schemaNode, reader *variantReader) *nestedShape {
	first := len(r.leaves)
	v := &variantShape{reader: reader}
	if reader == nil {
		v.reader = &variantReader{}
	}
	s := &nestedShape{kind: shapeVariant, node: n, present: n.maxDef, variant: v}
	for _, c := range n.children {
		var shape *nestedShape
		switch {
		case c.name == "metadata" && reader == nil:
			shape = r.shapeOf(c)
			v.names = shape
		case c.name == "value":
			shape = r.shapeOf(c)
			v.value = shape
		case c.name == "typed_value":
			shape = r.typedOf(c, v.reader)
			v.typed = shape
		default:
			shape = r.shapeOf(c)
		}
		s.children = append(s.children, shape)
	}
	s.leaves = r.leaves[first:len(r.leaves):len(r.leaves)]
	return s
}

// typedOf returns the shape of the shredded form of a variant: a value, or a list or structure of
// variants.
func (r *nestedReader) typedOf(n *schemaNode, reader *variantReader) *nestedShape {
	if n.leaf >= 0 || n.repeated {
		return r.shapeOf(n)
	}
	first := len(r.leaves)
	if n.logical.kind == logicalList && len(n.children) == 1 && n.children[0].repeated {
		only := n.children[0]
		element := elementOf(n, only)
		if element == only || !element.isVariantPart() {
			return r.valueOf(n)
		}
		s := &nestedShape{kind: shapeList, level: only.maxRep, present: n.maxDef, some: only.maxDef}
		s.children = []*nestedShape{r.variantOf(element, reader)}
		s.leaves = r.leaves[first:len(r.leaves):len(r.leaves)]
		return s
	}
	for _, c := range n.children {
		if c.repeated || !c.isVariantPart() {
			return r.valueOf(n)
		}
	}
	s := &nestedShape{kind: shapeShredded, node: n, present: n.maxDef}
	for _, c := range n.children {
		s.children = append(s.children, r.variantOf(c, reader))
	}
	s.leaves = r.leaves[first:len(r.leaves):len(r.leaves)]
	return s
}

// appendVariant appends the current variant as JSON and advances past it. some is false if there is
// no value, as for a member that an object lacks.
func (s *nestedShape) appendVariant(dst []byte) (_ []byte, some bool, err error) {
	if s.isNull() {
		return dst, false, s.pass()
	}
	v := s.variant
	var value *string
	var typed []byte
	hasTyped := false
	for _, c := range s.children {
		switch {
		case c == v.names:
			err = v.readNames()
		case c == v.value:
			value, err = c.bytes()
		case c == v.typed && !c.isNull() && c.kind != shapeShredded:
			hasTyped = true
			typed, err = c.append(nil)
		case c == v.typed && !c.isNull():
			hasTyped = true
			err = c.collect()
		default:
			err = c.pass()
		}
		if err != nil {
			return dst, false, err
		}
	}
	switch {
	case hasTyped && v.typed.kind == shapeShredded:
		return v.appendObject(dst, value)
	case hasTyped:
		return append(dst, typed...), true, nil
	case value == nil:
		return dst, false, nil
	}
	dst, err = v.reader.appendValue(dst, *value)
	return dst, true, err
}

// readNames reads the dictionary of names of the current variant.
func (v *variantShape) readNames() error {
	data, err := v.names.bytes()
	if err == nil && data == nil {
		err = errVariant
	}
	if err == nil {
		v.reader.names, err = readVariantNames(*data)
	}
	return err
}

// appendObject appends a shredded object, whose members in columns have been collected, with those
// in value.
func (v *variantShape) appendObject(dst []byte, value *string) ([]byte, bool, error) {
	members := v.typed.members
	if value != nil {
		v.reader.left = len(*value)
		var err error
		if members, err = v.reader.members(members, *value, 1); err != nil {
			return dst, false, err
		}
	}
	return json.AppendObject(dst, members), true, nil
}

// collect reads the members of a shredded object that are in columns.
func (s *nestedShape) collect() error {
	s.members = s.members[:0]
	for i, c := range s.children {
		text, some, err := c.appendVariant(nil)
		if err != nil {
			return err
		}
		if some {
			s.members = append(s.members, json.Member{Name: nested.ToText(s.node.children[i].name), Value: string(text)})
		}
	}
	return nil
}

// bytes returns the current value of a leaf of bytes, or nil for NULL, and advances past it.
func (s *nestedShape) bytes() (*string, error) {
	if s.isNull() {
		return nil, s.pass()
	}
	if s.leaf == nil || s.leaf.value >= len(s.leaf.out.Str) {
		return nil, nested.ErrLevels
	}
	text := s.leaf.out.Str[s.leaf.value]
	return &text, s.leaf.next()
}

// appendValue appends a binary value as JSON.
func (r *variantReader) appendValue(dst []byte, data string) ([]byte, error) {
	r.left = len(data)
	return r.append(dst, data, 1)
}
