package join

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
)

// lateInput leaves all of its rows to its second stream, as a join does whose streams
// end while a further one begins. Making that stream calls meanwhile.
type lateInput struct {
	*input
	streams   int
	meanwhile func()
}

func (s *lateInput) Stream() (op.Stream, error) {
	in, err := s.input.Stream()
	if s.streams++; s.streams == 1 {
		return noBatches(in), err
	}
	s.meanwhile()
	return in, err
}

func noBatches(in op.Stream) op.Stream {
	in.(*inputStream).s = &input{rel: &relation{}, size: 1}
	return in
}

// TestLateStream ends one stream of a left join while the input of another is being
// opened: the rows that the second one matches must not have been given as unmatched.
func TestLateStream(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(1, 9)), distinct: 20, nulls: 0.1}
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.NestedLoop} {
		c := simpleCase(g, algo, logical.Left, 50, 30)
		c.buildLeft = true
		want, err := c.oracle()
		if err != nil {
			t.Fatal(err)
		}
		late := &lateInput{input: &input{rel: c.right, size: 8}}
		o, err := New(c.node(t), &input{rel: c.left, size: 8}, late)
		if err != nil {
			t.Fatal(err)
		}
		ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 2}
		if err := o.Open(ctx); err != nil {
			t.Fatal(err)
		}
		first, err := o.Stream()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		late.meanwhile = func() { got = append(got, texts(t, first)...) }
		second, err := o.Stream()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, texts(t, second)...)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%v: %d rows, want %d", algo, len(got), len(want))
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// texts reads a stream to its end.
func texts(t *testing.T, s op.Stream) (out []string) {
	t.Helper()
	for {
		b, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			return out
		}
		for i := range b.N {
			var row string
			for _, col := range b.Cols {
				row += catalog.DatumAt(col, i).Text() + "|"
			}
			out = append(out, row)
		}
	}
}
