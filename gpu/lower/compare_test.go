package lower

import (
	"math/big"
	"testing"

	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/pipelinetest"
)

// TestCompareScaled compares integers of scale 0 with decimals of scale 3 whose common scale exceeds 64
// bits, with math/big.
func TestCompareScaled(t *testing.T) {
	l := &lowering{scalars: scalars{exact{pipeline.NewBuilder()}}}
	var a, b pipelinetest.Column
	for _, x := range []int64{0, 1, -1, 7, -7, 1 << 60, -1 << 60} {
		for _, y := range []int64{0, 1, -1, 999, 1000, 1001, -999, -1000, -1001, 7000, 6999, 7001, -7000, -6999, -7001, 1 << 61, -1 << 61} {
			a.Ints, b.Ints = append(a.Ints, x), append(b.Ints, y)
		}
	}
	base := func(ordinal int) value {
		c := l.AddColumn(pipeline.Column{Width: 8, Min: -1 << 61, Max: 1 << 61, Relation: 0, Ordinal: ordinal})
		return value{e: l.Load(c, pipeline.None, false)}
	}
	x, y := base(0), base(1)
	y.scale = 3
	ops := []pipeline.Op{pipeline.OpEQ, pipeline.OpNE, pipeline.OpLT, pipeline.OpLE, pipeline.OpGT, pipeline.OpGE}
	rows := int64(len(a.Ints))
	sink := pipeline.Sink{Op: pipeline.Write, Count: l.array(4, 1, 0, 0, 1<<32-1)}
	l.Program.Result.Count = sink.Count
	for _, op := range ops {
		for _, sides := range [][2]value{{x, y}, {y, x}} {
			e, err := l.compare(op, sides[0], sides[1])
			if err != nil {
				t.Fatal(err)
			}
			c := l.array(4, rows, 0, 0, 1)
			sink.Stores = append(sink.Stores, pipeline.Store{Column: c, Expr: l.ToInt(e)})
			l.Program.Result.Columns = append(l.Program.Result.Columns, c)
		}
	}
	l.Program.Pipelines = []pipeline.Pipeline{{Rows: rows, Counted: pipeline.None, Sink: sink}}
	got, _, _ := pipelinetest.Run(l.Program, func(c int) pipelinetest.Column { return []pipelinetest.Column{a, b}[c] })
	for r := range a.Ints {
		c := new(big.Int).Mul(big.NewInt(a.Ints[r]), big.NewInt(1000)).Cmp(big.NewInt(b.Ints[r]))
		for i, op := range ops {
			for side, c := range []int{c, -c} {
				want := map[pipeline.Op]bool{pipeline.OpEQ: c == 0, pipeline.OpNE: c != 0, pipeline.OpLT: c < 0, pipeline.OpLE: c <= 0, pipeline.OpGT: c > 0, pipeline.OpGE: c >= 0}[op]
				if got[2*i+side].Ints[r] == 1 != want {
					t.Errorf("operation %d, side %d, of %d and %d thousandths: want %t", op, side, a.Ints[r], b.Ints[r], want)
				}
			}
		}
	}
}
