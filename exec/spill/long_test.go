package spill

import (
	"errors"
	"strings"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// longRows makes rows whose texts have the given lengths, as a view with a row of NULL at the end, and
// a second column of short texts.
func longRows(lengths ...int) *vec.Batch {
	base, short := vec.NewFlat(types.T(types.String), len(lengths)), vec.NewFlat(types.T(types.String), len(lengths)+1)
	idx := make([]int32, len(lengths)+1)
	for i, n := range lengths {
		base.Str[i], short.Str[i] = strings.Repeat(string(rune('a'+i%26)), n), strings.Repeat("s", i%5)
		idx[i] = int32(i)
	}
	idx[len(lengths)] = -1
	view := &vec.Vector{Type: base.Type, Form: vec.View, N: len(idx), Base: base, Idx: idx}
	return &vec.Batch{N: len(idx), Cols: []*vec.Vector{view, short}}
}

// TestLongTexts writes texts that are too long to be gathered beside shorter ones, in blocks of any
// length, and reads them again.
func TestLongTexts(t *testing.T) {
	for _, lengths := range [][]int{{3 << 20}, {windowBytes - 1, windowBytes, 1 << 20, 7}, {5, longText, 0, longText + 3, 1}} {
		b := longRows(lengths...)
		f, err := NewSpace(t.TempDir(), 0).Create(typesOf(b))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := f.Write(b)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := f.WriteAll(b, b.N)
		if err != nil {
			t.Fatal(err)
		}
		r, at := f.NewReader(nil), 0
		for i, block := range append([]Block{whole}, parts...) {
			if i == 1 {
				at = 0
			}
			got, err := r.Read(block)
			if err != nil {
				t.Fatal(err)
			}
			if err := same(got, b.Slice(at, at+block.Rows)); err != nil {
				t.Error(err)
			}
			at += block.Rows
			if block.Text() >= 2*longText && block.Rows > 1 && i > 0 {
				t.Errorf("a block of %d rows has %d bytes of texts", block.Rows, block.Text())
			}
		}
		if at != b.N {
			t.Errorf("%d rows were read, not %d", at, b.N)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWritingHoldsNoTexts checks that encoders do not keep memory for texts that they have written.
func TestWritingHoldsNoTexts(t *testing.T) {
	b := longRows(8<<20, 9<<20)
	e := newEncoder(typesOf(b))
	m, err := e.encode(b)
	if err != nil || !m.long {
		t.Fatal(err, m.long)
	}
	if n := len(e.words) * word; n > mostGathered {
		t.Errorf("%d bytes of memory for a message", n)
	}
	e.forget()
	for i := range e.flat {
		for _, s := range e.flat[i].Str {
			if s != "" {
				t.Error("the encoder refers to a text")
			}
		}
	}
}

// TestReadersReserve reads long texts into an account: one block at a time, and not more than fit.
func TestReadersReserve(t *testing.T) {
	b := longRows(2<<20, 3<<20, 9<<20, 5)
	f, err := NewSpace(t.TempDir(), 0).Create(typesOf(b))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	blocks, err := f.WriteAll(b, b.N)
	if err != nil || len(blocks) != 4 {
		t.Fatalf("%d blocks, %v", len(blocks), err)
	}
	account := mem.NewRoot("query", 4<<20)
	r := f.NewReader(account)
	for i, want := range []int64{2 << 20, 3 << 20} {
		if _, err := r.Read(blocks[i]); err != nil || account.Used() < want || account.Used() > want+1000 {
			t.Errorf("block %d: %v, %d bytes are reserved", i, err, account.Used())
		}
	}
	if _, err := r.Read(blocks[2]); !errors.Is(err, sqlerr.OutOfMemory) {
		t.Errorf("%v, want error 1037", err)
	}
	if _, err := r.Read(blocks[0]); err != nil {
		t.Error(err)
	}
	if r.Forgo(); account.Used() != 0 || len(r.batch.Cols[0].Str[0]) != 2<<20 {
		t.Errorf("%d bytes are reserved, the text has %d", account.Used(), len(r.batch.Cols[0].Str[0]))
	}
	if _, err := r.Read(blocks[3]); err != nil || account.Used() != 0 {
		t.Errorf("%d bytes are reserved for a short text, %v", account.Used(), err)
	}
	if r.Free(); account.Used() != 0 {
		t.Errorf("%d bytes are reserved at the end", account.Used())
	}
}
