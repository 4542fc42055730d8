package result

import (
	"errors"
	"math"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// pairs is a source of rows of a BIGINT, NULL if negative, and a DOUBLE.
type pairs struct {
	rows   [][2]float64
	at     int
	closed bool
}

func (p *pairs) Next() (*vec.Batch, error) {
	if p.at == len(p.rows) {
		return nil, nil
	}
	n := min(2, len(p.rows)-p.at)
	ints, reals := vec.NewFlat(types.T(types.Int64), n), vec.NewFlat(types.T(types.Float64), n)
	for i, r := range p.rows[p.at : p.at+n] {
		ints.I64[i], reals.F64[i] = int64(r[0]), r[1]
		if r[0] < 0 {
			ints.SetNull(i)
		}
	}
	p.at += n
	return &vec.Batch{Cols: []*vec.Vector{ints, reals}, N: n}, nil
}

func (p *pairs) Close() error { p.closed = true; return nil }

func TestCompared(t *testing.T) {
	sum := 0.0
	for range 10 {
		sum += 0.1
	}
	for _, c := range []struct {
		name       string
		rows, with [][2]float64
		want       *Difference
	}{
		{"none", nil, nil, nil},
		{"another order", [][2]float64{{1, 0.5}, {2, 0.5}, {-1, 3}, {1, 0.5}}, [][2]float64{{-1, 3}, {1, 0.5}, {1, 0.5}, {2, 0.5}}, nil},
		{"another order of additions", [][2]float64{{1, 1}, {1, 2}}, [][2]float64{{1, 2}, {1, sum}}, nil},
		{"another real", [][2]float64{{1, 1}}, [][2]float64{{1, 1 + 1e-11}}, &Difference{"1, ~ with ~ = 1", "1, ~ with ~ = 1.00000000001"}},
		{"fewer of one row", [][2]float64{{1, 1}, {1, 1}}, [][2]float64{{1, 1}}, &Difference{"1, ~ with ~ = 1", ""}},
		{"more of one row", [][2]float64{{1, 1}}, [][2]float64{{1, 1}, {1, 1}}, &Difference{"", "1, ~ with ~ = 1"}},
		{"NULL is not 0", [][2]float64{{-1, 0}}, [][2]float64{{0, 0}}, &Difference{"NULL, ~ with ~ = 0", "0, ~ with ~ = 0"}},
		{"infinity", [][2]float64{{1, math.Inf(1)}}, [][2]float64{{1, math.MaxFloat64}}, &Difference{"1, ~ with ~ = +Inf", "1, ~ with ~ = 1.7976931348623157e+308"}},
	} {
		acct, failed := mem.NewRoot("test", 0), errors.New("they differ")
		src, other := &pairs{rows: c.rows}, &pairs{rows: c.with}
		var got *Difference
		calls := 0
		compared, err := NewCompared(src, other, acct, func(d *Difference) error {
			calls++
			if got = d; d != nil {
				return failed
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		var b *vec.Batch
		for b, err = compared.Next(); b != nil; b, err = compared.Next() {
			n += b.N
		}
		same := got == nil && c.want == nil || got != nil && c.want != nil && *got == *c.want
		if !same || calls != 1 || (err != nil) != (c.want != nil) || err != nil && err != failed {
			t.Errorf("%s: difference %v, error %v, %d calls, want %v", c.name, got, err, calls, c.want)
		}
		if c.want == nil && n != len(c.rows) {
			t.Errorf("%s: %d rows are delivered", c.name, n)
		}
		if compared.Close(); !src.closed || !other.closed || acct.Used() != 0 {
			t.Errorf("%s: sources are open, or %d bytes are held", c.name, acct.Used())
		}
	}
}

// TestComparedMemory checks that rows which do not fit in memory are an error and leave no charge.
func TestComparedMemory(t *testing.T) {
	acct := mem.NewRoot("test", 300)
	other := &pairs{rows: make([][2]float64, 9)}
	if _, err := NewCompared(&pairs{}, other, acct, nil); !errors.Is(err, sqlerr.OutOfMemory) || acct.Used() != 0 || !other.closed {
		t.Errorf("%v, %d bytes are held", err, acct.Used())
	}
}
