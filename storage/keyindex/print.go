package keyindex

import (
	"encoding/binary"
	"hash/maphash"
)

// print stands for a key in a block: 128 well mixed bits. Those of keys of one integer, which are in hi alone, and of
// two integers determine the key. Others are two hashes with secret seeds; that any two of a billion keys have
// the same ones has a probability of 10^-21.
type print struct{ hi, lo uint64 }

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// salts make the prints of integers differ from process to process, like those of strings.
var salts = [2]uint64{maphash.String(seeds[0], "salt"), maphash.String(seeds[1], "salt")}

func printOfInt(key int64) print { return print{hi: mix(uint64(key) ^ salts[0])} }

// intOf returns the integer key with a print.
func intOf(p print) int64 { return int64(unmix(p.hi) ^ salts[0]) }

// printOfPair permutes the pairs of integers: two rounds of a Feistel network.
func printOfPair(a, b uint64) print {
	lo := b + mix(a^salts[0])
	return print{hi: a + mix(lo^salts[1]), lo: lo}
}

func printOfBytes(key []byte) print {
	return print{maphash.Bytes(seeds[0], key), maphash.Bytes(seeds[1], key)}
}

// print returns the print of a key as Values has it.
func (f Form) print(key string) print {
	if len(key) == condensedBytes {
		b := []byte(key)
		return print{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
	}
	if f == Pair {
		b := []byte(key)
		return printOfPair(binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:]))
	}
	return print{maphash.String(seeds[0], key), maphash.String(seeds[1], key)}
}

// The multipliers of MurmurHash3's finalizer, and their inverses modulo 2^64.
const (
	mix1   = 0xff51afd7ed558ccd
	mix2   = 0xc4ceb9fe1a85ec53
	unmix1 = 0x4f74430c22a54005
	unmix2 = 0x9cb4b2f8129337db
)

// mix permutes the integers so that each bit of x affects all bits of the result.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= mix1
	x ^= x >> 33
	x *= mix2
	return x ^ x>>33
}

// unmix is the inverse of mix.
func unmix(x uint64) uint64 {
	x ^= x >> 33
	x *= unmix2
	x ^= x >> 33
	x *= unmix1
	return x ^ x>>33
}
