package ptx

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/pipelinetest"
	"gsql/internal/dec128"
)

// longPair is a pair of operands of at most 38 digits.
type longPair [2]*big.Int

// longPairs returns pairs of all lengths and signs, and of extremes.
func longPairs(r *rand.Rand) (out []longPair) {
	limit := dec128.Max(38).BigInt()
	edges := []*big.Int{new(big.Int), big.NewInt(1), big.NewInt(2), limit, new(big.Int).Sub(limit, big.NewInt(1))}
	for _, bits := range []uint{31, 32, 63, 64, 65, 96, 126} {
		edges = append(edges, new(big.Int).Lsh(big.NewInt(1), bits), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1)))
	}
	for k := 1; k < 38; k += 6 {
		edges = append(edges, dec128.Pow10(k).BigInt())
	}
	number := func() *big.Int {
		n := new(big.Int)
		if r.IntN(3) == 0 {
			n.Set(edges[r.IntN(len(edges))])
		} else {
			n.Lsh(new(big.Int).SetUint64(r.Uint64()), 64).Add(n, new(big.Int).SetUint64(r.Uint64())).Rsh(n, uint(2+r.IntN(126)))
		}
		if n.CmpAbs(limit) > 0 {
			n.Set(limit)
		}
		if r.IntN(2) == 0 {
			n.Neg(n)
		}
		return n
	}
	for range 700 {
		out = append(out, longPair{number(), number()})
	}
	return out
}

// longOps holds the operations of two Int128 with their results; nil stands for NULL.
var longOps = map[string]struct {
	write func(b *builder, x, y *pipeline.Expr) *pipeline.Expr
	want  func(x, y *big.Int) *big.Int
}{
	"add": {func(b *builder, x, y *pipeline.Expr) *pipeline.Expr { return b.sum(x, y) }, func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }},
	"sub": {func(b *builder, x, y *pipeline.Expr) *pipeline.Expr { return b.minus(x, y) }, func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) }},
	"mul": {func(b *builder, x, y *pipeline.Expr) *pipeline.Expr { return b.times(x, y) }, func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }},
	"neg": {func(b *builder, x, _ *pipeline.Expr) *pipeline.Expr { return must(b.Neg(x)) }, func(x, _ *big.Int) *big.Int { return new(big.Int).Neg(x) }},
	"abs": {func(b *builder, x, _ *pipeline.Expr) *pipeline.Expr { return must(b.Abs(x)) }, func(x, _ *big.Int) *big.Int { return new(big.Int).Abs(x) }},
	"less": {func(b *builder, x, y *pipeline.Expr) *pipeline.Expr { return b.Extreme(pipeline.OpLess, x, y) }, func(x, y *big.Int) *big.Int {
		if x.Cmp(y) < 0 {
			return x
		}
		return y
	}},
	"quo": quotient128(pipeline.OpQuo, func(x, y *big.Int) *big.Int { return new(big.Int).Quo(x, y) }),
	"rem": quotient128(pipeline.OpRem, func(x, y *big.Int) *big.Int { return new(big.Int).Rem(x, y) }),
	"round": quotient128(pipeline.OpQuoRound, func(x, y *big.Int) *big.Int {
		n, _ := dec128.Div(decimal128.FromBigInt(x), 0, decimal128.FromBigInt(y))
		return n.BigInt()
	}),
	"within": {func(b *builder, x, _ *pipeline.Expr) *pipeline.Expr {
		return b.Within(x, decimal128.FromI64(-1000), dec128.Pow10(30))
	}, func(x, _ *big.Int) *big.Int {
		if x.Cmp(big.NewInt(-1000)) < 0 || x.Cmp(dec128.Pow10(30).BigInt()) > 0 {
			return dec128.Max(38).BigInt().Lsh(x, 200) // fails
		}
		return x
	}},
}

func quotient128(op pipeline.Op, want func(x, y *big.Int) *big.Int) struct {
	write func(b *builder, x, y *pipeline.Expr) *pipeline.Expr
	want  func(x, y *big.Int) *big.Int
} {
	return struct {
		write func(b *builder, x, y *pipeline.Expr) *pipeline.Expr
		want  func(x, y *big.Int) *big.Int
	}{func(b *builder, x, y *pipeline.Expr) *pipeline.Expr { return must(b.Quotient(op, x, y)) }, func(x, y *big.Int) *big.Int {
		if y.Sign() == 0 {
			return nil
		}
		return want(x, y)
	}}
}

// longProgram computes an operation for each pair, and comparisons of the operands.
func longProgram(b *builder, op string, pairs []longPair) []pipelinetest.Column {
	columns := make([]pipelinetest.Column, 4)
	most := dec128.Max(38)
	for i := range columns {
		c := pipeline.Column{Width: 8, Min: -1 << 63, Max: 1<<63 - 1, Relation: 0, Ordinal: i}
		if i%2 == 1 {
			c.Max = most.HighBits() + 1
			c.Min = -c.Max
		}
		b.AddColumn(c)
		for _, p := range pairs {
			n := decimal128.FromBigInt(p[i/2])
			word := int64(n.LowBits())
			if i%2 == 1 {
				word = n.HighBits() + int64(n.LowBits()>>63)
			}
			columns[i].Ints = append(columns[i].Ints, word)
		}
	}
	x, y := b.Words(b.col(0), b.col(1), most.Negate(), most), b.Words(b.col(2), b.col(3), most.Negate(), most)
	e := longOps[op].write(b, x, y)
	out := []*pipeline.Expr{b.Low(e), b.High(e), b.ToInt(b.IsNull(e))}
	for _, c := range []pipeline.Op{pipeline.OpEQ, pipeline.OpNE, pipeline.OpLT, pipeline.OpLE, pipeline.OpGT, pipeline.OpGE} {
		out = append(out, b.ToInt(b.Compare(c, x, y)))
	}
	b.add("pairs", int64(len(pairs)), b.results(int64(len(pairs)), out...), nil)
	return columns
}

// TestInt128 computes every operation of 128 bits for pairs whose result has at most 38 digits, and
// expects others to fail. The results are those of math/big.
func TestInt128(t *testing.T) {
	pairs := longPairs(rand.New(rand.NewPCG(3, 4)))
	limit := dec128.Max(38).BigInt()
	for name, op := range longOps {
		var fine, wrong []longPair
		var want []string
		zeros := int64(0)
		for _, p := range pairs {
			z := op.want(p[0], p[1])
			if z != nil && z.CmpAbs(limit) > 0 {
				wrong = append(wrong, p)
				continue
			}
			fine = append(fine, p)
			line := "0 0 1"
			if z == nil {
				zeros++
			} else {
				n := decimal128.FromBigInt(z)
				line = fmt.Sprintf("%d %d 0", int64(n.LowBits()), n.HighBits()+int64(n.LowBits()>>63))
			}
			c := p[0].Cmp(p[1])
			want = append(want, fmt.Sprintf("%s %s", line, truths(c == 0, c != 0, c < 0, c <= 0, c > 0, c >= 0)))
		}
		for _, rows := range []int{1, 4} {
			d, columns, n := runLong(t, name, fine, rows)
			if d.failed || d.zeros != zeros {
				t.Errorf("%s: failed %t, %d divisions by 0, want %d", name, d.failed, d.zeros, zeros)
			}
			compareLines(t, name, lines(columns, n), want)
		}
		for _, p := range wrong[:min(len(wrong), 12)] {
			if d, _, _ := runLong(t, name, []longPair{p}, 1); !d.failed {
				t.Errorf("%s of %v does not fail", name, p)
			}
		}
		if (len(wrong) > 0) != (name == "add" || name == "sub" || name == "mul" || name == "within") {
			t.Errorf("%s: %d pairs fail", name, len(wrong))
		}
	}
}

func truths(bs ...bool) (out string) {
	for i, b := range bs {
		if i > 0 {
			out += " "
		}
		out += map[bool]string{true: "1", false: "0"}[b]
	}
	return out
}

func compareLines(t *testing.T, name string, got, want []string) {
	t.Helper()
	counts := map[string]int{}
	for _, l := range want {
		counts[l]++
	}
	for _, l := range got {
		counts[l]--
	}
	for l, n := range counts {
		if n != 0 {
			t.Fatalf("%s: %d rows %q too few", name, n, l)
		}
	}
}

func runLong(t *testing.T, op string, pairs []longPair, rows int) (*deviceRun, []pipelinetest.Column, int) {
	t.Helper()
	b := &builder{pipeline.NewBuilder()}
	columns := longProgram(b, op, pairs)
	d := &deviceRun{t: t, on: &simulator{}, p: b.Program, base: columns, rows: rows}
	result, n, _ := d.run()
	return d, result, n
}

// TestFailures expects operations to fail or to divide by 0 only for rows that need them.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		write  func(b *builder) *pipeline.Expr // of the columns 0, from -2 to 2, and 1, 2^62 and more
		failed bool
		zeros  int64
	}{
		"sum":       {func(b *builder) *pipeline.Expr { return tooLongSum(b) }, true, 0},
		"guarded":   {func(b *builder) *pipeline.Expr { return b.If(isSmall(b), tooLongSum(b), b.Const128(dec128.Pow10(3))) }, false, 0},
		"unguarded": {func(b *builder) *pipeline.Expr { return b.If(isSmall(b), b.Const128(dec128.Pow10(3)), tooLongSum(b)) }, true, 0},
		"zero":      {func(b *builder) *pipeline.Expr { return overSmall(b) }, false, 2},
		"not zero": {func(b *builder) *pipeline.Expr {
			return b.If(b.Compare(pipeline.OpNE, b.col(0), b.Int(0)), overSmall(b), b.Int(7))
		}, false, 0},
		"and": {func(b *builder) *pipeline.Expr {
			return b.ToInt(b.And(b.Compare(pipeline.OpNE, b.col(0), b.Int(0)), b.Compare(pipeline.OpGT, overSmall(b), b.Int(1))))
		}, false, 0},
		"or": {func(b *builder) *pipeline.Expr {
			return b.ToInt(b.Or(b.Compare(pipeline.OpEQ, b.col(0), b.Int(0)), b.Compare(pipeline.OpGT, overSmall(b), b.Int(1))))
		}, false, 0},
		"and first": {func(b *builder) *pipeline.Expr {
			return b.ToInt(b.And(b.Compare(pipeline.OpGT, overSmall(b), b.Int(1)), b.Compare(pipeline.OpNE, b.col(0), b.Int(0))))
		}, false, 2},
		"infinite": {func(b *builder) *pipeline.Expr { return b.times(b.Float(1e300), b.ToFloat(b.col(1))) }, true, 0},
		"finite":   {func(b *builder) *pipeline.Expr { return b.times(b.Float(1e280), b.ToFloat(b.col(1))) }, false, 0},
		"reals": {func(b *builder) *pipeline.Expr {
			return must(b.Quotient(pipeline.OpQuo, b.Float(1), b.ToFloat(b.col(0))))
		}, false, 2},
		"narrow": {func(b *builder) *pipeline.Expr {
			return b.Within(b.col(0), decimal128.FromI64(-1), decimal128.FromI64(5))
		}, true, 0},
	} {
		b := &builder{pipeline.NewBuilder()}
		b.AddColumn(pipeline.Column{Width: 1, Bias: -2, Min: -2, Max: 2, Relation: 0})
		b.AddColumn(pipeline.Column{Width: 8, Min: 1 << 62, Max: 1<<63 - 1, Relation: 0, Ordinal: 1})
		e := c.write(b)
		if e.Kind == pipeline.Int128 {
			e = b.High(e)
		}
		b.add("rows", 10, b.results(10, e, b.ToInt(b.IsNull(e))), nil)
		base := []pipelinetest.Column{{}, {}}
		for i := range int64(10) {
			base[0].Ints, base[1].Ints = append(base[0].Ints, i%5-2), append(base[1].Ints, 1<<62+i)
		}
		for _, rows := range []int{1, 2, 4} {
			d := &deviceRun{t: t, on: &simulator{}, p: b.Program, base: base, rows: rows}
			got, n, _ := d.run()
			if d.failed != c.failed || d.zeros != c.zeros {
				t.Errorf("%s: failed %t, %d divisions by 0; want %t, %d", name, d.failed, d.zeros, c.failed, c.zeros)
			}
			want := pipelinetest.Execute(b.Program, func(i int) pipelinetest.Column { return base[i] })
			if want.Failed != c.failed || (want.Zeros > 0) != (c.zeros > 0) {
				t.Errorf("%s means: failed %t, %d divisions by 0; want %t, %d", name, want.Failed, want.Zeros, c.failed, c.zeros)
			}
			if !c.failed {
				compareLines(t, name, lines(got, n), lines(want.Columns, want.Rows))
			}
		}
	}
}

func isSmall(b *builder) *pipeline.Expr { return b.Compare(pipeline.OpGT, b.col(0), b.Int(5)) }

func tooLongSum(b *builder) *pipeline.Expr {
	x := b.ToInt128(b.col(1))
	return b.sum(b.times(x, x), b.Const128(dec128.Max(38)))
}

func overSmall(b *builder) *pipeline.Expr {
	return must(b.Quotient(pipeline.OpQuo, b.col(1), b.col(0)))
}
