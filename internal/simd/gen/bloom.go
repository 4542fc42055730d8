package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bloom writes the loops that look integers up in a Bloom filter or a bitmap.
func bloom() {
	for _, s := range sets {
		selectMembers(s)
		prefetchMembers(s)
		selectBits(s)
	}
}

// bloomFilter has the registers for locating a value in a filter.
type bloomFilter struct {
	*hasher

	words, places, one reg.VecVirtual
}

func loadBloomFilter(s *set) *bloomFilter {
	f := &bloomFilter{hasher: newHasher(s), words: spread(s, lanes[1], "words")}
	f.places, f.one = f.fill(63), f.fill(1)
	return f
}

// word returns the word of a hash.
func (f *bloomFilter) word(hash reg.VecVirtual) reg.VecVirtual {
	w := f.vector()
	VPSRLQ(Imm(32), hash, w)
	VPMULUDQ(f.words, w, w)
	VPSRLQ(Imm(32), w, w)
	return w
}

// bits returns the bits of a hash in its word.
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

// missing returns those bits of the hashes of the elements at x that the filter lacks.
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

// selectMembers is selectRows with a Bloom filter as condition.
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

// prefetchMembers prefetches the words of elements.
func prefetchMembers(s *set) {
	TEXT("prefetchMembers"+s.name, NOSPLIT, "func(xs *int64, n int, filter *uint64, words int)")
	Pragma("noescape")
	Doc("prefetchMembers" + s.name + " has the words of n integers, a positive multiple of 8, brought to the first-level cache.")
	xs := Load(Param("xs"), GP64())
	n, filter := Load(Param("n"), GP64()), Load(Param("filter"), GP64())
	f, words := loadBloomFilter(s), AllocLocal(s.bytes)
	elements := s.bytes / 8
	Label("iteration")
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
