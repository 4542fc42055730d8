package sort

import (
	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/sql/types"
)

// Column is an input column used as a key.
type Column struct {
	At   int
	Desc bool
}

// Over makes a sort for use inside another operator, whose account is named name. It sorts the
// rows of in, which have the types ts, by keys among them. The rows spill if memory cannot hold
// them with perRow more bytes for each row, which the other operator will need.
func Over(in op.Operator, name string, ts []types.Type, keys []Column, perRow int64) *Operator {
	o := &Operator{in: in, name: name, perRow: perRow, types: ts, width: len(ts), limit: -1}
	for _, k := range keys {
		o.keys = append(o.keys, key{col: k.At, desc: k.Desc})
	}
	return o
}

// OnDisk reports, after Open, whether the rows are on disk. If so, only a stream returns them.
func (o *Operator) OnDisk() bool { return o.runs != nil }

// InMemory returns the rows of a sort that is not on disk, and their numbers in order. The sort
// still owns them. The store is nil if there are no rows.
func (o *Operator) InMemory() (rows *colstore.Store, order []int32) {
	if o.rows == nil || o.rows.Rows() == 0 {
		return nil, nil
	}
	return o.rows, o.order.S
}

// Spill spills the rows of a sort in memory.
func (o *Operator) Spill() error {
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

// Forget removes the rows of a sort on disk. Its streams must be closed.
func (o *Operator) Forget() error {
	err := o.runs.close()
	o.runs = nil
	return err
}
