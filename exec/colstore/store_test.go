package colstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

var kinds = []types.Type{
	types.T(types.Int64), types.T(types.Uint64), types.T(types.Float64),
	types.Dec(20, 2), types.T(types.String), types.T(types.Null),
}

// randomVector returns n rows of t in a random form, sometimes with NULLs.
func randomVector(r *rand.Rand, t types.Type, n int) *vec.Vector {
	flat := vec.NewFlat(t, n)
	for i := range n {
		switch t.Kind() {
		case types.KindI64, types.KindU64:
			flat.I64[i] = r.Int64N(100)
		case types.KindF64:
			flat.F64[i] = r.Float64()
		case types.KindDec:
			flat.Dec[i] = flat.Dec[i].Add(flat.Dec[i])
		case types.KindStr:
			flat.Str[i] = fmt.Sprint("s", r.IntN(50))
		}
	}
	if r.IntN(2) == 0 {
		for i := range n {
			if r.IntN(4) == 0 {
				flat.SetNull(i)
			}
		}
	}
	switch r.IntN(3) {
	case 0:
		return catalog.DatumAt(flat, r.IntN(n)).Vector(n)
	case 1:
		idx := make([]int32, n)
		for i := range idx {
			idx[i] = int32(r.IntN(n+1)) - 1
		}
		return &vec.Vector{Type: t, Form: vec.View, N: n, Base: flat, Idx: idx}
	}
	return flat
}

func TestStoreKeepsRowsInMorselOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 50 {
		account := mem.NewRoot("test", 0)
		ctx := &op.Ctx{Context: context.Background(), Mem: account, Workers: 2}
		stores := make([]*Store, 1+r.IntN(4))
		for i := range stores {
			stores[i] = New(kinds, account)
		}
		var want []string
		for morsel := range 30 {
			s := stores[r.IntN(len(stores))]
			for range 1 + r.IntN(2) {
				b := &vec.Batch{N: 1 + r.IntN(700), Morsel: int64(morsel)}
				for _, k := range kinds {
					b.Cols = append(b.Cols, randomVector(r, k, b.N))
				}
				want = append(want, texts(b.Cols, b.N)...)
				if err := s.Append(b); err != nil {
					t.Fatal(err)
				}
			}
		}
		all, err := Concat(ctx, stores...)
		if err != nil {
			t.Fatal(err)
		}
		got := texts(all.Columns(), all.Rows())
		if len(got) != len(want) {
			t.Fatalf("round %d: %d rows, want %d", round, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("round %d row %d: %s, want %s", round, i, got[i], want[i])
			}
		}
		all.Free()
		if used := account.Used(); used != 0 {
			t.Fatalf("round %d: %d bytes held after Free", round, used)
		}
	}
}

func texts(cols []*vec.Vector, n int) []string {
	out := make([]string, n)
	for i := range out {
		for _, c := range cols {
			out[i] += catalog.DatumAt(c, i).Text() + "|"
		}
	}
	return out
}

func TestMemoryIsRefused(t *testing.T) {
	account := mem.NewRoot("test", 100_000)
	s := New(kinds, account)
	r := rand.New(rand.NewPCG(1, 2))
	var err error
	for range 100 {
		b := &vec.Batch{N: 500}
		for _, k := range kinds {
			b.Cols = append(b.Cols, randomVector(r, k, b.N))
		}
		if err = s.Append(b); err != nil {
			break
		}
	}
	if err == nil {
		t.Fatal("50000 rows fitted into 100 kB")
	}
	s.Free()
	if account.Used() != 0 {
		t.Fatalf("%d bytes held after Free", account.Used())
	}
}

// TestReserve fills reserved stores repeatedly, so that reserved memory has old contents. NULLs
// begin at some row: earlier rows have none.
func TestReserve(t *testing.T) {
	account := mem.NewRoot("test", 0)
	for round := range 5 {
		s := New(kinds, account)
		if err := s.Reserve(40_000); err != nil {
			t.Fatal(err)
		}
		held := account.Used()
		for part := range 4 {
			b := &vec.Batch{N: 10_000}
			for _, k := range kinds {
				v := vec.NewFlat(k, b.N)
				for i := 0; part > round%3 && i < b.N; i += 7 {
					v.SetNull(i)
				}
				b.Cols = append(b.Cols, v)
			}
			if err := s.Append(b); err != nil {
				t.Fatal(err)
			}
		}
		for c, v := range s.Columns() {
			for i := range v.N {
				want := v.Type.ID == types.Null || i/10_000 > round%3 && i%10_000%7 == 0
				if v.IsNull(i) != want {
					t.Fatalf("round %d, column %d, row %d: NULL is %v", round, c, i, !want)
				}
			}
		}
		if account.Used() != held {
			t.Errorf("%d bytes were taken beside those reserved", account.Used()-held)
		}
		if s.Free(); account.Used() != 0 {
			t.Errorf("%d bytes are left", account.Used())
		}
	}
}
