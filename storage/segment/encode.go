package segment

import (
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/stats"
)

// A column is run-length encoded if its runs are at least MinRun rows long on average and take at
// most half the memory of its values.
const (
	MinRun   = 16
	runBytes = 12 // of a run of numbers: end and value
)

// mostRuns returns the largest number of runs that pays for n values of the given number of bits.
func mostRuns(n, bits int) int { return min(n/MinRun, n*bits/(2*8*runBytes)) }

// runValue is the type in which values are compared: the bits of numbers, codes, or texts.
type runValue interface {
	uint8 | uint16 | uint32 | uint64 | int32 | decimal128.Num | string
}

// heads finds the rows at which runs of equal values, or of NULLs, begin.
type heads[T runValue] struct {
	limit int     // largest number of runs
	rows  []int32 // nil while there are none
	last  T
	null  bool
	n     int // rows seen
}

// add processes the next values. null marks the NULLs among them, or is empty. It returns false
// if there are too many runs.
func (h *heads[T]) add(xs []T, null []bool) bool {
	last, lastNull := h.last, h.null
	for i, x := range xs {
		gone := len(null) > 0 && null[i]
		if gone == lastNull && (x == last || gone) && len(h.rows) > 0 {
			continue
		}
		if len(h.rows) == h.limit {
			return false
		}
		if h.rows == nil {
			h.rows = make([]int32, 0, h.limit)
		}
		h.rows = append(h.rows, int32(h.n+i))
		last, lastNull = x, gone
	}
	h.last, h.null = last, lastNull
	h.n += len(xs)
	return true
}

// headsOf returns the rows at which runs of numbers begin, or nil if runs do not pay.
func headsOf(parts []*ChunkColumn, n int) []int32 {
	width := parts[0].width()
	limit := mostRuns(n, 8*width)
	if parts[0].form == arrow.BOOL {
		limit = mostRuns(n, 1)
	}
	switch width {
	case 1:
		return numberHeads[uint8](parts, limit)
	case 2:
		return numberHeads[uint16](parts, limit)
	case 4:
		return numberHeads[uint32](parts, limit)
	case 8:
		return numberHeads[uint64](parts, limit)
	}
	return numberHeads[decimal128.Num](parts, limit)
}

// numberHeads compares the bits of numbers.
func numberHeads[T runValue](parts []*ChunkColumn, limit int) []int32 {
	h := heads[T]{limit: limit}
	for _, k := range parts {
		if !h.add(elements[T](k.data, k.N), k.null) {
			return nil
		}
	}
	return h.rows
}

// textHeads is like headsOf for packed strings. It compares them in batches.
func textHeads(parts []*ChunkColumn, n int) []int32 {
	h := heads[string]{limit: n / MinRun}
	var texts [256]string
	for _, k := range parts {
		from := int32(0)
		for at := 0; at < k.N; at += len(texts) {
			ends, null := k.ends[at:min(at+len(texts), k.N)], k.null
			for i, end := range ends {
				texts[i] = unsafe.String(unsafe.SliceData(k.data[from:]), end-from)
				from = end
			}
			if len(null) > 0 {
				null = null[at:]
			}
			if !h.add(texts[:len(ends)], null) {
				return nil
			}
		}
	}
	return h.rows
}

// codeHeads is like headsOf for codes, where -1 means NULL.
func codeHeads(codes []int32) []int32 {
	h := heads[int32]{limit: len(codes) / MinRun}
	if !h.add(codes, nil) {
		return nil
	}
	return h.rows
}

// sealRuns returns a column of runs that begin at heads.
func sealRuns(def *catalog.Column, parts []*ChunkColumn, n int, heads []int32) (Column, error) {
	values, err := plainData(def, []*ChunkColumn{chosen(parts, heads)})
	if err != nil {
		return Column{}, err
	}
	r := &Runs{Ends: endsOf(heads, n), values: &vec.Vector{Stored: true}}
	if values.Ints != nil {
		arrowvec.FromNarrow(values.Ints, def.Type, 0, len(heads), r.values)
	} else if err := values.Read(def, 0, len(heads), r.values); err != nil {
		return Column{}, err
	}
	r.Bytes = int64(4*len(heads)) + max(int64(ArrayBytes(values.Arr)), int64(len(heads))*SlotBytes(def.Type.Kind()))
	return inMemory(&Data{Runs: r}, mergeZones(parts)), nil
}

// sealCodeRuns returns a column of runs that begin at heads, over the codes of view.
func sealCodeRuns(view *vec.Vector, heads []int32) (Column, error) {
	dict, text, err := dictionaryOf(view.Base)
	if err != nil {
		return Column{}, err
	}
	codes := make([]int32, len(heads))
	for i, row := range heads {
		codes[i] = view.Idx[row]
	}
	r := &Runs{Ends: endsOf(heads, view.N), Bytes: int64(8*len(heads)) + text}
	r.values = &vec.Vector{Type: view.Type, Form: vec.View, N: len(codes), Base: dict, Idx: codes}
	return inMemory(&Data{Runs: r}, stats.OfCodes(view)), nil
}

func endsOf(heads []int32, n int) []int32 {
	ends := append(heads[1:len(heads):len(heads)], int32(n))
	return slices.Clip(ends)
}

// chosen returns the listed rows of parts, which must be ascending, as one part.
func chosen(parts []*ChunkColumn, rows []int32) *ChunkColumn {
	out := &ChunkColumn{def: parts[0].def, form: parts[0].form, ints: parts[0].ints, N: len(rows), sum: stats.NewAccumulator(parts[0].def.Type)}
	at := int32(0)
	for _, k := range parts {
		end := at + int32(k.N)
		n := 0
		for n < len(rows) && rows[n] < end {
			n++
		}
		out.take(k, rows[:n], at)
		rows, at = rows[n:], end
	}
	return out
}

// take appends rows of k, whose numbers are relative to base.
func (out *ChunkColumn) take(k *ChunkColumn, rows []int32, base int32) {
	size := 0
	if k.N > 0 {
		size = len(k.data) / k.N
	}
	for _, row := range rows {
		i := int(row - base)
		if len(k.null) > 0 {
			out.null = append(out.null, k.null[i])
		} else {
			out.null = append(out.null, false)
		}
		if out.def.Type.Kind() != types.KindStr {
			out.data = append(out.data, k.data[i*size:(i+1)*size]...)
			continue
		}
		from := int32(0)
		if i > 0 {
			from = k.ends[i-1]
		}
		out.data = append(out.data, k.data[from:k.ends[i]]...)
		out.ends = append(out.ends, int32(len(out.data)))
	}
}
