package partitioned

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gsql/gpu/column"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// row is a row of the tests' inputs: a key, a number that determines the other columns, and whether these are NULL.
type row struct {
	key  int64
	id   int64
	null bool
}

// forms are the columns: a key of 8 and one of 4 bytes, a value of 8 and one of 4 bytes, and a DOUBLE.
var forms = []Column{
	{Format: column.Format{Kind: column.I64}, Key: true, Bounded: true}, {Format: column.Format{Kind: column.I32}, Key: true},
	{Format: column.Format{Kind: column.I64}}, {Format: column.Format{Kind: column.I32}}, {Format: column.Format{Kind: column.F64}, Name: "f"},
}

// vectors returns rows as vectors. A key of math.MinInt64 is NULL.
func vectors(rows []row) []*vec.Vector {
	n := len(rows)
	out := []*vec.Vector{vec.NewFlat(types.T(types.Int64), n), vec.NewFlat(types.T(types.Int64), n), vec.NewFlat(types.T(types.Int64), n),
		vec.NewFlat(types.T(types.Int64), n), vec.NewFlat(types.T(types.Float64), n)}
	for i, r := range rows {
		out[0].I64[i], out[1].I64[i], out[2].I64[i], out[3].I64[i], out[4].F64[i] = r.key, r.key%7, r.id<<32, r.id, float64(r.id)/2
		if r.key == math.MinInt64 {
			out[0].SetNull(i)
		}
		if r.null {
			out[2].SetNull(i)
			out[4].SetNull(i)
		}
	}
	return out
}

// divide divides rows with several writers, whose batches have so many rows.
func divide(t *testing.T, rows []row, bits uint, batch int, acct *mem.Account) *Side {
	t.Helper()
	s, err := NewSide(forms, bits, int64(len(rows)/4), acct)
	if err != nil {
		t.Fatal(err)
	}
	const writers = 3
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			w, err := s.NewWriter()
			if err != nil {
				errs[i] = err
				return
			}
			for from := i * batch; from < len(rows) && err == nil; from += writers * batch {
				err = w.Add(vectors(rows[from:min(from+batch, len(rows))]))
			}
			errs[i] = errors.Join(err, w.Close(err != nil))
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRowsAreDivided: each row with a key is once in one partition, with its values in all columns; the same key is
// in the same partition of both sides; nothing else is there, and the memory is returned.
func TestRowsAreDivided(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, leastChunkRows - 1, leastChunkRows, leastChunkRows + 1, 40000} {
		for _, distinct := range []int64{1, 50, 1 << 40} {
			acct := mem.NewRoot("test", 0)
			var sides [2]*Side
			var rows [2][]row
			for i := range sides {
				for id := range n {
					x := row{key: r.Int64N(distinct) - distinct/2, id: int64(id), null: r.IntN(5) == 0}
					if r.IntN(10) == 0 {
						x.key = math.MinInt64
					}
					rows[i] = append(rows[i], x)
				}
				sides[i] = divide(t, rows[i], 4, []int{300, 1000}[i], acct)
			}
			where := map[int64]int{} // the partition of a key
			for i, s := range sides {
				checkRows(t, fmt.Sprintf("%d rows, %d keys", n, distinct), s, rows[i], where)
				s.Free()
			}
			if acct.Used() != 0 {
				t.Errorf("%d bytes are held", acct.Used())
			}
		}
	}
}

func checkRows(t *testing.T, what string, s *Side, rows []row, where map[int64]int) {
	t.Helper()
	seen := map[int64]bool{}
	for p := range s.Partitions() {
		n := s.Rows(p)
		half := n / 2 // ranges meet
		read := func(i int) []byte {
			return slices.Concat(slices.Concat(s.Values(i, p, 0, half)...), slices.Concat(s.Values(i, p, half, n)...))
		}
		keys, small, values, ids, doubles := read(0), read(1), read(2), read(3), read(4)
		valid := slices.Concat(s.Valid(2, p, 0, n)...)
		if len(valid) != int(n) || len(keys) != 8*int(n) || len(ids) != 4*int(n) {
			t.Fatalf("%s: partition %d of %d rows has %d flags, %d and %d bytes", what, p, n, len(valid), len(keys), len(ids))
		}
		for i := range int(n) {
			id := int64(binary.LittleEndian.Uint32(ids[4*i:]))
			x := rows[id]
			key := int64(binary.LittleEndian.Uint64(keys[8*i:]))
			if seen[id] || key != x.key || int64(int32(binary.LittleEndian.Uint32(small[4*i:]))) != x.key%7 || (valid[i] == 0) != x.null {
				t.Fatalf("%s: row %d is there again, or has the key %d and the flag %d: %v", what, id, key, valid[i], x)
			}
			if v := int64(binary.LittleEndian.Uint64(values[8*i:])); !x.null && v != id<<32 {
				t.Fatalf("%s: row %d has the value %d", what, id, v)
			}
			if f := math.Float64frombits(binary.LittleEndian.Uint64(doubles[8*i:])); !x.null && f != float64(id)/2 {
				t.Fatalf("%s: row %d has the value %g", what, id, f)
			}
			seen[id] = true
			if at, ok := where[key]; ok && at != p {
				t.Fatalf("%s: key %d is in the partitions %d and %d", what, key, at, p)
			}
			where[key] = p
		}
	}
	for _, x := range rows {
		if seen[x.id] != (x.key != math.MinInt64) {
			t.Fatalf("%s: row %v is there: %v", what, x, seen[x.id])
		}
	}
}

// TestRefusedRows: values that do not fit and NaNs are errors, NaNs in keys are left out.
func TestRefusedRows(t *testing.T) {
	acct := mem.NewRoot("test", 0)
	double := vec.NewFlat(types.T(types.Float64), 3)
	double.F64[0], double.F64[1], double.F64[2] = math.NaN(), math.Copysign(0, -1), 0
	large := vec.NewFlat(types.T(types.Int64), 1)
	large.I64[0] = 1 << 40
	for _, tt := range []struct {
		c    Column
		v    *vec.Vector
		want error
		rows int64
	}{
		{Column{Format: column.Format{Kind: column.F64}}, double, sqlerr.UnknownError, 0},
		{Column{Format: column.Format{Kind: column.F64}, Key: true}, double, nil, 2},
		{Column{Format: column.Format{Kind: column.I32}}, large, column.ErrRange, 0},
	} {
		s, err := NewSide([]Column{tt.c}, 1, 10, acct)
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.NewWriter()
		if err != nil {
			t.Fatal(err)
		}
		err = w.Add([]*vec.Vector{tt.v})
		err = errors.Join(err, w.Close(err != nil))
		if !errors.Is(err, tt.want) || s.Total() != tt.rows {
			t.Errorf("%v: %d rows, %v, want %d, %v", tt.c, s.Total(), err, tt.rows, tt.want)
		}
		if tt.rows == 2 && s.Rows(0) != 2 && s.Rows(1) != 2 {
			t.Error("0 and -0 are in different partitions")
		}
		s.Free()
	}
	if acct.Used() != 0 {
		t.Errorf("%d bytes are held", acct.Used())
	}
}

// TestMemoryIsRefused: with any limit of its account, an input is divided or refused with error 1037, and all
// memory is returned.
func TestMemoryIsRefused(t *testing.T) {
	rows := make([]row, 3*leastChunkRows)
	refused := 0
	for limit := int64(1 << 10); ; limit = limit * 3 / 2 {
		acct := mem.NewRoot("test", limit)
		s, err := NewSide(forms, 3, 1, acct)
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.NewWriter()
		if err == nil {
			err = w.Add(vectors(rows))
			err = errors.Join(err, w.Close(err != nil))
		}
		s.Free()
		if acct.Used() != 0 {
			t.Fatalf("limit %d: %d bytes are held", limit, acct.Used())
		}
		if err == nil {
			break
		}
		if refused++; !errors.Is(err, sqlerr.OutOfMemory) {
			t.Fatalf("limit %d: %v", limit, err)
		}
	}
	if refused < 3 {
		t.Errorf("%d refusals", refused)
	}
}

// TestUnits: units cover each pair of rows of a partition once, within their size, the largest first.
func TestUnits(t *testing.T) {
	key := []Column{{Format: column.Format{Kind: column.I64}, Key: true}}
	side := func(rows ...int64) *Side {
		s, err := NewSide(key, 1, 1, mem.NewRoot("test", 0))
		if err != nil {
			t.Fatal(err)
		}
		copy(s.rows, rows)
		return s
	}
	for _, tt := range []struct {
		left, right []int64
		most        int64 // rows
		units       int
	}{
		{[]int64{10, 5}, []int64{10, 5}, 20, 2}, {[]int64{10, 0}, []int64{10, 9}, 20, 1}, {[]int64{0, 7}, []int64{9, 0}, 20, 0},
		{[]int64{10, 1}, []int64{11, 1}, 20, 3}, {[]int64{2, 0}, []int64{100, 0}, 20, 6}, {[]int64{100, 0}, []int64{2, 0}, 20, 6},
		{[]int64{100, 0}, []int64{100, 0}, 20, 100}, {[]int64{3, 0}, []int64{3, 0}, 1, 9},
	} {
		l, r := side(tt.left...), side(tt.right...)
		got := Units(l, r, 8*tt.most)
		if len(got) != tt.units {
			t.Errorf("%v x %v in units of %d rows: %d units, want %d", tt.left, tt.right, tt.most, len(got), tt.units)
		}
		pairs := [2]map[[2]int64]bool{{}, {}}
		for i, u := range got {
			if rows := u.Rows[0].Rows() + u.Rows[1].Rows(); u.Bytes != 8*rows || rows > max(tt.most, 2) || i > 0 && u.Bytes > got[i-1].Bytes {
				t.Errorf("%v x %v: unit %d of %d bytes", tt.left, tt.right, i, u.Bytes)
			}
			for a := u.Rows[0].From; a < u.Rows[0].To; a++ {
				for b := u.Rows[1].From; b < u.Rows[1].To; b++ {
					if pairs[u.Partition][[2]int64{a, b}] {
						t.Fatalf("%v x %v: pair %d, %d twice", tt.left, tt.right, a, b)
					}
					pairs[u.Partition][[2]int64{a, b}] = true
				}
			}
		}
		for p := range pairs {
			if int64(len(pairs[p])) != tt.left[p]*tt.right[p] {
				t.Errorf("%v x %v: %d pairs of partition %d", tt.left, tt.right, len(pairs[p]), p)
			}
		}
	}
}
