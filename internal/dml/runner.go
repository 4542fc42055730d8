// Package dml executes bound INSERT, REPLACE, UPDATE and DELETE statements within a transaction: it
// runs their plans and passes rows to the storage in MySQL's order and with its counts.
package dml

import (
	"context"

	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage"
)

// Runner holds what a statement needs to run.
type Runner struct {
	Ctx context.Context
	Tx  *storage.Tx
	// Mem is charged for the rows that the statement keeps; the caller releases it.
	Mem *mem.Account
	// Each runs a plan to its end and calls f for every batch, in one goroutine.
	Each func(plan *physical.Node, f func(*vec.Batch) error) error
	// Warn adds a warning to the statement's list.
	Warn func(code uint16, msg string)
	// Lenient is set if values that a column cannot hold are adjusted with a warning: with IGNORE,
	// and without strict mode.
	Lenient bool
}

// Collect runs a plan and keeps its rows, flat and owned by the caller.
func (r *Runner) Collect(plan *physical.Node) (batches [][]*vec.Vector, rows int64, err error) {
	err = r.Each(plan, func(b *vec.Batch) error {
		rows += int64(b.N)
		cols := owned(b)
		batches = append(batches, cols)
		return r.Mem.Reserve(footprint(cols))
	})
	return batches, rows, err
}

// footprint returns the bytes that flat vectors take, without texts of tables and dictionaries.
func footprint(cols []*vec.Vector) int64 {
	n := int64(0)
	for _, v := range cols {
		n += int64(len(v.Null)+8*(len(v.I64)+len(v.F64))+16*(len(v.Dec)+len(v.Str))) + v.TextBytes()
	}
	return n
}

// owned copies a batch's columns out of the operators' buffers.
func owned(b *vec.Batch) []*vec.Vector {
	all := make([]int32, b.N)
	for i := range all {
		all[i] = int32(i)
	}
	out := make([]*vec.Vector, len(b.Cols))
	for i, v := range vec.Select(b, all).Cols {
		out[i] = v.Flatten(nil)
	}
	return out
}

// all runs a plan and returns its rows as one flat batch, or nil if there are none.
func (r *Runner) all(plan *physical.Node) ([]*vec.Vector, error) {
	batches, rows, err := r.Collect(plan)
	if err != nil || rows == 0 {
		return nil, err
	}
	out := batches[0]
	if len(batches) > 1 {
		for c := range out {
			out[c] = concat(batches, c, int(rows))
		}
	}
	return out, nil
}

// concat joins column c of flat batches.
func concat(batches [][]*vec.Vector, c, rows int) *vec.Vector {
	out := &vec.Vector{Type: batches[0][c].Type, N: rows}
	for _, b := range batches {
		v := b[c]
		if v.Null != nil && out.Null == nil {
			out.Null = make([]bool, len(out.I64)+len(out.F64)+len(out.Dec)+len(out.Str), rows)
		}
		if out.Null != nil {
			null := v.Null
			if null == nil {
				null = make([]bool, v.N)
			}
			out.Null = append(out.Null, null...)
		}
		out.I64, out.F64 = append(out.I64, v.I64...), append(out.F64, v.F64...)
		out.Dec, out.Str = append(out.Dec, v.Dec...), append(out.Str, v.Str...)
	}
	return out
}

// pick returns the rows of flat vectors.
func pick(cols []*vec.Vector, rows []int32) []*vec.Vector {
	out := make([]*vec.Vector, len(cols))
	for i, v := range cols {
		var c vec.Composer
		out[i] = c.View(v, rows).Flatten(nil)
	}
	return out
}

// FillNulls replaces NULLs in NOT NULL columns with zero or the empty string, with a warning each,
// as MySQL does when it is lenient. cols correspond to the columns of schema that ordinals lists.
// Times have no zero and are unchanged.
func (r *Runner) FillNulls(schema *catalog.Schema, ordinals []int, cols []*vec.Vector) {
	for i, o := range ordinals {
		def := &schema.Columns[o]
		if !r.Lenient || !def.NotNull || def.AutoInc || def.Type.IsTemporal() || !cols[i].MayHaveNulls() {
			continue
		}
		v := cols[i].Flatten(nil)
		if v.Type.ID == types.Null {
			v = vec.NewFlat(def.Type, v.N)
			v.Null = make([]bool, v.N)
			for j := range v.Null {
				v.Null[j] = true
			}
		}
		cols[i] = r.filled(def.Name, v)
	}
}

// filled returns v as a flat vector with zeros for its NULLs and warns of each NULL.
func (r *Runner) filled(column string, v *vec.Vector) *vec.Vector {
	out := vec.NewFlat(v.Type, v.N)
	for j := range v.N {
		if v.Null != nil && v.Null[j] {
			r.Warn(uint16(sqlerr.BadNull), "Column '"+column+"' cannot be null")
			continue
		}
		switch v.Type.Kind() {
		case types.KindI64, types.KindU64:
			out.I64[j] = v.I64[j]
		case types.KindF64:
			out.F64[j] = v.F64[j]
		case types.KindDec:
			out.Dec[j] = v.Dec[j]
		case types.KindStr:
			out.Str[j] = v.Str[j]
		}
	}
	return out
}

// ordinals returns 0 to n-1.
func ordinals(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
