// Package murmur has the finalisers of MurmurHash3, with which benchmarks turn row numbers into sparse
// unique keys and random numbers. Both are bijections.
package murmur

// Mix32 is the finaliser of 32 bits.
func Mix32(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// Mix64 is the finaliser of 64 bits.
func Mix64(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
