package lower

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

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

// sum is a sum in accumulators: the first of words, or the sum of words[i] * 2^(32*i). count is the number
// of values; the result is NULL if it is 0.
type sum struct {
	words       []*pipeline.Expr
	count       *pipeline.Expr
	mean        bool
	t           types.Type // of a mean
	scale       int
	real        bool
	least, most decimal128.Num // bounds of a sum of several words
	// The bounds of the values and 0.
	smallest, largest decimal128.Num
}

var errLong = errors.New("numbers of more than 64 bits have no device form here")

var errText = errors.New("a literal text has no device form")

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
		return value{e: l.Narrowed(l.Const128(decimal128.New(0, uint64(d.I64))))}, nil
	case kind == types.KindF64:
		return value{e: l.Float(d.F64)}, nil
	case kind == types.KindDec:
		return value{e: l.Narrowed(l.Const128(d.Dec)), scale: int(d.Type.Scale)}, nil
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
	v, err := l.settled(v)
	switch {
	case err != nil:
		return nil, err
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
