package pairs

import (
	"math/rand/v2"
	"testing"

	"gsql/internal/simd"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// BenchmarkMask measures tests of a row against a tile, by condition and level of vector
// instructions.
func BenchmarkMask(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	column := func(id expr.ColID) *expr.Col { return &expr.Col{ID: id, Name: "c", T: types.T(types.Int32)} }
	la, lx, ra, rx, rb := column(0), column(1), column(10), column(11), column(12)
	number := func(n int64) expr.Expr { return &expr.Const{Value: catalog.Int(n)} }
	product := call("*", lx, rx)
	conditions := []struct {
		name string
		e    expr.Expr
	}{
		{"comparison", call(">", la, ra)},
		{"sums", call(">", call("+", call("*", la, number(3)), rb), call("*", ra, number(2)))},
		{"product", call(">", product, number(250000))},
		{"sum times column", call(">", call("*", call("+", lx, rx), rb), call("*", la, number(100)))},
		{"product in 64 bits", call(">", call("*", la, ra), number(1e10))},
		{"product <>", call("<>", product, call("+", rb, la))},
		{"remainder", call("=", call("%", lx, rx), number(1))},
		{"OR", call("or", call("<", product, number(1000)), call("=", rb, la))},
		{"two comparisons", call("and", call(">", la, ra), call("<>", lx, rx))},
	}
	fill := func(most ...int) (out []*vec.Vector) {
		for _, m := range most {
			v := vec.NewFlat(types.T(types.Int32), Tile)
			for i := range v.I64 {
				v.I64[i] = 1 + r.Int64N(int64(m))
			}
			out = append(out, v)
		}
		return out
	}
	sides := [2][]*vec.Vector{fill(1_000_000, 1000), fill(1_000_000, 1000, 100_000)}
	for _, k := range conditions {
		c, err := Compile([]expr.Expr{k.e}, []expr.ColID{0, 1}, []expr.ColID{10, 11, 12})
		if err != nil || c.Vectorise() != nil {
			b.Fatal(err)
		}
		b.Run(k.name, func(b *testing.B) {
			simd.EachLevel(b.Run, func(b *testing.B) { benchmarkMask(b, c, sides) })
		})
	}
}

func benchmarkMask(b *testing.B, c *Condition, sides [2][]*vec.Vector) {
	var rows [2]*Rows
	for side := range rows {
		rows[side] = c.NewRows(kernel.Ctx{}, Side(side), nil)
		if err := rows[side].Load(sides[side], Tile); err != nil {
			b.Fatal(err)
		}
	}
	t := c.NewTester(kernel.Ctx{})
	t.Bind(rows[Left], rows[Right], Left)
	n := t.Tile(0)
	if !t.vectorised {
		b.Fatal("there is no program")
	}
	row := 0
	for b.Loop() {
		if _, _, err := t.Mask(row % Tile); err != nil {
			b.Fatal(err)
		}
		row++
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gpairs/s")
}
