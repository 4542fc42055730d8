package keyindex

import (
	"encoding/binary"
	"math"

	"gsql/sql/catalog"
	"gsql/sql/collate"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Form is how an index represents keys.
type Form uint8

// Keys of a single integer column are the integers. Others are strings; those of two integer columns have 16 bytes.
const (
	Encoded Form = iota
	Integer
	Pair
)

// Columns are the columns of a key.
type Columns struct {
	At         []int             // their places in the table
	Collations []types.Collation // by key column; nil if all columns compare bytes
	Form       Form
}

// ColumnsOf returns the key columns of an index.
func ColumnsOf(schema *catalog.Schema, x *catalog.Index) Columns {
	k := Columns{At: x.Columns}
	integers := 0
	for i, c := range x.Columns {
		t := schema.Columns[c].Type
		if kind := t.Kind(); kind == types.KindI64 || kind == types.KindU64 {
			integers++
		}
		if t.Coll != types.Bin {
			if k.Collations == nil {
				k.Collations = make([]types.Collation, len(x.Columns))
			}
			k.Collations[i] = t.Coll
		}
	}
	switch {
	case integers < len(x.Columns) || integers > 2:
	case integers == 1:
		k.Form = Integer
	default:
		k.Form = Pair
	}
	return k
}

// Values holds the keys of a batch of rows.
type Values struct {
	Ints []int64 // set if the key is a single integer column
	Strs []string
	Null []bool // rows with a NULL in the key, which are never duplicates; may be nil
}

// IsNull reports whether the key of row i contains a NULL.
func (v *Values) IsNull(i int) bool { return v.Null != nil && v.Null[i] }

// Values extracts the keys of n rows from flat vectors in schema order. Integer keys share the
// vector's memory.
func (k *Columns) Values(cols []*vec.Vector, n int) Values {
	return k.ValuesCollated(cols, n, k.Collations)
}

// ValuesCollated is like Values, but computes collation keys only for the collations in colls, which is
// nil if the texts are collation keys already.
func (k *Columns) ValuesCollated(cols []*vec.Vector, n int, colls []types.Collation) Values {
	kv := Values{Null: k.nulls(cols, n)}
	if k.Form == Integer {
		kv.Ints = cols[k.At[0]].I64[:n]
		return kv
	}
	kv.Strs = make([]string, n)
	var buf []byte
	ends := make([]int, n)
	for i := range n {
		buf = k.appendShort(buf, cols, i, colls)
		ends[i] = len(buf)
	}
	all, at := string(buf), 0
	for i, end := range ends {
		kv.Strs[i], at = all[at:end], end
	}
	return kv
}

// nulls flags the rows with a NULL in the key. It returns nil if there are none.
func (k *Columns) nulls(cols []*vec.Vector, n int) (null []bool) {
	for _, c := range k.At {
		for i, x := range cols[c].Null {
			if x && i < n {
				if null == nil {
					null = make([]bool, n)
				}
				null[i] = true
			}
		}
	}
	return null
}

// append appends the encoded key of row i.
func (k *Columns) append(dst []byte, cols []*vec.Vector, i int, colls []types.Collation) []byte {
	for j, c := range k.At {
		if colls != nil && colls[j] != types.Bin {
			dst = appendText(dst, collate.Key(colls[j], cols[c].Str[i]))
		} else {
			dst = AppendKey(dst, cols[c], i)
		}
	}
	return dst
}

// AppendKey encodes a value so that two encodings are equal if and only if the values are equal
// as keys.
func AppendKey(dst []byte, v *vec.Vector, i int) []byte {
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		return binary.BigEndian.AppendUint64(dst, uint64(v.I64[i]))
	case types.KindF64:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(v.F64[i]+0)) // -0 equals 0
	case types.KindDec:
		dst = binary.BigEndian.AppendUint64(dst, uint64(v.Dec[i].HighBits()))
		return binary.BigEndian.AppendUint64(dst, v.Dec[i].LowBits())
	case types.KindStr:
		return appendText(dst, v.Str[i])
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
