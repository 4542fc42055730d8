package eval

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// benchBatch returns two BIGINT, two DECIMAL(12,2) and two DOUBLE columns, and a dictionary of 20
// strings.
func benchBatch() *vec.Batch {
	r := rand.New(rand.NewPCG(1, 1))
	const n = vec.BatchSize
	b := &vec.Batch{N: n}
	for _, t := range []types.Type{kernel.Int64Type, kernel.Int64Type, types.Dec(12, 2), types.Dec(12, 2), kernel.DoubleType, kernel.DoubleType} {
		v := vec.NewFlat(t, n)
		for i := range n {
			x := int64(r.IntN(1000))
			switch t.Kind() {
			case types.KindDec:
				v.Dec[i] = decimal128.FromI64(x)
			case types.KindF64:
				v.F64[i] = float64(x)
			default:
				v.I64[i] = x
			}
		}
		b.Cols = append(b.Cols, v)
	}
	dict := vec.NewFlat(kernel.TextType, 20)
	for i := range dict.Str {
		dict.Str[i] = fmt.Sprintf("entry number %d", i)
	}
	codes := &vec.Vector{Type: kernel.TextType, Form: vec.View, N: n, Base: dict, Idx: make([]int32, n)}
	for i := range codes.Idx {
		codes.Idx[i] = int32(r.IntN(20))
	}
	b.Cols = append(b.Cols, codes)
	return b
}

func benchExprs(b *vec.Batch) map[string]expr.Expr {
	col := func(i int) expr.Expr { return &expr.Col{ID: expr.ColID(i), Name: "c", T: b.Cols[i].Type} }
	call := func(fn expr.FuncID, args ...expr.Expr) expr.Expr {
		e, err := expr.NewCall(fn, args, -1)
		if err != nil {
			panic(err)
		}
		return e
	}
	five := &expr.Const{Value: catalog.Int(500)}
	return map[string]expr.Expr{
		"int_add":      call("+", col(0), col(1)),
		"int_mul":      call("*", col(0), col(1)),
		"dec_add":      call("+", col(2), col(3)),
		"dec_mul":      call("*", col(2), col(3)),
		"dec_div":      call("/", col(2), col(3)),
		"double_mul":   call("*", col(4), col(5)),
		"int_less":     call("<", col(0), five),
		"int_less_col": call("<", col(0), col(1)),
		"dec_less":     call("<", col(2), five),
		"dict_like":    call("like", col(6), &expr.Const{Value: catalog.Str("%number 1%")}),
		"case":         call("case", call("<", col(0), five), col(0), col(1)),
	}
}

func BenchmarkEval(b *testing.B) {
	batch := benchBatch()
	for name, e := range benchExprs(batch) {
		b.Run(name, func(b *testing.B) {
			p, err := Compile(e, genInput)
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

func BenchmarkSelect(b *testing.B) {
	batch := benchBatch()
	exprs := benchExprs(batch)
	for _, name := range []string{"int_less", "int_less_col", "dec_less", "dict_like"} {
		b.Run(name, func(b *testing.B) {
			f, err := CompileFilter([]expr.Expr{exprs[name]}, genInput)
			if err != nil {
				b.Fatal(err)
			}
			ev := f.NewEvaluator(kernel.Ctx{})
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := ev.Select(batch); err != nil {
					b.Fatal(err)
				}
			}
			perRow(b)
		})
	}
}

func perRow(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/vec.BatchSize, "ns/row")
}

// BenchmarkCompile measures a short expression from compilation to its value.
func BenchmarkCompile(b *testing.B) {
	batch := benchBatch().Slice(0, 3)
	e := benchExprs(batch)["case"]
	b.ReportAllocs()
	for b.Loop() {
		p, err := Compile(e, genInput)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.NewEvaluator(kernel.Ctx{}).Eval(batch); err != nil {
			b.Fatal(err)
		}
	}
}
