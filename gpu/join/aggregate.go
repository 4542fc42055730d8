package join

import (
	"encoding/binary"
	"math"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
	"gsql/sql/sqlerr"
)

// weightedBytes is the size of a column's aggregates on the device: a sum of 128 bits, count,
// minimum and maximum (kernels/weighted.cu).
const weightedBytes = 5 * 8

// Sides reports for which sides the aggregates require partner counts per row. At least one is
// true; COUNT(*) can be computed from either.
func Sides(aggs []Agg) (left, right bool) {
	for _, a := range aggs {
		if a.Func != CountRows {
			left, right = left || a.Left, right || !a.Left
		}
	}
	return left || !right, right
}

// Counts are partner counts: for each row of a side, in 64 bits, the number of rows of the other
// side that it joins. It is 0 for a side that no aggregate requires.
type Counts struct{ Left, Right gpu.Ptr }

// Aggregate returns the aggregates of the join of in to which the counts belong.
func (c Counts) Aggregate(t *engine.Task, in Input, aggs []Agg) ([]Value, error) {
	values := make([]Value, len(aggs))
	for _, left := range []bool{true, false} {
		counts, rows := c.Right, in.Right
		if left {
			counts, rows = c.Left, in.Left
		}
		var at []int
		var mine []Agg
		for i, a := range aggs {
			if a.Func == CountRows && left == (c.Left != 0) || a.Func != CountRows && a.Left == left {
				at, mine = append(at, i), append(mine, a)
			}
		}
		got, err := FromCounts(t, counts, rows, mine)
		if err != nil {
			return nil, err
		}
		for k, i := range at {
			values[i] = got[k]
		}
	}
	return values, nil
}

// FromCounts returns aggregates of columns of one side, or COUNT(*), computed from that side's
// partner counts. Sums of integers are exact. It waits for them.
func FromCounts(t *engine.Task, counts gpu.Ptr, rows int64, aggs []Agg) ([]Value, error) {
	if len(aggs) == 0 {
		return nil, nil
	}
	place, columns := distinct(aggs)
	m := t.Mark()
	words, err := aggregateColumns(t, counts, rows, columns)
	if err == nil {
		err = t.Release(m)
	}
	if err != nil {
		return nil, err
	}
	values := make([]Value, len(aggs))
	for i, a := range aggs {
		values[i] = a.Value(words[weightedBytes*place[i]:])
	}
	return values, nil
}

// FromCountsBytes returns the most scratch memory that FromCounts takes.
func FromCountsBytes(rows int64, aggs []Agg) int64 {
	_, columns := distinct(aggs)
	parts := weightedBytes * min(maxParts, (rows+weightedTile-1)/weightedTile)
	return padded(weightedBytes*int64(len(columns))) + max(padded(parts), prim.ReduceBytes(rows))
}

// distinct returns each aggregate's index among the distinct columns; a column without values
// stands for COUNT(*).
func distinct(aggs []Agg) (place []int, columns []column.Column) {
	seen := map[column.Column]int{}
	for _, a := range aggs {
		c := a.Column
		if a.Func == CountRows || a.Func == Count && c.Valid == 0 {
			c = column.Column{}
		}
		at, ok := seen[c]
		if !ok {
			at = len(columns)
			seen[c] = at
			columns = append(columns, c)
		}
		place = append(place, at)
	}
	return place, columns
}

// aggregateColumns returns the words of each column's aggregates.
func aggregateColumns(t *engine.Task, counts gpu.Ptr, rows int64, columns []column.Column) ([]byte, error) {
	words := make([]byte, weightedBytes*len(columns))
	if rows == 0 {
		return words, nil
	}
	result, err := t.Alloc(int64(len(words)))
	if err != nil {
		return nil, err
	}
	for i, c := range columns {
		to := result + gpu.Ptr(weightedBytes*i)
		if c.Values == 0 {
			if err := t.Fill(to, 0, weightedBytes); err != nil {
				return nil, err
			}
			err = prim.Reduce(t, prim.Sum, column.I64, counts, rows, to+16)
		} else {
			err = weighted(t, c, counts, rows, to)
		}
		if err != nil {
			return nil, err
		}
	}
	return words, t.Read(words, result)
}

// weighted queues a column's aggregates.
func weighted(t *engine.Task, c column.Column, counts gpu.Ptr, rows int64, to gpu.Ptr) error {
	if c.Rows != rows {
		return sqlerr.Internal("a column of %d rows is aggregated by counts of %d", c.Rows, rows)
	}
	m := t.Mark()
	blocks := weightedBlocks(t, rows)
	parts, err := t.Alloc(weightedBytes * blocks)
	if err != nil {
		return err
	}
	err = t.LaunchBlocks("gsql_weighted_parts", c.Kind.Suffix(), blocks, 0,
		uint64(c.Values), uint64(c.Valid), uint64(counts), uint64(rows), uint64(parts))
	if err != nil {
		return err
	}
	fold := "i64"
	if c.Kind == column.F64 {
		fold = "f64"
	}
	if err := t.LaunchBlocks("gsql_weighted_fold", fold, 1, 0, uint64(parts), uint64(blocks), uint64(to)); err != nil {
		return err
	}
	return t.Release(m)
}

const (
	weightedTile = 2048 // rows that justify a block
	maxParts     = 4096
)

func weightedBlocks(t *engine.Task, rows int64) int64 {
	return min((rows+weightedTile-1)/weightedTile, t.ResidentBlocks(), maxParts)
}

// padded returns the arena's share of an allocation.
func padded(bytes int64) int64 { return (bytes + gpu.Alignment - 1) / gpu.Alignment * gpu.Alignment }

// Value reads the aggregate from its column's words (kernels/weighted.cuh): sum, of two words,
// count, minimum, maximum. The words of COUNT(*) only have a count.
func (a Agg) Value(words []byte) Value {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(words[8*i:]) }
	if a.Func == CountRows || a.Func == Count {
		return Value{Lo: word(2)}
	}
	if word(2) == 0 {
		return Value{Null: true}
	}
	at := [...]int{Sum: 0, Min: 3, Max: 4}[a.Func]
	switch {
	case a.Column.Kind == column.F64:
		return Value{F: math.Float64frombits(word(at))}
	case a.Func == Sum:
		return Value{Lo: word(0), Hi: word(1)}
	default:
		return Value{Lo: word(at), Hi: uint64(int64(word(at)) >> 63)}
	}
}
