package lower

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/gpu/column"
	"gsql/gpu/pipeline"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Functions of one column with few values (the texts of a dictionary, or integers in a small range)
// are evaluated on the CPU once for each value. The device looks up the results.

// tableRange is the maximum number of integers for which a table of results is made.
const tableRange = 1 << 20

// errNoTable means that an expression is not a function of one column with few values.
var errNoTable = errors.New("no table of results")

// table returns a call as a table of constants.
func (l *scalars) table(in env, c *expr.Call) (value, error) {
	col, err := onlyColumn(c)
	if err != nil {
		return value{}, err
	}
	b := in[col.ID]
	if b == nil {
		return value{}, errNoTable
	}
	v, err := b.value()
	switch {
	case err != nil:
		return value{}, err
	case v.e == nil || v.sum != nil || v.e.Kind != pipeline.Int:
		return value{}, errNoTable
	case v.text && v.texts == nil:
		return l.unknownTable(v, c.T), nil
	}
	inputs, index, err := l.inputs(v, col.T)
	if err != nil {
		return value{}, err
	}
	results, err := evaluate(c, col, inputs)
	if err != nil {
		return value{}, err
	}
	if last := results.N - 1; index.Nullable && results.IsNull(last) {
		results = results.Slice(0, last)
	} else if index.Nullable {
		index = l.If(l.IsNull(index), l.Int(int64(last)), index)
	}
	return l.lookedUp(results, index)
}

// onlyColumn returns the only column of a call without volatile functions.
func onlyColumn(c *expr.Call) (*expr.Col, error) {
	var col *expr.Col
	ok := true
	expr.Walk(c, func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Col:
			ok = ok && (col == nil || col.ID == x.ID)
			col = x
		case *expr.Call:
			s := expr.Lookup(x.Fn)
			ok = ok && s != nil && !s.Volatile && !s.Session
		case *expr.Const:
		default:
			ok = false
		}
		return ok
	})
	if !ok || col == nil {
		return nil, errNoTable
	}
	return col, nil
}

// unknownTable returns a stand-in for a table over a dictionary that is not known yet.
func (l *scalars) unknownTable(v value, t types.Type) value {
	out := value{text: t.Kind() == types.KindStr}
	c := pipeline.Column{Width: 4, Min: math.MinInt32, Max: math.MaxInt32, Relation: pipeline.None, Data: make([]byte, 4)}
	switch t.Kind() {
	case types.KindF64:
		c = pipeline.Column{Kind: pipeline.Float, Width: 8, Relation: pipeline.None, Data: make([]byte, 8)}
	case types.KindDec:
		out.scale = int(t.Scale)
	case types.KindStr:
		c.Min, c.Max = 0, v.e.Max
	}
	out.e = l.Lookup(l.AddColumn(c), l.Int(0))
	return out
}

// inputs returns the values of a column in order, followed by NULL if the column may be NULL, and
// the expression of a value's number.
func (l *scalars) inputs(v value, t types.Type) (*vec.Vector, *pipeline.Expr, error) {
	if v.text {
		out := withNull(t, len(v.texts.Texts), v.e.Nullable)
		copy(out.Str, v.texts.Texts)
		return out, v.e, nil
	}
	n := v.e.Max - v.e.Min + 1
	if n <= 0 || n > tableRange || v.e.Op == pipeline.OpNull {
		return nil, nil, errNoTable
	}
	out := withNull(t, int(n), v.e.Nullable)
	for i := range int(n) {
		x := v.e.Min + int64(i)
		switch t.Kind() {
		case types.KindI64, types.KindU64:
			out.I64[i] = x
		case types.KindDec:
			out.Dec[i] = decimal128.FromI64(x)
		default:
			return nil, nil, errNoTable
		}
	}
	index, err := l.Arith(pipeline.OpSub, v.e, l.Int(v.e.Min))
	return out, index, err
}

// withNull returns a vector of n rows, and one of NULL if nullable is set.
func withNull(t types.Type, n int, nullable bool) *vec.Vector {
	if !nullable {
		return vec.NewFlat(t, n)
	}
	out := vec.NewFlat(t, n+1)
	out.SetNull(n)
	return out
}

// evaluate returns the results of a call for all values. If one of them fails, there is no table,
// although possibly no row has that value.
func evaluate(c *expr.Call, col *expr.Col, inputs *vec.Vector) (*vec.Vector, error) {
	p, err := eval.Compile(c, []expr.ColID{col.ID})
	if err != nil {
		return nil, err
	}
	ev := p.NewEvaluator(kernel.Tentative(nil))
	defer ev.Release()
	out, err := ev.Eval(&vec.Batch{Cols: []*vec.Vector{inputs}, N: inputs.N})
	if err != nil {
		return nil, fmt.Errorf("%s fails for a value that its column might have", c)
	}
	return out.Flatten(&vec.Vector{}), nil
}

// lookedUp returns the element of results at an index.
func (l *scalars) lookedUp(results *vec.Vector, index *pipeline.Expr) (value, error) {
	var v value
	switch results.Type.Kind() {
	case types.KindI64, types.KindU64:
		if results.Type.Kind() == types.KindU64 && slices.ContainsFunc(results.I64, func(x int64) bool { return x < 0 }) {
			return v, fmt.Errorf("%w", pipeline.ErrRange)
		}
		v.e = l.Lookup(l.constants(results.I64), index)
	case types.KindDec:
		words := make([]int64, results.N)
		for i, d := range results.Dec {
			words[i] = int64(d.LowBits())
			if !results.IsNull(i) && d.HighBits() != words[i]>>63 {
				return v, fmt.Errorf("%w", pipeline.ErrRange)
			}
		}
		v.e, v.scale = l.Lookup(l.constants(words), index), int(results.Type.Scale)
	case types.KindF64:
		data := make([]byte, 0, 8*results.N)
		for _, f := range results.F64 {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(f))
		}
		v.e = l.Lookup(l.AddColumn(pipeline.Column{Kind: pipeline.Float, Width: 8, Relation: pipeline.None, Data: data}), index)
	case types.KindStr:
		codes, texts := encode(results)
		v = value{e: l.Lookup(l.constants(codes), index), text: true, texts: texts}
	default:
		return v, errNoTable
	}
	return l.withNulls(v, results, index), nil
}

// withNulls makes v NULL in the rows where results are NULL.
func (l *scalars) withNulls(v value, results *vec.Vector, index *pipeline.Expr) value {
	if results.Null == nil || !slices.Contains(results.Null[:results.N], true) {
		return v
	}
	known := make([]int64, results.N)
	for i := range known {
		if !results.Null[i] {
			known[i] = 1
		}
	}
	there := l.Compare(pipeline.OpNE, l.Lookup(l.constants(known), index), l.Int(0))
	v.e = l.If(there, v.e, l.Null(v.e.Kind))
	return v
}

// encode returns the dictionary of texts, and their codes, which are 0 for NULLs.
func encode(v *vec.Vector) ([]int64, *column.Dictionary) {
	var texts []string
	for i, s := range v.Str[:v.N] {
		if v.Null == nil || !v.Null[i] {
			texts = append(texts, s)
		}
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	codes := make([]int64, v.N)
	for i, s := range v.Str[:v.N] {
		if v.Null == nil || !v.Null[i] {
			at, _ := slices.BinarySearch(texts, s)
			codes[i] = int64(at)
		}
	}
	return codes, &column.Dictionary{Texts: texts}
}

// constants adds a column of integers of the smallest width that holds them.
func (l *scalars) constants(v []int64) int {
	if len(v) == 0 {
		v = []int64{0}
	}
	least, most := slices.Min(v), slices.Max(v)
	c := pipeline.Column{Width: 8, Min: least, Max: most, Relation: pipeline.None}
	for _, w := range []int{4, 2, 1} {
		if uint64(most-least) < 1<<(8*w) {
			c.Width, c.Bias = w, least
		}
	}
	for _, x := range v {
		word := binary.LittleEndian.AppendUint64(nil, uint64(x-c.Bias))
		c.Data = append(c.Data, word[:c.Width]...)
	}
	return l.AddColumn(c)
}
