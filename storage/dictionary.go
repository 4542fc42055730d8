package storage

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/arrowvec"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// A string column gets a dictionary when it has at least dictMinRows rows and at most
// one distinct value for every dictRatio rows. The first dictProbe rows decide
// whether to try.
const (
	dictMinRows = 1024
	dictRatio   = 8
	dictProbe   = 4096
)

// dictionary gives v as a view over its distinct values in order of appearance, or nil
// when v is no string column or has too many of them.
func dictionary(v *vec.Vector) *vec.Vector {
	if v.Type.Kind() != types.KindStr || v.N < dictMinRows {
		return nil
	}
	limit := v.N / dictRatio
	codes := make([]int32, v.N)
	index := make(map[string]int32)
	var values []string
	for i, s := range v.Str {
		if v.Null != nil && v.Null[i] {
			codes[i] = -1
			continue
		}
		code, ok := index[s]
		if !ok {
			code = int32(len(values))
			if len(values) >= limit || i < dictProbe && i >= dictMinRows && len(values) > i/2 {
				return nil
			}
			index[s] = code
			values = append(values, s)
		}
		codes[i] = code
	}
	base := &vec.Vector{Type: v.Type, N: len(values), Str: values}
	return &vec.Vector{Type: v.Type, Form: vec.View, N: v.N, Base: base, Idx: codes}
}

// sealDictionary makes the column of v, whose distinct values view holds.
func sealDictionary(v, view *vec.Vector) (column, error) {
	values, err := arrowvec.ToArray(view.Base, memory.DefaultAllocator)
	if err != nil {
		return column{}, err
	}
	dict := &vec.Vector{}
	if err := arrowvec.FromArray(values, v.Type, 0, values.Len(), dict); err != nil {
		return column{}, err
	}
	dict.Dict = true
	// The indices keep -1 under NULLs, so that scans hand them out as they are.
	codes := view.Idx
	bitmap, nulls := validity(v.Null)
	data := array.NewData(arrow.PrimitiveTypes.Int32, v.N,
		[]*memory.Buffer{bitmap, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(codes))}, nil, nulls, 0)
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: values.DataType()}
	arr := array.NewDictionaryArray(dt, array.NewInt32Data(data), values)
	return column{arr: arr, dict: dict, codes: codes, zone: makeZoneOfCodes(view)}, nil
}

// validity makes an Arrow validity bitmap of NULL flags, nil when there are none.
func validity(null []bool) (*memory.Buffer, int) {
	nulls := 0
	bits := make([]byte, (len(null)+7)/8)
	for i, x := range null {
		if x {
			nulls++
		} else {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	return memory.NewBufferBytes(bits), nulls
}
