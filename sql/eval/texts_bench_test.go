package eval

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// BenchmarkTexts measures conversions of numbers, times and other texts to texts.
func BenchmarkTexts(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = vec.BatchSize
	batch := &vec.Batch{N: n}
	for _, t := range []types.Type{kernel.TextType, kernel.TextType, types.T(types.Datetime), {ID: types.Datetime, Prec: 6}, types.T(types.Date), types.Dec(12, 2)} {
		v := vec.NewFlat(t, n)
		if t.Kind() == types.KindDec {
			v.ResizeNarrow(n)
		}
		for i := range n {
			switch k := len(batch.Cols); {
			case k == 0:
				v.Str[i] = fmt.Sprintf("Customer %d ordinary", r.IntN(1_000_000))
			case k == 1:
				v.Str[i] = fmt.Sprintf("%032x", r.Uint64())[29-r.IntN(12):]
			case t.ID == types.Date:
				v.I64[i] = 8000 + r.Int64N(2500)
			case t.ID == types.Datetime:
				v.I64[i] = (978307200 + r.Int64N(300_000_000)) * types.Second
			default:
				v.I64[i] = r.Int64N(10_000_000)
			}
		}
		batch.Cols = append(batch.Cols, v)
	}
	col := func(i int) expr.Expr { return &expr.Col{ID: expr.ColID(i), Name: "c", T: batch.Cols[i].Type} }
	text := func(s string) expr.Expr { return &expr.Const{Value: catalog.Str(s)} }
	for _, c := range []struct {
		name string
		e    expr.Expr
	}{
		{"lower", mustCall("lower", col(0))}, {"upper short", mustCall("upper", col(1))}, {"reverse", mustCall("reverse", col(0))},
		{"cast datetime", expr.Cast(col(2), kernel.TextType)}, {"cast datetime(6)", expr.Cast(col(3), kernel.TextType)}, {"cast date", expr.Cast(col(4), kernel.TextType)},
		{"cast decimal", expr.Cast(col(5), kernel.TextType)}, {"datetime format", mustCall("date_format", col(2), text("%Y-%m-%d %H:%i"))},
		{"concat", mustCall("concat", col(0), text("-"), col(1))}, {"concat short", mustCall("concat", col(1), text("x"))}, {"concat_ws", mustCall("concat_ws", text(","), col(0), col(1))},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := Compile(c.e, []expr.ColID{0, 1, 2, 3, 4, 5})
			if err != nil {
				b.Fatal(err)
			}
			ev := p.NewEvaluator(kernel.Ctx{})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ev.Eval(batch); err != nil {
					b.Fatal(err)
				}
			}
			perRow(b)
		})
	}
}
