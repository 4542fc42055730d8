package rowhash

import (
	"fmt"
	"math"
	"testing"

	"gsql/sql/types"
	"gsql/sql/vec"
)

func TestEqualRowsHashAlike(t *testing.T) {
	f := vec.NewFlat(types.T(types.Float64), 4)
	copy(f.F64, []float64{0, math.Copysign(0, -1), math.NaN(), math.Float64frombits(0x7ff8000000000007)})
	h := make([]uint64, 4)
	Rows([]*vec.Vector{f}, h)
	if h[0] != h[1] || h[2] != h[3] || h[0] == h[2] {
		t.Errorf("floats: %x", h)
	}
	s := vec.NewFlat(types.T(types.String), 2)
	s.Str[0], s.Str[1] = "abc", "xabcx"[1:4]
	s.SetNull(0)
	s.SetNull(1)
	h = h[:2]
	Rows([]*vec.Vector{s}, h)
	if h[0] != h[1] {
		t.Error("NULLs hash by what lies under them")
	}
	view := &vec.Vector{Type: s.Type, Form: vec.View, N: 2, Base: s, Idx: []int32{-1, 0}}
	g := make([]uint64, 2)
	Rows([]*vec.Vector{view}, g)
	if g[0] != h[0] || g[1] != h[0] {
		t.Error("a NULL of a view hashes unlike a flat one")
	}
}

// TestHashesSpread counts collisions of the top and the bottom 20 bits over keys for which weak
// hashes collide. 2^16 random values in 2^20 slots collide 2016 times; up to twice that is
// accepted.
func TestHashesSpread(t *testing.T) {
	const n = 1 << 16
	sets := map[string]func(i int) []*vec.Vector{
		"sequence":    func(i int) []*vec.Vector { return ints(int64(i)) },
		"high bits":   func(i int) []*vec.Vector { return ints(int64(i) << 44) },
		"pairs":       func(i int) []*vec.Vector { return append(ints(int64(i>>8)), ints(int64(i&255))...) },
		"null behind": func(i int) []*vec.Vector { return append(ints(int64(i)), vec.NewNull(types.T(types.Int64), 1)) },
		"strings":     func(i int) []*vec.Vector { return strs(fmt.Sprint("customer#", i)) },
		"short":       func(i int) []*vec.Vector { return strs(string([]byte{byte(i), byte(i >> 8)})) },
	}
	for name, row := range sets {
		low, high := map[uint64]bool{}, map[uint64]bool{}
		for i := range n {
			h := make([]uint64, 1)
			Rows(row(i), h)
			low[h[0]&(1<<20-1)] = true
			high[h[0]>>44] = true
		}
		if n-len(low) > 4000 || n-len(high) > 4000 {
			t.Errorf("%s: %d and %d collisions", name, n-len(low), n-len(high))
		}
	}
}

func ints(x int64) []*vec.Vector {
	v := vec.NewFlat(types.T(types.Int64), 1)
	v.I64[0] = x
	return []*vec.Vector{v}
}

func strs(s string) []*vec.Vector {
	v := vec.NewFlat(types.T(types.String), 1)
	v.Str[0] = s
	return []*vec.Vector{v}
}
