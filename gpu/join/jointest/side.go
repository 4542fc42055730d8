//go:build sim || cuda

package jointest

import (
	"math/big"
	"testing"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/join"
)

// Values is a column on the CPU: integers, or doubles where the kind is F64.
type Values struct {
	Kind    column.Kind
	Ints    []int64
	Doubles []float64
	Null    []bool // nil: no row is NULL
}

// Ints returns a column of integers of the kind.
func Ints(kind column.Kind, v ...int64) Values { return Values{Kind: kind, Ints: v} }

// Doubles returns a column of doubles.
func Doubles(v ...float64) Values { return Values{Kind: column.F64, Doubles: v} }

// Rows returns the number of rows.
func (v Values) Rows() int64 { return int64(max(len(v.Ints), len(v.Doubles))) }

// IsNull reports whether row i is NULL.
func (v Values) IsNull(i int) bool { return v.Null != nil && v.Null[i] }

// compare compares row i of v with row j of o.
func (v Values) compare(i int, o Values, j int) int {
	switch {
	case v.Kind == column.F64 && v.Doubles[i] < o.Doubles[j], v.Kind != column.F64 && v.Ints[i] < o.Ints[j]:
		return -1
	case v.Kind == column.F64 && v.Doubles[i] == o.Doubles[j], v.Kind != column.F64 && v.Ints[i] == o.Ints[j]:
		return 0
	}
	return 1
}

// Column copies v into device memory of the task. Integers have bounds.
func (v Values) Column(t testing.TB, task *engine.Task) column.Column {
	t.Helper()
	c := column.Column{Kind: v.Kind, Rows: v.Rows(), Values: v.upload(t, task)}
	if v.Null != nil {
		valid := make([]uint8, len(v.Null))
		for i, null := range v.Null {
			if !null {
				valid[i] = 1
			}
		}
		c.Valid = enginetest.Upload(t, task, valid)
	}
	if v.Kind != column.F64 {
		c.Bounded, c.Min, c.Max = v.bounds()
	}
	return c
}

func (v Values) upload(t testing.TB, task *engine.Task) gpu.Ptr {
	switch v.Kind {
	case column.F64:
		return enginetest.Upload(t, task, v.Doubles)
	case column.I64:
		return enginetest.Upload(t, task, v.Ints)
	}
	narrow := make([]int32, len(v.Ints))
	for i, x := range v.Ints {
		narrow[i] = int32(x)
	}
	return enginetest.Upload(t, task, narrow)
}

// bounds returns the least and the greatest non-NULL value, or false if there is none.
func (v Values) bounds() (found bool, low, high int64) {
	for i, x := range v.Ints {
		if v.IsNull(i) {
			continue
		}
		if !found {
			found, low, high = true, x, x
		}
		low, high = min(low, x), max(high, x)
	}
	return found, low, high
}

// Integer returns an aggregate's 128-bit result.
func Integer(v join.Value) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(int64(v.Hi)), 64)
	return n.Add(n, new(big.Int).SetUint64(v.Lo))
}
