package main

import (
	"math/rand/v2"
	"testing"
)

// TestJudge: a random function passes, none and a multiplication fail where they must, and the
// functions in use pass.
func TestJudge(t *testing.T) {
	const keys = 14
	table := map[uint64]uint64{}
	r := rand.New(rand.NewPCG(5, 6))
	random := candidate{name: "random", width: 32, hash: func(x uint64) uint64 {
		if _, ok := table[x]; !ok {
			table[x] = uint64(r.Uint32())
		}
		return table[x]
	}}
	good := func(name string, q quality, avalanche bool) {
		if q.low > 1.2 || q.high > 1.2 || q.part > 1.5 || q.distance < 0.97 || q.distance > 1.03 || avalanche && q.avalanche > 0.03 {
			t.Errorf("%s: %+v", name, q)
		}
	}
	var q quality
	for _, set := range keySets(32, keys) {
		hashes := make([]uint64, len(set))
		for i, k := range set {
			hashes[i] = random.hash(k)
		}
		q.low, q.high = chi(hashes, func(h uint64) uint64 { return h & 4095 }), chi(hashes, func(h uint64) uint64 { return h >> 20 })
		q.part, q.distance = largest(hashes), distance(hashes, 32)
		good("random", q, false)
	}
	for _, width := range []uint{32, 64} {
		for _, c := range candidates(width) {
			switch q := judge(c, keys); {
			case c.used:
				good(c.name, q, true)
			case c.name == "none" && (q.avalanche != 0.5 || q.part != 256 || q.distance > 0.01):
				t.Errorf("none: %+v", q)
			case c.name == "multiplication" && q.part != 256:
				t.Errorf("multiplication: multiples of 2^%d have low bits: %+v", width-keys, q)
			case c.bijective && q.collisions != 0:
				t.Errorf("%s: %d collisions", c.name, q.collisions)
			}
		}
	}
}

// TestFunctions compares with values from elsewhere: the first output of SplitMix64 from seed 0, the
// FNV-1a hashes of four and eight zero bytes by their definition, and the inverses of kernels/hash.cuh.
func TestFunctions(t *testing.T) {
	if h := stafford13(0x9e3779b97f4a7c15); h != 0xe220a8397b1dcdaf {
		t.Errorf("SplitMix64's first output is %#x", h)
	}
	for _, x := range []uint32{0, 1, 2, 0xffffffff, 0x12345678} {
		y := lowbias32(x)
		y ^= y >> 16
		y *= 0x43021123
		y ^= y>>15 ^ y>>30
		y *= 0x1d69e2a5
		y ^= y >> 16
		if y != x {
			t.Errorf("the inverse of lowbias32(%#x) is %#x", x, y)
		}
	}
	zeros32, zeros64 := uint32(2166136261), uint64(14695981039346656037)
	for range 4 {
		zeros32 *= 16777619
	}
	for range 8 {
		zeros64 *= 1099511628211
	}
	if fnv32(0) != zeros32 || fnv64(0) != zeros64 {
		t.Error("FNV-1a of zeros differs")
	}
}
