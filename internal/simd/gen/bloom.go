package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bloom writes the loops over integers that a Bloom filter is asked for.
func bloom() {
	for _, s := range sets {
		selectMembers(s)
		prefetchMembers(s)
	}
}

// bloomFilter has what finds a value's place in a filter.
type bloomFilter struct {
	*set
	xor, and, or func(x, y, r Op)

	seed, factor, upperFactor, words, half, places, one reg.VecVirtual
}

func loadBloomFilter(s *set) *bloomFilter {
	f := &bloomFilter{set: s, xor: VPXOR, and: VPAND, or: VPOR, words: spread(s, lanes[1], "words")}
	if s == avx512 {
		f.xor, f.and, f.or = wide(VPXORQ), wide(VPANDQ), wide(VPORQ)
	}
	f.seed, f.factor, f.upperFactor = f.fill(0xa0761d6478bd642f), f.fill(0x9e3779b97f4a7c15), f.fill(0x9e3779b9)
	f.half, f.places, f.one = f.fill(1<<32-1), f.fill(63), f.fill(1)
	return f
}

func wide(instruction func(...Op)) func(x, y, r Op) {
	return func(x, y, r Op) { instruction(x, y, r) }
}

// fill gives a register full of a word.
func (f *bloomFilter) fill(word uint64) reg.VecVirtual {
	if f.set == avx2 {
		return everywhere(word)
	}
	w, r := GP64(), ZMM()
	MOVQ(U64(word), w)
	VPBROADCASTQ(w, r)
	return r
}

// hash folds the product of seed ^ x, of 128 bits, which is made of those of halves.
func (f *bloomFilter) hash(x reg.VecVirtual) reg.VecVirtual {
	upper, low, middle, high, carry := f.vector(), f.vector(), f.vector(), f.vector(), f.vector()
	f.xor(f.seed, x, x)
	VPSRLQ(Imm(32), x, upper)
	VPMULUDQ(f.factor, x, low)
	VPMULUDQ(f.upperFactor, x, middle)
	VPMULUDQ(f.factor, upper, carry)
	VPMULUDQ(f.upperFactor, upper, high)
	VPSRLQ(Imm(32), low, x)
	VPADDQ(x, carry, carry)
	f.and(f.half, carry, x)
	VPADDQ(x, middle, middle)
	VPSRLQ(Imm(32), carry, carry)
	VPADDQ(carry, high, high)
	VPSRLQ(Imm(32), middle, x)
	VPADDQ(x, high, high)
	VPSLLQ(Imm(32), middle, middle)
	f.and(f.half, low, low)
	f.or(low, middle, low)
	f.xor(low, high, high)
	return high
}

// word gives the word of a hash.
func (f *bloomFilter) word(hash reg.VecVirtual) reg.VecVirtual {
	w := f.vector()
	VPSRLQ(Imm(32), hash, w)
	VPMULUDQ(f.words, w, w)
	VPSRLQ(Imm(32), w, w)
	return w
}

// bits gives the bits of a hash in its word.
func (f *bloomFilter) bits(hash reg.VecVirtual) reg.VecVirtual {
	all := f.vector()
	for i := range 4 {
		at, bit := hash, all
		if i > 0 {
			at, bit = f.vector(), f.vector()
			VPSRLQ(Imm(uint64(6*i)), hash, at)
		}
		if f.set == avx512 {
			VPROLVQ(at, f.one, bit) // by its six low bits
		} else {
			place := YMM()
			VPAND(f.places, at, place)
			VPSLLVQ(place, f.one, bit)
		}
		if i > 0 {
			f.or(bit, all, all)
		}
	}
	return all
}

// missing gives the bits of the hashes of the elements at x that the filter lacks.
func (f *bloomFilter) missing(x Mem, filter reg.Register) reg.VecVirtual {
	r, found := f.vector(), f.vector()
	f.move(x, r)
	hash := f.hash(r)
	at := Mem{Base: filter, Index: f.word(hash), Scale: 8}
	f.xor(found, found, found)
	if f.set == avx512 {
		all := K()
		KXNORW(all, all, all)
		VPGATHERQQ(at, all, found)
		VPANDNQ(f.bits(hash), found, found)
		return found
	}
	all := YMM()
	VPCMPEQQ(all, all, all)
	VPGATHERQQ(all, at, found)
	VPANDN(f.bits(hash), found, found)
	return found
}

// selectMembers is selectRows by a Bloom filter.
func selectMembers(s *set) {
	TEXT("selectMembers"+s.name, NOSPLIT, "func(dst *int32, xs *int64, n int, filter *uint64, words int) int")
	Pragma("noescape")
	Doc("selectMembers" + s.name + " selects among n integers, a positive multiple of 8; dst has room for n.")
	start, xs := Load(Param("dst"), GP64()), Load(Param("xs"), GP64())
	n, filter := Load(Param("n"), GP64()), Load(Param("filter"), GP64())
	dst := GP64()
	MOVQ(start, dst)
	f := loadBloomFilter(s)
	var step func() reg.GPVirtual
	if s == avx512 {
		step = compressing(dst, 8, func(k reg.Register) {
			missing := f.missing(Mem{Base: xs}, filter)
			VPTESTNMQ(missing, missing, k)
		})
	} else {
		zero, write := YMM(), lookUp(dst, fromZero())
		VPXOR(zero, zero, zero)
		step = func() reg.GPVirtual {
			bits, upper := GP32(), GP32()
			for i, r := range []reg.Register{bits, upper} {
				missing := f.missing(Mem{Base: xs, Disp: 32 * i}, filter)
				VPCMPEQQ(zero, missing, missing)
				VMOVMSKPD(missing, r)
			}
			SHLL(Imm(4), upper)
			ORL(upper, bits)
			write(bits)
			return bits
		}
	}
	selecting(start, dst, n, 8, step, func() { ADDQ(I32(64), xs) })
}

// prefetchMembers asks for the words of elements.
func prefetchMembers(s *set) {
	TEXT("prefetchMembers"+s.name, NOSPLIT, "func(xs *int64, n int, filter *uint64, words int)")
	Pragma("noescape")
	Doc("prefetchMembers" + s.name + " has the words of n integers, a positive multiple of 8, brought to the first-level cache.")
	xs := Load(Param("xs"), GP64())
	n, filter := Load(Param("n"), GP64()), Load(Param("filter"), GP64())
	f, words := loadBloomFilter(s), AllocLocal(s.bytes)
	elements := s.bytes / 8
	Label("turn")
	x := s.vector()
	s.move(Mem{Base: xs}, x)
	s.move(f.word(f.hash(x)), words)
	for i := range elements {
		word := GP64()
		MOVQ(words.Offset(8*i), word)
		PREFETCHT0(Mem{Base: filter, Index: word, Scale: 8})
	}
	ADDQ(I32(int32(s.bytes)), xs)
	end(n, elements)
}
