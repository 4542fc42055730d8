package spill

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// benchRows makes four columns of a type, in which some rows may be NULL.
func benchRows(t types.Type, n int, nulls bool) *vec.Batch {
	r := rand.New(rand.NewPCG(1, 2))
	b := &vec.Batch{N: n}
	for range 4 {
		v := vec.NewFlat(t, n)
		for i := range n {
			switch t.Kind() {
			case types.KindI64:
				v.I64[i] = r.Int64()
			case types.KindDec:
				v.Dec[i] = decimal128.FromI64(r.Int64())
			case types.KindStr:
				v.Str[i] = fmt.Sprintf("Customer#%0*d", 4+r.IntN(20), i)
			}
			if nulls && r.IntN(10) == 0 {
				v.SetNull(i)
			}
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}

// BenchmarkBlocks writes and reads blocks of four columns.
func BenchmarkBlocks(b *testing.B) {
	for _, t := range []types.Type{types.T(types.Int64), types.Dec(15, 2), types.T(types.String)} {
		for _, nulls := range []bool{false, true} {
			for _, n := range []int{64, 2048, 8192} {
				in := benchRows(t, n, nulls)
				name := fmt.Sprintf("%s/nulls=%t/rows=%d", t, nulls, n)
				b.Run("write/"+name, func(b *testing.B) { benchWrite(b, in) })
				b.Run("read/"+name, func(b *testing.B) { benchRead(b, in) })
			}
		}
	}
}

// blocksOfBench bounds the number of blocks in a file, so that the file stays in the system's
// cache.
const blocksOfBench = 64

func benchFile(b *testing.B, in *vec.Batch) *File {
	f, err := NewSpace(b.TempDir(), 0).Create(typesOf(in))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	b.ReportAllocs()
	return f
}

func benchWrite(b *testing.B, in *vec.Batch) {
	f := benchFile(b, in)
	for i := 0; b.Loop(); i++ {
		if i%blocksOfBench == 0 {
			f.space.release(f.end)
			f.end = 0
		}
		block, err := f.Write(in)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(block.Bytes())
	}
}

func benchRead(b *testing.B, in *vec.Batch) {
	f := benchFile(b, in)
	var blocks []Block
	for range blocksOfBench {
		block, err := f.Write(in)
		if err != nil {
			b.Fatal(err)
		}
		blocks = append(blocks, block)
	}
	b.SetBytes(blocks[0].Bytes())
	r := f.NewReader(nil)
	for i := 0; b.Loop(); i++ {
		if _, err := r.Read(blocks[i%len(blocks)]); err != nil {
			b.Fatal(err)
		}
	}
}
