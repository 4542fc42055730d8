package join_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/join"
	"gsql/exec/join/jointest"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/vec"
)

// lateInput returns all its rows from its second stream, like a join whose first stream ends while
// another one begins. It calls meanwhile before it returns the second stream.
type lateInput struct {
	op.Operator
	streams   int
	meanwhile func()
}

func (s *lateInput) Stream() (op.Stream, error) {
	in, err := s.Operator.Stream()
	if s.streams++; s.streams == 1 {
		return noBatches{in}, err
	}
	s.meanwhile()
	return in, err
}

// noBatches is a stream without rows.
type noBatches struct{ op.Stream }

func (s noBatches) Next() (*vec.Batch, error) { return nil, nil }

// TestLateStream ends one stream of a left join while the input of another is being opened: the
// rows that the second one matches must not have been returned as unmatched.
func TestLateStream(t *testing.T) {
	g := &jointest.Generator{Rand: rand.New(rand.NewPCG(1, 9)), Distinct: 20, Nulls: 0.1}
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.NestedLoop} {
		c := jointest.SimpleCase(g, algo, logical.Left, 50, 30)
		c.BuildLeft = true
		want, err := c.Oracle()
		if err != nil {
			t.Fatal(err)
		}
		late := &lateInput{Operator: optest.NewInput(c.Right, 8)}
		o, err := join.New(c.Node(t), optest.NewInput(c.Left, 8), late)
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

// texts reads a stream to its end and returns its rows as texts.
func texts(t *testing.T, s op.Stream) []string {
	t.Helper()
	rows, err := optest.StreamRows(s)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
