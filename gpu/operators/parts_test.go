package operators

import (
	"errors"
	"testing"

	"gsql/planner/physical"
	"gsql/sql/sqlerr"
)

// TestEachPart checks that the parts that fit cover the join matrix once, and that parts become
// smaller only if memory runs out before any result.
func TestEachPart(t *testing.T) {
	shortage := sqlerr.New(sqlerr.OutOfMemory, "no memory")
	for _, c := range []struct {
		left, right, fit int64
		pieces           *physical.MatrixPieces
	}{
		{100_000, 50_000, 1 << 60, &physical.MatrixPieces{Left: 30_000, Right: 20_000}}, {9000, 3, 1 << 60, &physical.MatrixPieces{Left: 1, Right: 1}},
		{100_000, 50_000, 5000 * 9000, &physical.MatrixPieces{Left: 30_000, Right: 20_000}},
		{1, 1, 1, nil}, {0, 5, 0, nil}, {100_000, 100_000, 100_000 * 100_000, nil}, {100_000, 3, 20_000 * 3, nil},
		{65_536, 65_537, 16_384 * 16_384, nil}, {3, 1 << 31, 1 << 29, nil}, {5, 3<<30 + 7, 1 << 60, nil}, {1<<31 + 1, 1 << 30, 1 << 62, nil}, {123_457, 99_991, 40_000 * 40_000, nil},
	} {
		var area int64
		var parts [][2]span
		err := eachPart(span{0, c.left}, span{0, c.right}, c.pieces, func(l, r span) (bool, error) {
			if p := c.pieces; p != nil && (l.rows() > max(p.Left, partRows) || r.rows() > max(p.Right, partRows)) {
				t.Errorf("%+v: a part of %d x %d rows", c, l.rows(), r.rows())
			}
			if l.rows() > mostRows || r.rows() > mostRows {
				t.Errorf("%+v: a part of %d x %d rows", c, l.rows(), r.rows())
			}
			if l.rows()*r.rows() > c.fit {
				return false, shortage
			}
			area += l.rows() * r.rows()
			parts = append(parts, [2]span{l, r})
			return true, nil
		})
		if err != nil || area != c.left*c.right {
			t.Errorf("%+v: parts of %d pairs, %v", c, area, err)
		}
		for i, p := range parts {
			for _, q := range parts[:i] {
				if overlap(p[0], q[0]) && overlap(p[1], q[1]) {
					t.Errorf("%+v: parts %v and %v have pairs in common", c, p, q)
				}
			}
			for side, rows := range []int64{c.left, c.right} {
				if p[side].from%partRows != 0 || p[side].to%partRows != 0 && p[side].to != rows {
					t.Errorf("%+v: part %v is not aligned", c, p)
				}
			}
		}
	}
}

func overlap(a, b span) bool { return a.from < b.to && b.from < a.to }

func TestEachPartEnds(t *testing.T) {
	shortage, other := sqlerr.New(sqlerr.OutOfMemory, "no memory"), errors.New("broken")
	for _, c := range []struct {
		name  string
		rows  int64
		out   bool
		err   error
		calls int
	}{
		{"another error", 1 << 20, false, other, 1},
		{"after some result", 1 << 20, true, shortage, 1},
		{"too few rows to halve", partRows, false, shortage, 1},
		{"never enough memory", mostRows, false, shortage, 1 + mostHalvings},
	} {
		calls := 0
		err := eachPart(span{0, c.rows}, span{0, c.rows}, nil, func(l, r span) (bool, error) {
			calls++
			return c.out, c.err
		})
		if !errors.Is(err, c.err) || calls != c.calls {
			t.Errorf("%s: %d calls, %v", c.name, calls, err)
		}
	}
}
