package operator

import (
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

// compareMixed compares a signed with an unsigned integer, or the reverse if swapped is set.
func compareMixed(rel kernel.Relation, swapped bool) kernel.Kernel {
	if swapped {
		rel = rel.Swap()
	}
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		signed, unsigned := args[0], args[1]
		if swapped {
			signed, unsigned = unsigned, signed
		}
		mixedLoop(out.I64, signed.I64, unsigned.I64, kernel.Mask(signed), kernel.Mask(unsigned), rel)
		return nil
	}
}

// mixedLoop is compareSlices for a of signed integers and b of the bits of unsigned integers.
func mixedLoop(r, a, b []int64, ma, mb int, rel kernel.Relation) {
	switch rel {
	case kernel.Equal, kernel.Less | kernel.Greater:
		flip := int64(rel & kernel.Less)
		for i := range r {
			x := a[i&ma]
			r[i] = (kernel.Bit(x == b[i&mb]) & kernel.Bit(x >= 0)) ^ flip
		}
	case kernel.Less, kernel.Greater | kernel.Equal:
		flip := int64(rel >> 1 & 1)
		for i := range r {
			x := a[i&ma]
			r[i] = (kernel.Bit(x < 0) | kernel.Bit(uint64(x) < uint64(b[i&mb]))) ^ flip
		}
	default:
		flip := int64(rel >> 1 & 1)
		for i := range r {
			x := a[i&ma]
			r[i] = (kernel.Bit(x >= 0) & kernel.Bit(uint64(x) > uint64(b[i&mb]))) ^ flip
		}
	}
}
