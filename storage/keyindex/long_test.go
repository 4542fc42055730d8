package keyindex

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// lengths are those of texts around each limit of this package.
var lengths = []int{1, 2, condensedBytes - 2, condensedBytes - 1, condensedBytes, longKey - 2, longKey - 1, longKey, longKey + 1, hugeText, hugeText + 1, 5 * hugeText}

// longTexts returns texts of these lengths, of each two that differ in the last byte, and no two that are equal.
func longTexts(coll types.Collation) *vec.Vector {
	v := vec.NewFlat(types.Type{ID: types.String, Coll: coll}, 2*len(lengths)-1)
	for i := range v.N {
		v.Str[i] = strings.Repeat("a", lengths[i/2])
		if i == v.N-1 {
			v.Str[i] = strings.Repeat("ä-b", hugeText) // no place between characters that might combine
		} else if i%2 > 0 {
			v.Str[i] = v.Str[i][1:] + "b"
		}
	}
	v.Str[0] = ""
	return v
}

// TestLongKeys enters texts of all lengths one by one and in bulk, and looks them up in either way, in each kind of
// collation: a text is found by itself, by its capitals where case does not matter, and not by any other text.
func TestLongKeys(t *testing.T) {
	for _, coll := range []types.Collation{types.Bin, types.GeneralCI, types.UCA, types.UCAAccents, types.UCACase} {
		v := longTexts(coll)
		number := vec.NewFlat(types.T(types.Int64), v.N)
		cols := []*vec.Vector{number, v}
		k := Columns{At: []int{1, 0}}
		if coll != types.Bin {
			k.Collations = []types.Collation{coll, types.Bin}
		}
		single, bulk := New(nil, Encoded), New(nil, Encoded)
		kv := k.Values(cols, v.N)
		for i := range v.N {
			if len(kv.Strs[i]) > longKey {
				t.Errorf("%v: a key of %d bytes", coll, len(kv.Strs[i]))
			}
			if id, ok := single.Get(&kv, i); ok {
				t.Errorf("%v: texts %d and %d have the same key", coll, i, id)
			}
			single.Put(&kv, i, int64(i))
		}
		if taken, err := bulk.Enter(context.Background(), []*Chunk{k.Chunk(cols, v.N)}, Others{bulk, func(int64) bool { return true }}); taken >= 0 || err != nil {
			t.Fatalf("%v: text %d is taken: %v", coll, taken, err)
		}
		for i, s := range v.Str {
			v.Str[i] = strings.ToUpper(s)
		}
		kv = k.Values(cols, v.N)
		upper := k.Chunk(cols, v.N)
		for i, s := range v.Str {
			want := s == "" || coll != types.Bin && coll != types.UCACase
			a, found := single.Get(&kv, i)
			b, bulkFound := bulk.Get(&kv, i)
			if found != want || bulkFound != want || want && (a != int64(i) || b != int64(i)) {
				t.Errorf("%v: text %d in capitals: %d %v, in bulk %d %v", coll, i, a, found, b, bulkFound)
			}
			if id := bulk.inBlocks(upper.print(i)); (id == int64(i)) != want {
				t.Errorf("%v: text %d in capitals, of a chunk: %d", coll, i, id)
			}
		}
	}
}

// TestHugeKeysAreNotCopied makes keys of a huge text in each way.
func TestHugeKeysAreNotCopied(t *testing.T) {
	for _, coll := range []types.Collation{types.Bin, types.UCA} {
		v := vec.NewFlat(types.Type{ID: types.String, Coll: coll}, 3)
		for i := range v.N {
			v.Str[i] = strings.Repeat(fmt.Sprint(i), 16<<20)
		}
		k := Columns{At: []int{0}}
		if coll != types.Bin {
			k.Collations = []types.Collation{coll}
		}
		cols := []*vec.Vector{v}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		x := New(mem.NewRoot("test", 0), Encoded)
		kv := k.Values(cols, v.N)
		for i := range v.N {
			x.Put(&kv, i, int64(i))
		}
		k.Chunk(cols, v.N)
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 3*16<<20 {
			t.Errorf("%v: %d bytes allocated", coll, made)
		}
		if x.footprint() > 1000 || k.Making(cols, v.N) > 16<<20 {
			t.Errorf("%v: an index of %d bytes, made with %d", coll, x.footprint(), k.Making(cols, v.N))
		}
	}
}
