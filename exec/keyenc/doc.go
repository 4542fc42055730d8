// Package keyenc encodes keys as 64-bit words: key codes, by which equality joins and group joins
// compare tuples of keys; order keys, whose unsigned order is the order of the values; sort keys,
// which order NULLs too; and short texts as two words.
//
// Key codes are exact if the keys fit in 64 bits. A single fixed-size key is its value in an
// order-preserving form. Several keys, or short texts, are packed side by side if the ranges of
// the build side's values are small enough (internal/textradix numbers the texts). Otherwise a
// code is a hash, and pairs found by it must be compared with KeepEqual. Package rank has words
// for values without order keys.
package keyenc
