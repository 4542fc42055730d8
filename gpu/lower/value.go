package lower

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gsql/gpu/column"
	"gsql/gpu/pipeline"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// value is an SQL value in the form in which devices compute: an integer scaled by 10^scale, a
// double, a truth value, or the code of a text.
type value struct {
	e       *pipeline.Expr
	scale   int
	text    bool
	texts   *column.Dictionary // text; nil while only statistics are known
	literal *string            // the only text of texts, which is the code 0
	// late is set for a column that is not on the device: e is the number of its row.
	late *place

	// A sum or mean that is not an expression, but an output of the program.
	sum *sum
}

// place is a column of a relation.
type place struct{ relation, ordinal int }

// sum is a sum in accumulators. high is nil if low is the whole sum. count is the number of values;
// the result is NULL if it is 0.
type sum struct {
	low, high, count *pipeline.Expr
	mean             bool
	scale            int
	real             bool
}

var errSum = errors.New("a sum of more than 64 bits, or an average, is used by another operator")

var errLate = sqlerr.Internal("a pipeline computes with a column that is not on the device")

// baseValue returns a column of a table.
func (l *lowering) baseValue(t catalog.Table, relation, ordinal int, typ types.Type) (value, error) {
	c, err := l.known.Column(t, ordinal)
	if err != nil {
		return value{}, err
	}
	if r := &l.q.Relations[relation]; !slices.Contains(r.Ordinals, ordinal) {
		r.Ordinals = append(r.Ordinals, ordinal)
	}
	return l.columnValue(c, relation, ordinal, typ), nil
}

// columnValue returns a column of a relation.
func (l *lowering) columnValue(c column.Narrow, relation, ordinal int, typ types.Type) value {
	at := [2]int{relation, ordinal}
	number, ok := l.base[at]
	if !ok {
		kind := pipeline.Int
		if c.Float {
			kind = pipeline.Float
		}
		number = l.AddColumn(pipeline.Column{
			Kind: kind, Width: c.Width, Bias: c.Bias, Min: c.Min, Max: c.Max, Relation: relation, Ordinal: ordinal, Nullable: c.Valid != 0,
		})
		l.base[at] = number
	}
	v := value{e: l.Load(number, pipeline.None, false), text: typ.Kind() == types.KindStr, texts: c.Texts}
	if typ.Kind() == types.KindDec {
		v.scale = int(typ.Scale)
	}
	return v
}

// constant returns a literal.
func (l *scalars) constant(d catalog.Datum) (value, error) {
	kind := d.Type.Kind()
	switch {
	case d.Null || kind == types.KindNull:
		return l.null(d.Type), nil
	case kind == types.KindI64:
		return value{e: l.Int(d.I64)}, nil
	case kind == types.KindU64:
		if d.I64 < 0 {
			return value{}, fmt.Errorf("%w", pipeline.ErrRange)
		}
		return value{e: l.Int(d.I64)}, nil
	case kind == types.KindF64:
		return value{e: l.Float(d.F64)}, nil
	case kind == types.KindDec:
		low := int64(d.Dec.LowBits())
		if d.Dec.HighBits() != low>>63 {
			return value{}, fmt.Errorf("%w", pipeline.ErrRange)
		}
		return value{e: l.Int(low), scale: int(d.Type.Scale)}, nil
	}
	return value{e: l.Int(0), text: true, texts: &column.Dictionary{Texts: []string{d.Str}}, literal: &d.Str}, nil
}

// null returns NULL of a type.
func (l *scalars) null(t types.Type) value {
	switch t.Kind() {
	case types.KindF64:
		return value{e: l.Null(pipeline.Float)}
	case types.KindDec:
		return value{e: l.Null(pipeline.Int), scale: int(t.Scale)}
	case types.KindStr:
		return value{e: l.Null(pipeline.Int), text: true, texts: &column.Dictionary{}}
	}
	return value{e: l.Null(pipeline.Int)}
}

// number returns the expression of an integer, a decimal or a double; truth values are 1 and 0.
func (l *scalars) number(v value) (*pipeline.Expr, error) {
	switch {
	case v.sum != nil:
		return nil, errSum
	case v.e == nil || v.text:
		return nil, errors.New("a text is used as a number")
	case v.late != nil:
		return nil, errLate
	case v.e.Kind == pipeline.Bool:
		return l.ToInt(v.e), nil
	}
	return v.e, nil
}

// power returns 10^n.
func power(n int) (int64, error) {
	if n > 18 {
		return 0, fmt.Errorf("%w", pipeline.ErrRange)
	}
	return int64(math.Pow10(n)), nil
}

// rescaled converts an integer to another scale, rounded half away from zero.
func (l *scalars) rescaled(e *pipeline.Expr, from, to int) (*pipeline.Expr, error) {
	switch {
	case from == to:
		return e, nil
	case to > from:
		p, err := power(to - from)
		if err != nil {
			return nil, err
		}
		return l.Arith(pipeline.OpMul, e, l.Int(p))
	}
	p, err := power(from - to)
	if err != nil {
		return nil, err
	}
	return l.Quotient(pipeline.OpQuoRound, e, l.Int(p))
}

// within checks that an integer's bounds are within those of a type.
func within(e *pipeline.Expr, t types.Type) error {
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	switch {
	case t.Kind() == types.KindU64:
		least = 0
		if bits := t.Bits(); bits < 64 {
			most = 1<<bits - 1
		}
	case t.Kind() == types.KindDec && t.Prec <= 18:
		p, _ := power(int(t.Prec))
		least, most = 1-p, p-1
	case t.Kind() == types.KindI64 && t.IsInteger():
		if bits := t.Bits(); bits > 0 && bits < 64 {
			least, most = -1<<(bits-1), 1<<(bits-1)-1
		}
	}
	if e.Op != pipeline.OpNull && (e.Min < least || e.Max > most) {
		return fmt.Errorf("a value may be out of range of %s", t.Name())
	}
	return nil
}
