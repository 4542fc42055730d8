package spill

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// randomRows returns rows of all kinds of columns, every second of which may have NULLs.
func randomRows(r *rand.Rand, n int) *vec.Batch {
	b := &vec.Batch{N: n}
	for i, t := range []types.Type{types.T(types.Bool), types.T(types.Uint64), types.T(types.Null), types.T(types.String),
		types.T(types.Float64), types.Dec(20, 3), types.T(types.Date), types.T(types.Bytes)} {
		v := vec.NewFlat(t, n)
		for k := range n {
			switch t.Kind() {
			case types.KindI64, types.KindU64:
				v.I64[k] = r.Int64() - r.Int64()
			case types.KindF64:
				v.F64[k] = r.NormFloat64()
			case types.KindDec:
				v.Dec[k] = decimal128.New(r.Int64()-r.Int64(), r.Uint64())
			case types.KindStr:
				v.Str[k] = strings.Repeat(fmt.Sprint(k), r.IntN(4))
			}
			if i%2 == 1 && r.IntN(3) == 0 {
				v.SetNull(k)
			}
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}

// same returns an error if two batches differ.
func same(got, want *vec.Batch) error {
	if got.N != want.N {
		return fmt.Errorf("%d rows, not %d", got.N, want.N)
	}
	for c, v := range got.Cols {
		if v.Type != want.Cols[c].Type || v.N != want.N {
			return fmt.Errorf("column %d is %d rows of %s", c, v.N, v.Type)
		}
		for i := range want.N {
			if x, y := catalog.DatumAt(v, i), catalog.DatumAt(want.Cols[c], i); x != y {
				return fmt.Errorf("column %d, row %d: %+v, was %+v", c, i, x, y)
			}
		}
	}
	return nil
}

// TestFileIsArrow reads whole files with the Arrow library: it must return the batches in the
// order in which they were written, with their numbers of NULLs.
func TestFileIsArrow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var batches []*vec.Batch
	for _, n := range []int{1, 0, 7, 8, 9, 500, 64, 2048} {
		batches = append(batches, randomRows(r, n))
	}
	f, err := NewSpace(t.TempDir(), 0).Create(typesOf(batches[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var blocks []Block
	for _, b := range batches {
		block, err := f.Write(b)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, block)
	}
	own := f.NewReader(nil)
	for _, i := range r.Perm(len(batches)) {
		got, err := own.Read(blocks[i])
		if err == nil {
			err = same(got, batches[i])
		}
		if err != nil {
			t.Errorf("block %d: %v", i, err)
		}
	}
	library, err := ipc.NewReader(io.NewSectionReader(f.f, 0, f.end))
	if err != nil {
		t.Fatal(err)
	}
	defer library.Release()
	for i, want := range batches {
		rec, err := library.Read()
		if err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
		got := &vec.Batch{N: int(rec.NumRows())}
		for c, arr := range rec.Columns() {
			v := &vec.Vector{}
			if err := arrowvec.FromArray(arr, f.types[c], 0, got.N, v); err != nil {
				t.Fatal(err)
			}
			nulls := 0
			for k := range want.N {
				if want.Cols[c].IsNull(k) {
					nulls++
				}
			}
			if arr.NullN() != nulls {
				t.Errorf("record %d, column %d: %d NULLs, not %d", i, c, arr.NullN(), nulls)
			}
			got.Cols = append(got.Cols, v)
		}
		if err := same(got, want); err != nil {
			t.Errorf("record %d: %v", i, err)
		}
	}
	if _, err := library.Read(); err != io.EOF {
		t.Errorf("behind the last record: %v", err)
	}
}

// TestChangedBlocks changes each word of a block, one at a time, and cuts the block off there.
func TestChangedBlocks(t *testing.T) {
	in := randomRows(rand.New(rand.NewPCG(3, 4)), 5)
	f, err := NewSpace(t.TempDir(), 0).Create(typesOf(in))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block, err := f.Write(in)
	if err != nil {
		t.Fatal(err)
	}
	r, refused := f.NewReader(nil), 0
	read := func() {
		_, err := r.Read(block)
		if err != nil {
			refused++
		}
		if err != nil && !errors.Is(err, sqlerr.ErrorOnRead) {
			t.Fatal(err)
		}
	}
	old, changed := make([]byte, word), make([]byte, word)
	for at := block.at; at < block.at+block.size; at += word {
		if _, err := f.f.ReadAt(old, at); err != nil {
			t.Fatal(err)
		}
		x := binary.LittleEndian.Uint64(old)
		for _, y := range []uint64{x ^ 1, x ^ 1<<4, x + word, x + 1<<32, x ^ 1<<63, math.MaxInt64, math.MaxUint64} {
			binary.LittleEndian.PutUint64(changed, y)
			if _, err := f.f.WriteAt(changed, at); err != nil {
				t.Fatal(err)
			}
			read()
		}
		if _, err := f.f.WriteAt(old, at); err != nil {
			t.Fatal(err)
		}
	}
	if offsets := 2 * (in.N + 1); refused < 3*offsets {
		t.Errorf("%d changes were refused, and %d offsets made much too large in three ways", refused, offsets)
	}
	got, err := r.Read(block)
	if err == nil {
		err = same(got, in)
	}
	if err != nil {
		t.Errorf("with all as it was: %v", err)
	}
	for size := block.at + block.size - 1; size >= block.at; size-- {
		if err := f.f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(block); !errors.Is(err, sqlerr.ErrorOnRead) {
			t.Fatalf("cut off at %d: %v", size, err)
		}
	}
}
