package hash

import (
	"encoding/binary"
	"math"
	"math/bits"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
)

// words is a block's part of an aggregate: sum (two words, of a double one and 0), count,
// minimum, maximum, joined rows. See kernels/hash_aggregate.cu.
type words [6]uint64

const (
	sumWord, countWord, lowWord, highWord, rowsWord = 0, 2, 3, 4, 5
	partBytes                                       = int64(8 * len(words{}))
)

// total accumulates the results of a pass: one part for each block of its launches.
type total struct {
	parts  gpu.Ptr
	blocks int64
	kind   column.Kind
}

func newTotal(t *engine.Task, kind column.Kind) (*total, error) {
	o := &total{blocks: t.ResidentBlocks(), kind: kind}
	var err error
	if o.parts, err = t.Alloc(o.blocks * partBytes); err != nil {
		return nil, err
	}
	return o, t.Fill(o.parts, 0, o.blocks*partBytes)
}

// read waits for the launches and adds up the parts in order.
func (o *total) read(t *engine.Task) (words, error) {
	var all words
	const most = 1024 // number of blocks read at once
	for first := int64(0); first < o.blocks; first += most {
		raw := make([]byte, min(o.blocks-first, most)*partBytes)
		if err := t.Read(raw, o.parts+gpu.Ptr(first*partBytes)); err != nil {
			return all, err
		}
		for ; len(raw) > 0; raw = raw[partBytes:] {
			var part words
			for i := range part {
				part[i] = binary.LittleEndian.Uint64(raw[8*i:])
			}
			all.add(part, o.kind == column.F64)
		}
	}
	return all, nil
}

func (w *words) add(part words, doubles bool) {
	less := func(a, b uint64) bool { return int64(a) < int64(b) }
	if doubles {
		less = func(a, b uint64) bool { return math.Float64frombits(a) < math.Float64frombits(b) }
		w[sumWord] = math.Float64bits(math.Float64frombits(w[sumWord]) + math.Float64frombits(part[sumWord]))
	} else {
		var carry uint64
		w[sumWord], carry = bits.Add64(w[sumWord], part[sumWord], 0)
		w[sumWord+1], _ = bits.Add64(w[sumWord+1], part[sumWord+1], carry)
	}
	if part[countWord] > 0 {
		if w[countWord] == 0 || less(part[lowWord], w[lowWord]) {
			w[lowWord] = part[lowWord]
		}
		if w[countWord] == 0 || less(w[highWord], part[highWord]) {
			w[highWord] = part[highWord]
		}
	}
	w[countWord] += part[countWord]
	w[rowsWord] += part[rowsWord]
}

// value returns the result of an aggregate.
func (w *words) value(a join.Agg) join.Value {
	of := *w
	if a.Func == join.CountRows {
		of[countWord] = of[rowsWord]
	}
	var raw []byte
	for _, word := range of {
		raw = binary.LittleEndian.AppendUint64(raw, word)
	}
	return a.Value(raw)
}
