package colstore

import (
	"context"
	"strings"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestTextsAreAccountedFor checks the bytes charged for texts of vectors in each form and with each
// kind of owner.
func TestTextsAreAccountedFor(t *testing.T) {
	flat := func(n int) *vec.Vector {
		v := vec.NewFlat(types.T(types.String), n)
		for i := range v.Str {
			v.Str[i] = strings.Repeat("x", 1000)
		}
		return v
	}
	view := func(base *vec.Vector) *vec.Vector {
		return &vec.Vector{Type: base.Type, Form: vec.View, N: 3, Base: base, Idx: []int32{0, -1, 0}}
	}
	stored, dict, fixed := flat(5), flat(5), flat(5)
	stored.Stored, dict.Dict, fixed.Fixed = true, true, true
	one := flat(1)
	one.Form, one.N = vec.Const, 9
	for name, test := range map[string]struct {
		v    *vec.Vector
		want int64
	}{
		"flat": {flat(7), 7000}, "const": {one, 1000}, "view": {view(flat(5)), 2000}, "stored": {stored, 0},
		"view of stored": {view(stored), 0}, "view of dictionary": {view(dict), 0}, "view of fixed": {view(fixed), 2000},
		"copy of stored": {view(stored).Flatten(nil), 0}, "numbers": {vec.NewFlat(types.T(types.Int64), 3), 0},
	} {
		account := mem.NewRoot("test", 0)
		a, b := New([]types.Type{test.v.Type}, account), New([]types.Type{test.v.Type}, account)
		for _, s := range []*Store{a, b} {
			for range 2 {
				if err := s.Append(&vec.Batch{Cols: []*vec.Vector{test.v}, N: test.v.N}); err != nil {
					t.Fatal(err)
				}
			}
		}
		all, err := Concat(&op.Ctx{Context: context.Background(), Workers: 1}, a, b)
		if err != nil {
			t.Fatal(err)
		}
		if got := account.Used() - all.columnBytes(); got != 4*test.want {
			t.Errorf("%s: %d bytes, not %d", name, got, 4*test.want)
		}
		if shared := all.Columns()[0].SharesTexts(); shared != (test.want == 0) && name != "numbers" {
			t.Errorf("%s: shared: %v", name, shared)
		}
		all.Truncate(all.Rows() / 2)
		if got := account.Used() - all.columnBytes(); got != 2*test.want {
			t.Errorf("%s: %d bytes of half the rows, not %d", name, got, 2*test.want)
		}
		if all.Free(); account.Used() != 0 {
			t.Errorf("%s: %d bytes are left", name, account.Used())
		}
	}
}

// TestRefusedTextsTakeNothing appends rows whose texts fit in memory and whose numbers do not. The
// texts must not remain charged.
func TestRefusedTextsTakeNothing(t *testing.T) {
	account := mem.NewRoot("test", 10_000)
	s := New([]types.Type{types.T(types.String), types.T(types.Int64)}, account)
	b := &vec.Batch{N: 1000, Cols: []*vec.Vector{vec.NewFlat(types.T(types.String), 1000), vec.NewFlat(types.T(types.Int64), 1000)}}
	b.Cols[0].Str[0] = strings.Repeat("x", 5000)
	if s.Append(b) == nil {
		t.Fatal("more than the limit fitted")
	}
	if s.text != 0 {
		t.Errorf("%d bytes of texts that are not there", s.text)
	}
	if s.Free(); account.Used() != 0 {
		t.Errorf("%d bytes are left", account.Used())
	}
}

// TestOutgrownHeadersAreNotKeptUnderALimit frees a column of strings under a memory limit. Its
// string headers must not be reused, because no account is charged for them any longer.
func TestOutgrownHeadersAreNotKeptUnderALimit(t *testing.T) {
	b := &vec.Batch{N: 4 * leastSpare, Cols: []*vec.Vector{vec.NewFlat(types.T(types.String), 4*leastSpare)}}
	fill := func() (*Store, *string) {
		s := New([]types.Type{types.T(types.String)}, mem.NewRoot("db", 0).Limited("query", 64<<20).Child("Sort"))
		if err := s.Append(b); err != nil {
			t.Fatal(err)
		}
		return s, &s.Columns()[0].Str[0]
	}
	for range 10 { // a pool may drop what is put into it
		s, first := fill()
		s.Free()
		s, second := fill()
		if first == second {
			t.Fatal("the headers are those of a store that was freed")
		}
		s.Free()
	}
}

// TestMorsels looks up the morsels of rows in any order.
func TestMorsels(t *testing.T) {
	s := New([]types.Type{types.T(types.Int64)}, mem.NewRoot("test", 0))
	defer s.Free()
	for i, morsel := range []int64{7, 7, 3, 9} {
		if err := s.Append(&vec.Batch{N: i + 1, Morsel: morsel, Cols: []*vec.Vector{vec.NewFlat(types.T(types.Int64), i+1)}}); err != nil {
			t.Fatal(err)
		}
		out := make([]int64, 2)
		if s.Morsels([]int32{int32(s.Rows() - 1), 0}, out); out[0] != morsel || out[1] != 7 {
			t.Errorf("the last and the first of %d rows are of morsels %d", s.Rows(), out)
		}
	}
}
