// Package optest runs operators over relations in all ways that must not affect the result: batch
// sizes, vector forms, numbers of workers. It also runs them in ways that must end cleanly:
// cancellation, a failing input, refused memory. It compares results with an oracle.
package optest

import (
	"fmt"
	"math/rand/v2"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Relation is an input: rows of datums.
type Relation struct {
	Cols []logical.Column
	Rows [][]catalog.Datum
}

// New returns a relation without rows. Its columns have the given types and the ids first,
// first+1, and so on.
func New(first expr.ColID, ts ...types.Type) *Relation {
	r := &Relation{}
	for i, t := range ts {
		id := first + expr.ColID(i)
		r.Cols = append(r.Cols, logical.Column{ID: id, Name: fmt.Sprint("c", id), T: t})
	}
	return r
}

// Fill adds n rows of random values below domain (see Value). One value in nullEvery is NULL; 0
// means none.
func (r *Relation) Fill(rng *rand.Rand, n, domain, nullEvery int) *Relation {
	for range n {
		row := make([]catalog.Datum, len(r.Cols))
		for i, c := range r.Cols {
			row[i] = Value(c.T, rng.IntN(domain))
			if nullEvery > 0 && rng.IntN(nullEvery) == 0 {
				row[i] = catalog.NullOf(c.T)
			}
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

// Value returns the k-th value of a type: negative and positive numbers, short and long strings
// with common prefixes. Different k have different values.
func Value(t types.Type, k int) catalog.Datum {
	d := catalog.Datum{Type: t}
	x := int64(k)
	if k%2 == 1 {
		x = -x
	}
	switch t.Kind() {
	case types.KindI64:
		d.I64 = x
	case types.KindU64:
		d.I64 = x // odd ones exceed the signed range
	case types.KindF64:
		d.F64 = float64(x) / 4
	case types.KindDec:
		d.Dec = decimal128.FromI64(x * 7)
		if k%5 == 4 { // needs more than 64 bits
			d.Dec = decimal128.New(x, uint64(k))
		}
	case types.KindStr:
		d.Str = [...]string{"", "a", "ab", "prefix shared by many ", "\x00"}[k%5] + fmt.Sprint(k/5)
		if k == 0 {
			d.Str = ""
		}
	default:
		d.Null = true
	}
	return d
}

// Node returns a leaf of a plan that has the relation's columns.
func (r *Relation) Node() *physical.Node {
	return &physical.Node{Op: &physical.Values{}, Cols: r.Cols, Device: physical.CPU}
}

// Col returns a reference to column i.
func (r *Relation) Col(i int) *expr.Col { return r.Cols[i].Ref() }
