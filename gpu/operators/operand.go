package operators

import (
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// operand is a column that a device computes with: the values of an expression over one input of a
// join. It has host values, or is a table's column in device memory, or both.
type operand struct {
	expr    expr.Expr
	vec     *vec.Vector   // host values; nil if they have not been read
	table   catalog.Table // the table whose column it is, if the column may stay on the device; else nil
	ordinal int
	noNaN   bool           // NULL replaces NaN, as in conditions; only DOUBLEs can have any
	bound   *column.Bounds // of vec, once measured
}

// newOperand returns the operand of e over a ToDevice node's input. noNaN is set for operands of
// conditions, because no comparison holds for a NaN; NaNs can only be removed from host values.
func (cfg *Config) newOperand(e expr.Expr, toDevice *physical.Node, noNaN bool) *operand {
	o := &operand{expr: e, noNaN: noNaN && e.Type().IsFloat()}
	col, ok := e.(*expr.Col)
	if !ok || o.noNaN {
		return o
	}
	if t, ordinal, ok := physical.TableColumn(toDevice.In[0], col.ID); ok && cfg.Cacheable(t) {
		o.table, o.ordinal = t, ordinal
	}
	return o
}

// bounds returns the operand for choosing a format. The bounds of a table's column come from its
// statistics, so that all queries choose the same format and can reuse each other's columns. If
// wide is set, they are those of the type.
func (o *operand) bounds(wide bool) column.Operand {
	t := o.expr.Type()
	switch {
	case o.table != nil && wide:
		return column.Operand{Type: t, Bounds: column.Any(t)}
	case o.table != nil:
		return column.Operand{Type: t, Bounds: known(o.table.Stats(), o.ordinal, t)}
	case o.vec == nil: // it is divided while it is read
		return column.Operand{Type: t, Bounds: column.Any(t)}
	case o.bound == nil:
		b := column.Measure(o.vec)
		o.bound = &b
	}
	return column.Operand{Type: t, Bounds: *o.bound}
}

func known(st *catalog.Stats, ordinal int, t types.Type) column.Bounds {
	if ordinal < len(st.Columns) && t.Kind() != types.KindF64 {
		if c := &st.Columns[ordinal]; c.Min != nil && c.Max != nil {
			return column.Between(t, c.Min.I64, c.Max.I64)
		}
	}
	return column.Any(t)
}

// format returns the format in which all of os can be compared with each other.
func format(wide bool, os ...*operand) (column.Format, error) {
	bounds := make([]column.Operand, len(os))
	for i, o := range os {
		bounds[i] = o.bounds(wide)
	}
	f, ok := column.FormatOf(bounds...)
	if !ok {
		return f, sqlerr.Internal("no format of a device for %s", os[0].expr)
	}
	return f, nil
}

// key returns the key of the operand's column in the cache of a device.
func (o *operand) key(f column.Format) engine.Key {
	schema := o.table.Schema()
	return engine.Key{Table: o.table.Name(), Version: o.table.Version(), Column: o.ordinal, Name: schema.Columns[o.ordinal].Name, Format: f, Stay: schema.Cached}
}

// setValues sets the host values of the operand.
func (o *operand) setValues(v *vec.Vector) {
	if o.vec = v; o.noNaN {
		o.vec = withoutNaN(v)
	}
}

// withoutNaN returns v with each NaN replaced by NULL.
func withoutNaN(v *vec.Vector) *vec.Vector {
	v = v.Flatten(nil)
	out := *v
	out.Null = nil
	for i, x := range v.F64[:v.N] {
		if x != x || v.Null != nil && v.Null[i] {
			out.SetNull(i)
		}
	}
	return &out
}

// checkNaN returns an error for columns with a NaN that are to be aggregated, because devices order
// NaNs differently.
func (o *operand) checkNaN() error {
	if o.noNaN || !o.expr.Type().IsFloat() {
		return nil
	}
	for i, x := range o.vec.F64[:o.vec.Slots()] {
		if x != x && (o.vec.Null == nil || !o.vec.Null[i]) {
			return sqlerr.New(sqlerr.UnknownError, "%s has a NaN, which is not for the device", o.expr)
		}
	}
	return nil
}

// condition is a join condition over operands.
type condition struct {
	op          join.Op
	left, right *operand
}

var ops = map[expr.FuncID]join.Op{expr.FuncEQ: join.EQ, expr.FuncNE: join.NE, expr.FuncLT: join.LT, expr.FuncLE: join.LE, expr.FuncGT: join.GT, expr.FuncGE: join.GE}

// newCondition returns the condition "l op r".
func newCondition(op expr.FuncID, l, r *operand) (condition, error) {
	o, ok := ops[op]
	if !ok || o == join.NE && l.expr.Type().IsFloat() {
		return condition{}, sqlerr.Internal("comparison %s %s %s on a device", l.expr, op, r.expr)
	}
	return condition{o, l, r}, nil
}
