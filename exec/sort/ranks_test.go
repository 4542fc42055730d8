package sort

import (
	"context"
	"fmt"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestRankedTexts sorts by several texts of few values that are longer than a code.
func TestRankedTexts(t *testing.T) {
	r := rng()
	for _, c := range []struct{ rows, distinct int }{{rankedRows, 1}, {6000, 30}, {9000, 4000}} {
		rel := optest.New(1, text, text, bigint, text, bigint)
		for range c.rows {
			row := []catalog.Datum{catalog.Str(fmt.Sprint("a category with number ", r.IntN(c.distinct))), catalog.Str(fmt.Sprint("brand\x00", r.IntN(c.distinct))), catalog.Int(r.Int64N(3)), catalog.Str("x"), {}}
			for i := range 2 {
				if r.IntN(20) == 0 {
					row[i] = catalog.NullOf(text)
				}
			}
			rel.Rows = append(rel.Rows, row)
		}
		numbered(rel)
		for _, desc := range []bool{false, true} {
			keys := []by{{0, desc}, {1, !desc}, {3, false}, {2, desc}}
			optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel.Rows, keys), InOrder: true, Build: build(rel, keys, -1, 0)}.RunQuick(t)
		}
	}
}

// TestRanksReplaceComparisons: texts of few values leave room for the keys behind them.
func TestRanksReplaceComparisons(t *testing.T) {
	for _, c := range []struct {
		distinct int
		limit    int64
		want     int // keys that are compared
	}{{100, 0, 0}, {mostRanks + 1, 0, 2}, {100, mostRanks * rankBytes / 2, 2}} {
		a, b := vec.NewFlat(text, 3*mostRanks), vec.NewFlat(types.T(types.Int64), 3*mostRanks)
		for i := range a.Str {
			a.Str[i], b.I64[i] = fmt.Sprint(i%c.distinct, " is the number of a long text"), int64(i)
		}
		account := mem.NewRoot("test", c.limit)
		s := &sorter{ctx: &op.Ctx{Context: context.Background(), Workers: 1}}
		plan, err := s.newPlan(account, []column{{v: a}, {v: b}})
		if err != nil || len(plan.rest) != c.want {
			t.Errorf("%d texts, limit %d: %d keys are compared, error %v, want %d", c.distinct, c.limit, len(plan.rest), err, c.want)
		}
		if account.Release(s.reserved); account.Used() != 0 {
			t.Errorf("%d bytes are left", account.Used())
		}
	}
}
