package pairs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/mem"
	"gsql/internal/simd"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Column types of the sides: integers of three widths, an unsigned integer, a double and
// decimals.
var columnTypes = []types.Type{types.T(types.Int32), types.T(types.Int64), types.T(types.Int8), types.T(types.Uint32), types.T(types.Float64), types.Dec(9, 2), types.Dec(12, 0)}

// numbers returns a column of values with at most magnitude bits; one in nullEvery is NULL.
func numbers(r *rand.Rand, t types.Type, n, magnitude, nullEvery int) *vec.Vector {
	v := vec.NewFlat(t, n)
	for i := range n {
		x := int64(r.Uint64()>>1) >> (63 - magnitude)
		if r.IntN(2) == 0 && !t.IsUnsigned() {
			x = -x
		}
		if t.Bits() > 0 && t.Bits() < 64 && !t.IsFloat() {
			x %= 1 << (t.Bits() - 1)
		}
		switch t.Kind() {
		case types.KindF64:
			v.F64[i] = float64(x) / 4
		case types.KindDec:
			v.Dec[i] = decimal128.FromI64(x % 1_000_000_000)
		default:
			v.I64[i] = x
		}
		if nullEvery > 0 && r.IntN(nullEvery) == 0 {
			v.SetNull(i)
		}
	}
	return v
}

// generator generates random conditions over columns 0 to 6 and 10 to 16.
type generator struct{ r *rand.Rand }

func call(fn expr.FuncID, args ...expr.Expr) expr.Expr {
	e, err := expr.NewCall(fn, args, -1)
	if err != nil {
		panic(err)
	}
	return e
}

func (g generator) pick(list ...expr.FuncID) expr.FuncID { return list[g.r.IntN(len(list))] }

func (g generator) number(depth int) expr.Expr {
	if depth == 0 || g.r.IntN(5) == 0 {
		k := g.r.IntN(len(columnTypes))
		switch g.r.IntN(5) {
		case 0:
			return &expr.Const{Value: catalog.Int(int64(g.r.IntN(2000) - 1000))}
		case 1, 2:
			return &expr.Col{ID: expr.ColID(k), Name: "l", T: columnTypes[k]}
		}
		return &expr.Col{ID: expr.ColID(10 + k), Name: "r", T: columnTypes[k]}
	}
	if g.r.IntN(8) == 0 {
		return call("neg", g.number(depth-1))
	}
	return call(g.pick("+", "-", "*", "*", "%"), g.number(depth-1), g.number(depth-1))
}

func (g generator) condition(depth int) expr.Expr {
	switch {
	case depth == 0 || g.r.IntN(3) > 0:
		return call(g.pick("=", "<>", "<", "<=", ">", ">="), g.number(2), g.number(1))
	case g.r.IntN(4) == 0:
		return call("not", g.condition(depth-1))
	case g.r.IntN(5) == 0:
		return call("isnull", g.number(1))
	}
	return call(g.pick("and", "or"), g.condition(depth-1), g.condition(depth-1))
}

// warnings is an Env that counts warnings.
type warnings struct {
	catalog.Env
	n int
}

func (w *warnings) Warn(uint16, string)      { w.n++ }
func (w *warnings) Memory() *mem.Account     { return nil }
func (w *warnings) Running() context.Context { return context.Background() }

// tested returns the pairs that pass, and the number of warnings.
func tested(t *testing.T, c *Condition, cols [2][]*vec.Vector, n [2]int, outer Side) (pairs map[[2]int]bool, vectorised bool, warned int, err error) {
	t.Helper()
	w := &warnings{}
	ctx := kernel.Ctx{Env: w}
	account := mem.NewRoot("test", 0)
	var rows [2]*Rows
	for side := range rows {
		rows[side] = c.NewRows(ctx, Side(side), account)
		defer rows[side].Free()
		for _, size := range []int{n[side] / 2, n[side]} { // twice, so that the second load replaces old values
			if err := rows[side].Load(cols[side], size); err != nil {
				t.Fatal(err)
			}
		}
	}
	pairs = map[[2]int]bool{}
	tester := c.NewTester(ctx)
	inner := 1 - outer
	tester.Bind(rows[outer], rows[inner], outer)
	places := make([]int32, Tile)
	for from := 0; from < n[inner]; from += Tile {
		size := tester.Tile(from)
		for row := range n[outer] {
			mask, some, err := tester.Mask(row)
			if err != nil {
				return nil, tester.vectorised, 0, err
			}
			found, least := 0, size
			for i := range size {
				if some && mask[i/64]>>(i%64)&1 == 1 {
					p := [2]int{}
					p[outer], p[inner] = row, from+i
					pairs[p] = true
					found++
					least = min(least, i)
				}
			}
			if some != (found > 0) {
				t.Fatalf("%d found, some is %v", found, some)
			}
			was := w.n
			idx, all, err := tester.Select(places, row)
			if w.n = was; err != nil || !all && len(idx) != found || all && found != size {
				t.Fatalf("selected %d, all %v, error %v, not %d", len(idx), all, err, found)
			}
			at, one, err := tester.First(row)
			if w.n = was; err != nil || one != some || some && int(at) != least {
				t.Fatalf("the first is %d, some %v, error %v, not %d", at, one, err, least)
			}
		}
	}
	return pairs, tester.vectorised, w.n, nil
}

// TestAgainstExpressions compares programs with evaluated expressions.
func TestAgainstExpressions(t *testing.T) { simd.EachLevel(t.Run, testAgainstExpressions) }

func testAgainstExpressions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g := generator{r}
	ran, fell := 0, 0
	for round := range 1500 {
		var left, right []expr.ColID
		var cols [2][]*vec.Vector
		n := [2]int{1 + r.IntN(20), 1 + r.IntN(150)}
		magnitude := []int{3, 10, 16, 31, 62}[r.IntN(5)]
		for i, ct := range columnTypes {
			left, right = append(left, expr.ColID(i)), append(right, expr.ColID(10+i))
			for side := range cols {
				cols[side] = append(cols[side], numbers(r, ct, n[side], magnitude, []int{0, 4}[r.IntN(2)]))
			}
		}
		preds := []expr.Expr{g.condition(2)}
		if r.IntN(2) == 0 {
			preds = append(preds, g.condition(1))
		}
		c, err := Compile(preds, left, right)
		if err != nil {
			continue
		}
		plain := &Condition{general: c.general, ids: c.ids}
		if err := c.Vectorise(); err != nil {
			t.Fatal(err)
		}
		outer := Side(r.IntN(2))
		want, _, warned, failure := tested(t, plain, cols, n, outer)
		got, vectorised, gotWarned, err := tested(t, c, cols, n, outer)
		if vectorised {
			ran++
		} else {
			fell++
		}
		if vectorised && failure == nil && warned != gotWarned {
			t.Fatalf("round %d: %v: %d warnings, not %d", round, preds, gotWarned, warned)
		}
		if (err != nil) != (failure != nil) && !(vectorised && err == nil) {
			t.Fatalf("round %d: %v: error %v, not %v", round, preds, err, failure)
		}
		if failure != nil {
			if vectorised {
				t.Fatalf("round %d: %v: no error %v", round, preds, failure)
			}
			continue
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("round %d: %v: %d pairs, not %d", round, preds, len(got), len(want))
		}
	}
	if ran < 400 || fell < 50 {
		t.Fatalf("%d programs ran, %d fell back", ran, fell)
	}
}

// TestWidths computes results beyond 32 and 64 bits: the former are exact, the latter are MySQL's
// error.
func TestWidths(t *testing.T) { simd.EachLevel(t.Run, testWidths) }

func testWidths(t *testing.T) {
	l := &expr.Col{ID: 0, Name: "l", T: types.T(types.Int64)}
	rr := &expr.Col{ID: 10, Name: "r", T: types.T(types.Int64)}
	c, err := Compile([]expr.Expr{call(">", call("*", l, rr), &expr.Const{Value: catalog.Int(4e18)})}, []expr.ColID{0}, []expr.ColID{10})
	if err != nil || c.Vectorise() != nil || c.program == nil {
		t.Fatal(c, err)
	}
	column := func(xs ...int64) []*vec.Vector {
		v := vec.NewFlat(types.T(types.Int64), len(xs))
		copy(v.I64, xs)
		return []*vec.Vector{v}
	}
	pairs, vectorised, _, err := tested(t, c, [2][]*vec.Vector{column(2e9, -3, 5), column(2_000_000_001, 2e9, 7)}, [2]int{3, 3}, Left)
	if err != nil || !vectorised || len(pairs) != 1 || !pairs[[2]int{0, 0}] {
		t.Fatal(pairs, vectorised, err)
	}
	var code interface{ Error() string }
	if _, vectorised, _, err = tested(t, c, [2][]*vec.Vector{column(4e9), column(4e9)}, [2]int{1, 1}, Left); vectorised || !errors.As(err, &code) {
		t.Fatal(vectorised, err)
	}
}
