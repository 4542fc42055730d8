package join

import (
	"math"
	"math/bits"
	"slices"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
)

// Key is the column pair by which an equality join matches rows: one column per side, of the same
// kind, whose values are equal if all its conditions hold. Several conditions are packed into one
// key if their values' bounds fit its bits.
type Key struct {
	Conditions []Condition // the conditions that the key represents
	Rest       []Condition // the other conditions, which pairs of equal keys may violate
	parts      []keyPart   // of a packed key, one a condition
	kind       column.Kind // of a packed key
	bits       int
}

// keyPart is the position of one condition's values in a packed key.
type keyPart struct {
	low, high int64 // values outside, which only one side has, match nothing
	shift     int
}

// NewKey chooses among the equalities of conds, preferring earlier ones. A key of one condition is
// the condition's own columns. ok is false if no condition is an equality.
func NewKey(conds []Condition) (k Key, ok bool) {
	const most = 64
	for _, c := range conds {
		low, high := commonBounds(c)
		n := bits.Len64(uint64(high) - uint64(low))
		if c.Left.Kind == column.F64 {
			n = most + 1 // the only condition
		}
		if c.Op != EQ || (len(k.Conditions) > 0 && k.bits+n > most) {
			k.Rest = append(k.Rest, c)
			continue
		}
		k.Conditions = append(k.Conditions, c)
		k.parts = append(k.parts, keyPart{low, high, min(k.bits, most-1)})
		k.bits += n
	}
	k.kind = column.I64
	if k.bits <= 32 {
		k.kind = column.I32
	}
	return k, len(k.Conditions) > 0
}

// commonBounds returns the bounds of the values that both sides may have. If there are none, low is
// above high, and the range from low up to high wraps around through values of one side.
func commonBounds(c Condition) (low, high int64) {
	leftLow, leftHigh := bounds(&c.Left)
	rightLow, rightHigh := bounds(&c.Right)
	return max(leftLow, rightLow), min(leftHigh, rightHigh)
}

func bounds(c *column.Column) (low, high int64) {
	switch {
	case c.Bounded:
		return c.Min, c.Max
	case c.Kind == column.I32:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// Packs reports whether the key packs the same conditions in the same way as o.
func (k *Key) Packs(o *Key) bool {
	return k.kind == o.kind && (len(k.Conditions) == 1 && len(o.Conditions) == 1 || slices.Equal(k.parts, o.parts))
}

// Kind returns the kind of both key columns.
func (k *Key) Kind() column.Kind {
	if len(k.Conditions) == 1 {
		return k.Conditions[0].Left.Kind
	}
	return k.kind
}

// Bytes returns the device memory that a side's key column takes.
func (k *Key) Bytes(rows int64) int64 {
	if len(k.Conditions) == 1 {
		return 0
	}
	return rows*(k.kind.Width()+1) + 2*gpu.Alignment
}

// Left returns the left side's key column; a packed one is memory of the task.
func (k *Key) Left(t *engine.Task) (column.Column, error) {
	return k.side(t, func(c *Condition) *column.Column { return &c.Left })
}

// Right returns the right side's key column.
func (k *Key) Right(t *engine.Task) (column.Column, error) {
	return k.side(t, func(c *Condition) *column.Column { return &c.Right })
}

func (k *Key) side(t *engine.Task, operand func(*Condition) *column.Column) (column.Column, error) {
	first := operand(&k.Conditions[0])
	if len(k.Conditions) == 1 {
		return *first, nil
	}
	packed := column.Column{Kind: k.Kind(), Rows: first.Rows}
	if k.bits < int(8*k.kind.Width()) {
		packed.Bounded, packed.Max = true, 1<<k.bits-1
	}
	var err error
	if packed.Values, err = t.Alloc(packed.Rows * packed.Kind.Width()); err != nil {
		return packed, err
	}
	if packed.Valid, err = t.Alloc(packed.Rows); err != nil {
		return packed, err
	}
	for i := range k.Conditions {
		if err := k.pack(t, i, operand(&k.Conditions[i]), &packed); err != nil {
			return packed, err
		}
	}
	return packed, nil
}

// pack adds condition i's operand to the packed column.
func (k *Key) pack(t *engine.Task, i int, c, packed *column.Column) error {
	p := k.parts[i]
	var first uint64
	if i == 0 {
		first = 1
	}
	return t.Launch("gsql_pack_part", c.Kind.Suffix()+packed.Kind.Bits(), c.Rows, false, uint64(c.Values), uint64(c.Valid), uint64(c.Rows),
		uint64(p.low), uint64(p.high)-uint64(p.low), uint64(p.shift), first, uint64(packed.Values), uint64(packed.Valid))
}
