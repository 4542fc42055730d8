package arrow

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"gsql/sql/arrowvec"
	"gsql/sql/json"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/nested"
)

// isNested reports whether an Arrow type is a list, map, structure or union of readable types.
func isNested(dt arrow.DataType) bool {
	switch dt := dt.(type) {
	case *arrow.StructType:
		return areReadable(dt.Fields())
	case arrow.UnionType:
		return areReadable(dt.Fields())
	case *arrow.MapType:
		return isReadable(dt.KeyType()) && isReadable(dt.ItemType())
	case *arrow.ListType:
		return isReadable(dt.Elem())
	case *arrow.LargeListType:
		return isReadable(dt.Elem())
	case *arrow.FixedSizeListType:
		return isReadable(dt.Elem())
	case *arrow.ListViewType:
		return isReadable(dt.Elem())
	case *arrow.LargeListViewType:
		return isReadable(dt.Elem())
	}
	return false
}

func isReadable(dt arrow.DataType) bool {
	_, ok := types.FromArrow(dt)
	return ok || isNested(dt) || isInterval(dt)
}

func areReadable(fields []arrow.Field) bool {
	return !slices.ContainsFunc(fields, func(f arrow.Field) bool { return !isReadable(f.Type) })
}

// nestedArray writes the values of an array as JSON. It is a list, map, structure or union with its
// child arrays, an array of intervals, or a leaf with its values.
type nestedArray struct {
	arr      arrow.Array
	names    []string // names of a structure's fields
	children []*nestedArray
	leaf     vec.Vector
	members  []json.Member
}

// newNestedArray prepares an array whose type isNested, or a leaf below one.
func newNestedArray(arr arrow.Array) (*nestedArray, error) {
	n := &nestedArray{arr: arr}
	switch a := arr.(type) {
	case *array.Struct:
		for i, f := range a.DataType().(*arrow.StructType).Fields() {
			n.names = append(n.names, nested.ToText(f.Name))
			if a.Field(i).Len() < a.Len() {
				return nil, nested.ErrLevels
			}
			if err := n.adopt(a.Field(i)); err != nil {
				return nil, err
			}
		}
		return n, nil
	case array.Union:
		for i := range a.NumFields() {
			if err := n.adopt(a.Field(i)); err != nil {
				return nil, err
			}
		}
		return n, nil
	case *array.Map:
		if err := n.adopt(a.Keys()); err != nil {
			return nil, err
		}
		return n, n.adopt(a.Items())
	case array.ListLike:
		return n, n.adopt(a.ListValues())
	}
	if isInterval(arr.DataType()) {
		return n, nil
	}
	if err := checkArray(arr); err != nil {
		return nil, err
	}
	t, _ := types.FromArrow(arr.DataType())
	var v vec.Vector
	if err := arrowvec.FromArray(arr, t, 0, arr.Len(), &v); err != nil {
		return nil, err
	}
	n.leaf = *v.Flatten(&n.leaf)
	return n, nil
}

func (n *nestedArray) adopt(arr arrow.Array) error {
	c, err := newNestedArray(arr)
	n.children = append(n.children, c)
	return err
}

// isNull reports whether value i is NULL. A value of a union is if that of its child is.
func (n *nestedArray) isNull(i int) (bool, error) {
	a, ok := n.arr.(array.Union)
	if !ok {
		return n.arr.IsNull(i), nil
	}
	c, at, err := n.chosen(a, i)
	if err != nil {
		return false, err
	}
	return c.isNull(at)
}

// chosen returns the child that has value i of a union, and its position there.
func (n *nestedArray) chosen(a array.Union, i int) (c *nestedArray, at int, err error) {
	code := a.TypeCode(i)
	if code < 0 {
		return nil, 0, nested.ErrLevels
	}
	id := a.UnionType().ChildIDs()[code]
	if id < 0 || id >= len(n.children) {
		return nil, 0, nested.ErrLevels
	}
	at = i
	if dense, ok := a.(*array.DenseUnion); ok {
		at = int(dense.ValueOffset(i))
	}
	if c = n.children[id]; at < 0 || at >= c.arr.Len() {
		return nil, 0, nested.ErrLevels
	}
	return c, at, nil
}

// append appends value i as JSON.
func (n *nestedArray) append(dst []byte, i int) ([]byte, error) {
	if a, ok := n.arr.(array.Union); ok {
		c, at, err := n.chosen(a, i)
		if err != nil {
			return dst, err
		}
		return c.append(dst, at)
	}
	if n.arr.IsNull(i) {
		return append(dst, "null"...), nil
	}
	switch a := n.arr.(type) {
	case *array.Struct:
		return n.appendStruct(dst, i)
	case *array.Map:
		return n.appendMap(dst, a, i)
	case array.ListLike:
		return n.appendList(dst, a, i)
	}
	if isInterval(n.arr.DataType()) {
		return append(append(append(dst, '"'), intervalAt(n.arr, i)...), '"'), nil
	}
	if n.leaf.IsNull(i) {
		return append(dst, "null"...), nil
	}
	return nested.Append(dst, &n.leaf, i), nil
}

func (n *nestedArray) appendStruct(dst []byte, i int) ([]byte, error) {
	n.members = n.members[:0]
	for k, c := range n.children {
		text, err := c.append(nil, i)
		if err != nil {
			return dst, err
		}
		n.members = append(n.members, json.Member{Name: n.names[k], Value: string(text)})
	}
	return json.AppendObject(dst, n.members), nil
}

// within returns the range of a list's elements in its child array.
func (n *nestedArray) within(a array.ListLike, i int) (from, to int, err error) {
	start, end := a.ValueOffsets(i)
	for _, c := range n.children {
		if start < 0 || start > end || end > int64(c.arr.Len()) {
			return 0, 0, nested.ErrLevels
		}
	}
	return int(start), int(end), nil
}

func (n *nestedArray) appendList(dst []byte, a array.ListLike, i int) ([]byte, error) {
	from, to, err := n.within(a, i)
	if err != nil {
		return dst, err
	}
	dst = append(dst, '[')
	for k := from; k < to; k++ {
		if k > from {
			dst = append(dst, ", "...)
		}
		if dst, err = n.children[0].append(dst, k); err != nil {
			return dst, err
		}
		if len(dst) > nested.MaxBytes {
			return dst, nested.ErrLong
		}
	}
	return append(dst, ']'), nil
}

func (n *nestedArray) appendMap(dst []byte, a *array.Map, i int) ([]byte, error) {
	from, to, err := n.within(a, i)
	if err != nil {
		return dst, err
	}
	n.members = n.members[:0]
	size := 0
	for k := from; k < to; k++ {
		key, err := n.children[0].append(nil, k)
		if err != nil {
			return dst, err
		}
		value, err := n.children[1].append(nil, k)
		if err != nil {
			return dst, err
		}
		n.members = append(n.members, json.Member{Name: nested.Name(key), Value: string(value)})
		if size += len(key) + len(value); size > nested.MaxBytes {
			return dst, nested.ErrLong
		}
	}
	return json.AppendObject(dst, n.members), nil
}

// read sets v to rows [from, to): intervals as texts, all others as JSON.
func (n *nestedArray) read(from, to int, v *vec.Vector) error {
	texts := isInterval(n.arr.DataType())
	*v = vec.Vector{Type: types.T(types.JSON)}
	if texts {
		v.Type = types.T(types.String)
	}
	v.Resize(to - from)
	var text []byte
	for i := range v.Str {
		null, err := n.isNull(from + i)
		switch {
		case err != nil:
			return err
		case null:
			v.SetNull(i)
			continue
		case texts:
			v.Str[i] = intervalAt(n.arr, from+i)
			continue
		}
		if text, err = n.append(text[:0], from+i); err != nil {
			return err
		}
		v.Str[i] = string(text)
	}
	return nil
}
