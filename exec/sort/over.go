package sort

import (
	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/sql/types"
)

// Column is a column of the input that is a key.
type Column struct {
	At   int
	Desc bool
}

// Over makes a sort within another operator, whose name its account has: of the rows of in,
// which have these types, by keys among them. They go to disk where memory has no room for
// them with perRow bytes more a row, which the other operator will take.
func Over(in op.Operator, name string, ts []types.Type, keys []Column, perRow int64) *Operator {
	o := &Operator{in: in, name: name, perRow: perRow, types: ts, width: len(ts), limit: -1}
	for _, k := range keys {
		o.keys = append(o.keys, key{col: k.At, desc: k.Desc})
	}
	return o
}

// OnDisk reports, after Open, whether the rows are on disk: then only a stream returns them.
func (o *Operator) OnDisk() bool { return o.runs != nil }

// InMemory returns the rows, and their numbers in order, of a sort that is not on disk. They
// stay the sort's. The store is nil where there are no rows.
func (o *Operator) InMemory() (rows *colstore.Store, order []int32) {
	if o.rows == nil || o.rows.Rows() == 0 {
		return nil, nil
	}
	return o.rows, o.order.S
}

// PutAway moves the rows of a sort in memory to disk.
func (o *Operator) PutAway() error {
	rs, err := o.spilled()
	if err != nil {
		return err
	}
	err = o.writeRunOf(rs, o.rows, o.order.S[:o.rows.Rows()])
	o.order.Free()
	o.rows.Free()
	o.rows, o.order = nil, nil
	return err
}

// Forget removes the rows of a sort on disk, whose streams are closed.
func (o *Operator) Forget() error {
	err := o.runs.close()
	o.runs = nil
	return err
}
