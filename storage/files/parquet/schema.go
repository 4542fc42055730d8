package parquet

import (
	"github.com/apache/arrow/go/v17/parquet"

	"gsql/storage/files/format"
)

// schemaNode is a node of a file's schema.
type schemaNode struct {
	name     string
	physical parquet.Type // of leaves
	width    int          // bytes of a FIXED_LEN_BYTE_ARRAY
	logical  logicalType
	optional bool
	repeated bool
	children []*schemaNode
	leaf     int // ordinal among the leaves; -1 for groups
	maxDef   int // definition level of a value that is present
	maxRep   int // repetition level of a further element
	values   *column
}

// maxSchemaDepth bounds the depth of schemas, and thereby of recursion.
const maxSchemaDepth = 64

// schemaTree builds a tree from a list of elements and lists its leaves.
type schemaTree struct {
	elements []schemaElement
	leaves   []*schemaNode
}

func (t *schemaTree) root() (*schemaNode, error) {
	if len(t.elements) == 0 || t.elements[0].children < 0 {
		return nil, format.Fault("its schema has no columns")
	}
	root := &schemaNode{}
	n := t.elements[0].children
	t.elements = t.elements[1:]
	if err := t.adopt(root, n, 0); err != nil {
		return nil, err
	}
	if len(t.elements) > 0 {
		return nil, format.Faultf("its schema has %d elements too many", len(t.elements))
	}
	return root, nil
}

// adopt makes the next n elements children of parent.
func (t *schemaTree) adopt(parent *schemaNode, n int64, depth int) error {
	if depth == maxSchemaDepth {
		return format.Faultf("its schema is nested deeper than %d levels", maxSchemaDepth)
	}
	for range n {
		if len(t.elements) == 0 {
			return format.Fault("its schema ends too early")
		}
		e := &t.elements[0]
		t.elements = t.elements[1:]
		c := &schemaNode{name: e.name, physical: e.physical, width: int(e.width), logical: e.annotation(), leaf: -1, maxDef: parent.maxDef, maxRep: parent.maxRep,
			optional: e.repetition == parquet.Repetitions.Optional, repeated: e.repetition == parquet.Repetitions.Repeated}
		if c.optional || c.repeated {
			c.maxDef++
		}
		if c.repeated {
			c.maxRep++
		}
		parent.children = append(parent.children, c)
		if e.children > 0 {
			if err := t.adopt(c, e.children, depth+1); err != nil {
				return err
			}
			continue
		}
		if c.leaf = len(t.leaves); e.physical < 0 {
			return format.Faultf("its column '%s' has neither a type nor fields", e.name)
		}
		if e.physical == parquet.Types.FixedLenByteArray && (e.width < 0 || e.width > maxPage) {
			return format.Faultf("the values of its column '%s' have %d bytes", e.name, e.width)
		}
		t.leaves = append(t.leaves, c)
	}
	return nil
}
