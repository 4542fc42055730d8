package main

import (
	"hash/crc32"
	"math/bits"

	"gsql/bench/murmur"
)

// candidate is a hash function of keys of width bits; higher bits of key and hash are 0.
type candidate struct {
	name      string
	width     uint
	hash      func(key uint64) uint64
	bijective bool
	used      bool // by gsql's joins and groups on devices (kernels/hash.cuh)
}

const (
	golden32 = 0x9e3779b1 // primes near 2^n over the golden ratio
	golden64 = 0x9e3779b97f4a7c55
)

func candidates(width uint) []candidate {
	if width == 32 {
		return narrow()
	}
	return wide()
}

// of32 adapts a function of 32 bits.
func of32(f func(x uint32) uint32) func(uint64) uint64 {
	return func(x uint64) uint64 { return uint64(f(uint32(x))) }
}

func narrow() []candidate {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	return []candidate{
		{"lowbias32", 32, of32(lowbias32), true, true},
		{"MurmurHash3 finaliser", 32, of32(murmur.Mix32), true, false},
		{"multiplication", 32, of32(func(x uint32) uint32 { return x * golden32 }), true, false},
		{"multiplication, bits reversed", 32, of32(func(x uint32) uint32 { return bits.Reverse32(x * golden32) }), true, false},
		{"addition, rotation, bits reversed", 32, of32(func(x uint32) uint32 { return bits.Reverse32(bits.RotateLeft32(x+golden32, 13)) }), true, false},
		{"XOR, rotation, bits reversed", 32, of32(func(x uint32) uint32 { return bits.Reverse32(bits.RotateLeft32(x^golden32, 13)) }), true, false},
		{"FNV-1a of 4 bytes", 32, func(x uint64) uint64 { return uint64(fnv32(x)) }, false, false},
		{"CRC-32C", 32, func(x uint64) uint64 {
			return uint64(crc32.Checksum([]byte{byte(x), byte(x >> 8), byte(x >> 16), byte(x >> 24)}, castagnoli))
		}, true, false},
		{"none", 32, func(x uint64) uint64 { return x }, true, false},
	}
}

func wide() []candidate {
	return []candidate{
		{"Stafford's variant 13", 64, stafford13, true, true},
		{"MurmurHash3 finaliser", 64, murmur.Mix64, true, false},
		{"multiplication", 64, func(x uint64) uint64 { return x * golden64 }, true, false},
		{"multiplication, bits reversed", 64, func(x uint64) uint64 { return bits.Reverse64(x * golden64) }, true, false},
		{"addition, rotation, bits reversed", 64, func(x uint64) uint64 { return bits.Reverse64(bits.RotateLeft64(x+golden64, 29)) }, true, false},
		{"XOR, rotation, bits reversed", 64, func(x uint64) uint64 { return bits.Reverse64(bits.RotateLeft64(x^golden64, 29)) }, true, false},
		{"FNV-1a of 8 bytes", 64, fnv64, false, false},
		{"none", 64, func(x uint64) uint64 { return x }, true, false},
	}
}

// lowbias32 and stafford13 are hash32 and hash64 of kernels/hash.cuh.
func lowbias32(x uint32) uint32 {
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return x ^ x>>16
}

func stafford13(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func fnv32(x uint64) uint32 {
	h := uint32(2166136261)
	for range 4 {
		h = (h ^ uint32(x&255)) * 16777619
		x >>= 8
	}
	return h
}

func fnv64(x uint64) uint64 {
	h := uint64(14695981039346656037)
	for range 8 {
		h = (h ^ x&255) * 1099511628211
		x >>= 8
	}
	return h
}
