package segfile

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/internal/mem"
	"gsql/sql/arrowvec"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/segfile/pack"
	"gsql/storage/segment"
)

// readColumn reads the data of a column of type t with the given number of rows. bytes is their
// size.
func readColumn(r *pack.Reader, t types.Type, rows int, bytes int64) (d *segment.Data, err error) {
	switch form := r.Byte(); {
	case form == runs:
		d, err = readRuns(r, t, rows, bytes)
	case form == dictionary:
		d, err = readDictionary(r, t, rows)
	case form != formOf(t):
		return nil, pack.ErrMalformed
	case form == allNull:
		d = &segment.Data{Arr: array.NewNull(rows)}
	default:
		d, err = readPlain(r, form, t, rows)
	}
	if err != nil {
		return nil, err
	}
	return d, r.End()
}

// readPlain reads one value for each of n rows.
func readPlain(r *pack.Reader, form byte, t types.Type, n int) (*segment.Data, error) {
	null, nulls, err := readValidity(r, n)
	if err != nil {
		return nil, err
	}
	switch form {
	case texts:
		offsets, data, err := readTexts(r, n)
		if err != nil {
			return nil, err
		}
		return segment.NewPlain(t, n, nulls, null, memory.NewBufferBytes(offsets), memory.NewBufferBytes(data)), nil
	case bitmap:
		bits, err := pack.ReadBytes(r, int(bitutil.BytesForBits(int64(n))))
		if err != nil || len(bits) != int(bitutil.BytesForBits(int64(n))) {
			return nil, pack.ErrMalformed
		}
		return segment.NewPlain(t, n, nulls, null, memory.NewBufferBytes(bits)), nil
	case wide:
		data := mem.Heap(n * arrow.Decimal128SizeBytes)
		err := readDecimals(r, elements[decimal128.Num](data))
		return segment.NewPlain(t, n, nulls, null, memory.NewBufferBytes(data)), err
	}
	size := int(r.Byte())
	narrow := size != widthOf(t)
	if narrow && (size != 1 && size != 2 && size != 4 || widthOf(t) != 8 || t.Kind() != types.KindI64 && !t.FitsInt64()) {
		return nil, pack.ErrMalformed
	}
	data := mem.Heap(n * size)
	switch size {
	case 1:
		err = pack.ReadIntegers(r, elements[int8](data))
	case 2:
		err = pack.ReadIntegers(r, elements[int16](data))
	case 4:
		err = pack.ReadIntegers(r, elements[int32](data))
	default:
		err = pack.ReadIntegers(r, elements[int64](data))
	}
	if narrow {
		return segment.NewNarrow(t, size, n, nulls, null, memory.NewBufferBytes(data)), err
	}
	return segment.NewPlain(t, n, nulls, null, memory.NewBufferBytes(data)), err
}

// readValidity reads which of n rows are not NULL; null is nil if all are.
func readValidity(r *pack.Reader, n int) (null *memory.Buffer, nulls int, err error) {
	switch r.Byte() {
	case 0:
		return nil, 0, r.Err()
	case 1:
		bits, err := pack.ReadBytes(r, int(bitutil.BytesForBits(int64(n))))
		if err != nil || len(bits) != int(bitutil.BytesForBits(int64(n))) {
			return nil, 0, pack.ErrMalformed
		}
		return memory.NewBufferBytes(bits), n - bitutil.CountSetBits(bits, 0, n), nil
	}
	return nil, 0, pack.ErrMalformed
}

// readFlags is readValidity for flags; nil if no value is NULL.
func readFlags(r *pack.Reader, n int) ([]bool, error) {
	bits, nulls, err := readValidity(r, n)
	if err != nil || nulls == 0 {
		return nil, err
	}
	out := make([]bool, n)
	for i := range out {
		out[i] = !bitutil.BitIsSet(bits.Bytes(), i)
	}
	return out, nil
}

// readTexts reads n strings as 32-bit offsets and bytes.
func readTexts(r *pack.Reader, n int) (offsets, data []byte, err error) {
	offsets = mem.Heap(4 * (n + 1))
	ends := elements[int32](offsets)
	ends[0] = 0
	if err := pack.ReadIntegers(r, ends[1:]); err != nil {
		return nil, nil, err
	}
	at := int64(0)
	for i, length := range ends[1:] {
		if at += int64(length); length < 0 || at > math.MaxInt32 {
			return nil, nil, pack.ErrMalformed
		}
		ends[i+1] = int32(at)
	}
	data, err = pack.ReadBytes(r, int(at))
	if err == nil && len(data) != int(at) {
		err = pack.ErrMalformed
	}
	return offsets, data, err
}

// readDecimals reads low and high halves.
func readDecimals(r *pack.Reader, dst []decimal128.Num) error {
	low, high := make([]int64, len(dst)), make([]int64, len(dst))
	if err := pack.ReadIntegers(r, low); err != nil {
		return err
	}
	err := pack.ReadIntegers(r, high)
	for i := range dst {
		dst[i] = decimal128.New(high[i], uint64(low[i]))
	}
	return err
}

// readCodes reads n codes of a dictionary, or -1.
func readCodes(r *pack.Reader, n int) ([]int32, error) {
	codes := elements[int32](mem.Heap(4 * n))
	return codes, pack.ReadIntegers(r, codes)
}

// readStrings reads strings and their number, at most limit, as an array of type t.
func readStrings(r *pack.Reader, t types.Type, limit int) (arrow.Array, error) {
	n := r.Count(limit)
	offsets, data, err := readTexts(r, n)
	if err != nil {
		return nil, err
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(offsets), memory.NewBufferBytes(data)}
	return array.MakeFromData(array.NewData(t.Arrow(), n, buffers, nil, 0, 0)), nil
}

// within reports whether all codes are -1 or codes of n values.
func within(codes []int32, n int) bool {
	ok := true
	for _, c := range codes {
		ok = ok && c >= -1 && int(c) < n
	}
	return ok
}

// readDictionary reads the codes of n rows, and the dictionary.
func readDictionary(r *pack.Reader, t types.Type, n int) (*segment.Data, error) {
	codes, err := readCodes(r, n)
	if err != nil || t.Kind() != types.KindStr {
		return nil, pack.ErrMalformed
	}
	values, err := readStrings(r, t, n)
	if err != nil || !within(codes, values.Len()) {
		return nil, pack.ErrMalformed
	}
	return segment.NewDictionary(t, values, codes)
}

// readRuns reads the runs of n rows.
func readRuns(r *pack.Reader, t types.Type, n int, bytes int64) (*segment.Data, error) {
	count := r.Count(n)
	ends, err := readCodes(r, count)
	if err != nil {
		return nil, err
	}
	last := int32(0)
	for _, end := range ends {
		if end <= last {
			return nil, pack.ErrMalformed
		}
		last = end
	}
	if int(last) != n || n == 0 {
		return nil, pack.ErrMalformed
	}
	form := r.Byte()
	if form == dictionary {
		return readCodeRuns(r, t, ends, bytes)
	}
	v := &vec.Vector{Type: t, N: count}
	if form != formOf(t) || form == allNull {
		return nil, pack.ErrMalformed
	}
	if v.Null, err = readFlags(r, count); err != nil {
		return nil, err
	}
	switch {
	case form == texts:
		err = readText(r, v)
	case form == wide:
		v.Dec = make([]decimal128.Num, count)
		err = readDecimals(r, v.Dec)
	case t.Kind() == types.KindF64:
		data := mem.Heap(8 * count)
		v.F64 = elements[float64](data)
		err = pack.ReadIntegers(r, elements[int64](data))
	default:
		v.Narrow = t.Kind() == types.KindDec
		v.I64 = make([]int64, count)
		err = pack.ReadIntegers(r, v.I64)
	}
	return &segment.Data{Runs: segment.NewRuns(ends, v, bytes)}, err
}

// readText reads the strings of v.
func readText(r *pack.Reader, v *vec.Vector) error {
	values, err := readStrings(r, v.Type, v.N)
	if err != nil || values.Len() != v.N {
		return pack.ErrMalformed
	}
	null := v.Null
	err = arrowvec.FromArray(values, v.Type, 0, v.N, v)
	v.Null = null
	return err
}

// readCodeRuns reads the codes of runs, and the dictionary.
func readCodeRuns(r *pack.Reader, t types.Type, ends []int32, bytes int64) (*segment.Data, error) {
	codes, err := readCodes(r, len(ends))
	if err != nil || t.Kind() != types.KindStr {
		return nil, pack.ErrMalformed
	}
	values, err := readStrings(r, t, len(ends))
	if err != nil || !within(codes, values.Len()) {
		return nil, pack.ErrMalformed
	}
	dict, err := segment.NewDictionary(t, values, nil)
	if err != nil {
		return nil, err
	}
	v := &vec.Vector{Type: t, Form: vec.View, N: len(codes), Base: dict.Dict, Idx: codes}
	return &segment.Data{Runs: segment.NewRuns(ends, v, bytes)}, nil
}
