package ptx

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/gpu/pipeline"
)

// division is the state of dividing magnitudes of a thread's rows bit by bit: the dividend is shifted
// into the remainder, and the quotient's bits follow it.
type division struct{ number, rest, by []pair }

// divide128 emits a quotient or a remainder.
func (k longs) divide128(v *value, e *pipeline.Expr, args []value) {
	d := &division{}
	var flips, negative []string // where the quotient is negative, and where the dividend is
	for i := range v.reg {
		number, minus := k.magnitude(args[0].pair(i))
		by, minusBy := k.magnitude(args[1].pair(i))
		flip := k.reg("p")
		k.op("xor.pred %s, %s, %s", flip, minus, minusBy)
		flips, negative = append(flips, flip), append(negative, minus)
		rest := k.constantPair(decimal128.Num{})
		d.number, d.by, d.rest = append(d.number, number), append(d.by, by), append(d.rest, rest)
	}
	if e.Fails {
		k.nullAt(v, e, k.replaceZeros(d))
	}
	k.divideBits(d)
	for i := range v.reg {
		out, minus := d.number[i], flips[i]
		switch e.Op {
		case pipeline.OpRem:
			out, minus = d.rest[i], negative[i]
		case pipeline.OpQuoRound:
			out = k.roundUp(d, i)
		}
		zero, opposite := k.constantPair(decimal128.Num{}), pair{k.reg("d"), k.reg("d")}
		k.subPair(opposite, zero, out)
		k.selectPair(v.pair(i), opposite, out, minus)
	}
}

// replaceZeros replaces divisors of 0 by 1, and returns where they were.
func (k pairs) replaceZeros(d *division) []string {
	zeros := k.regs("p")
	for i, p := range zeros {
		any := k.reg("d")
		k.op("or.b64 %s, %s, %s", any, d.by[i].low, d.by[i].high)
		k.op("setp.eq.b64 %s, %s, 0", p, any)
		k.op("selp.b64 %s, 1, %s, %s", d.by[i].low, d.by[i].low, p)
	}
	return zeros
}

// divideBits emits the loop over the dividend's bits: 64 if none of the thread's dividends has more.
func (k pairs) divideBits(d *division) {
	high, short, count := k.reg("d"), k.reg("p"), k.reg("r")
	k.op("mov.b64 %s, 0", high)
	for _, n := range d.number {
		k.op("or.b64 %s, %s, %s", high, high, n.high)
	}
	k.op("setp.eq.b64 %s, %s, 0", short, high)
	k.op("selp.b32 %s, 64, 128, %s", count, short)
	for _, n := range d.number {
		k.op("@%s mov.b64 %s, %s", short, n.high, n.low)
		k.op("@%s mov.b64 %s, 0", short, n.low)
	}
	loop, more := k.label("DIVIDE"), k.reg("p")
	k.mark(loop)
	for i := range d.number {
		k.divideBit(d.number[i], d.rest[i], d.by[i])
	}
	k.op("sub.u32 %s, %s, 1", count, count)
	k.op("setp.ne.u32 %s, %s, 0", more, count)
	k.op("@%s bra %s", more, loop)
}

// divideBit moves the highest bit of number to rest, and subtracts by from it if it is not less: the
// lowest bit of number is then 1.
func (k pairs) divideBit(number, rest, by pair) {
	carry := func(from, to pair, bit string) {
		top := k.reg("d")
		k.op("shr.u64 %s, %s, 63", top, from.low)
		k.op("shl.b64 %s, %s, 1", to.high, from.high)
		k.op("or.b64 %s, %s, %s", to.high, to.high, top)
		k.op("shl.b64 %s, %s, 1", to.low, from.low)
		if bit != "" {
			k.op("or.b64 %s, %s, %s", to.low, to.low, bit)
		}
	}
	bit := k.reg("d")
	k.op("shr.u64 %s, %s, 63", bit, number.high)
	carry(rest, rest, bit)
	carry(number, number, "")
	less, reduced := k.lessPair("u64", rest, by), pair{k.reg("d"), k.reg("d")}
	k.subPair(reduced, rest, by)
	k.selectPair(rest, rest, reduced, less)
	one := k.reg("d")
	k.op("selp.b64 %s, 0, 1, %s", one, less)
	k.op("or.b64 %s, %s, %s", number.low, number.low, one)
}

// roundUp returns a quotient plus 1 if the remainder is at least the distance to the next multiple.
func (k pairs) roundUp(d *division, i int) pair {
	missing, out, one := pair{k.reg("d"), k.reg("d")}, pair{k.reg("d"), k.reg("d")}, k.reg("d")
	k.subPair(missing, d.by[i], d.rest[i])
	less := k.lessPair("u64", d.rest[i], missing)
	zero := k.reg("d")
	k.op("selp.b64 %s, 0, 1, %s", one, less)
	k.op("mov.b64 %s, 0", zero)
	k.addPair(out, d.number[i], pair{one, zero})
	return out
}
