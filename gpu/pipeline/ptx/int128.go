package ptx

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/gpu/pipeline"
	"gsql/internal/dec128"
)

// An Int128 takes two registers of 64 bits for each row. A sum or a difference takes 4 instructions, a
// product 7, and its check 20. A quotient takes about 12 for each bit: 10^8 of them take 5 ms on an H100.

// pairs emits arithmetic of 128 bits.
type pairs struct{ *writer }

// longs emits the operations of Int128.
type longs struct {
	*expressions
	pairs
}

func (k *expressions) longs() longs { return longs{k, pairs{k.writer}} }

// pair is an Int128 of a row, or a magnitude of 128 bits.
type pair struct{ low, high string }

func (v *value) pair(i int) pair { return pair{v.reg[i], v.high[i]} }

// newPairs returns an Int128 with new registers.
func (k pairs) newPairs(ok []string) value {
	return value{wide: true, reg: k.regs("d"), high: k.regs("d"), ok: ok}
}

// constantPair returns registers with a number.
func (k pairs) constantPair(n decimal128.Num) pair {
	p := pair{k.reg("d"), k.reg("d")}
	k.op("mov.b64 %s, %d", p.low, int64(n.LowBits()))
	k.op("mov.b64 %s, %d", p.high, n.HighBits())
	return p
}

// compute128 emits an operation on Int128 or with that result.
func (k longs) compute128(e *pipeline.Expr) (value, error) {
	switch e.Op {
	case pipeline.OpConst:
		p := k.constantPair(e.Least)
		return value{wide: true, reg: k.same(p.low), high: k.same(p.high)}, nil
	case pipeline.OpNull:
		v := k.null(&pipeline.Expr{Op: pipeline.OpNull, Kind: pipeline.Int, Nullable: true})
		p := k.constantPair(decimal128.Num{})
		return value{wide: true, reg: k.same(p.low), high: k.same(p.high), ok: v.ok}, nil
	case pipeline.OpIf:
		return k.choose(e)
	case pipeline.OpInt128:
		return k.extended(e)
	}
	args, ok, err := k.arguments(e)
	if err != nil {
		return value{}, err
	}
	v := k.newPairs(ok)
	switch e.Op {
	case pipeline.OpAdd, pipeline.OpSub:
		k.sum128(&v, e, args)
	case pipeline.OpMul:
		k.product128(&v, e, args)
	case pipeline.OpQuo, pipeline.OpRem, pipeline.OpQuoRound:
		k.divide128(&v, e, args)
	case pipeline.OpLess, pipeline.OpGreater:
		less := k.compare128(pipeline.OpLT, args[0], args[1])
		for i := range v.reg {
			x, y := args[0].pair(i), args[1].pair(i)
			if e.Op == pipeline.OpGreater {
				x, y = y, x
			}
			k.selectPair(v.pair(i), x, y, less[i])
		}
	case pipeline.OpWords:
		for i, r := range v.reg {
			sign := k.reg("d")
			k.op("mov.b64 %s, %s", r, args[0].reg[i])
			k.op("shr.s64 %s, %s, 63", sign, r)
			k.op("add.u64 %s, %s, %s", v.high[i], sign, args[1].reg[i])
		}
	case pipeline.OpWithin:
		v.reg, v.high = args[0].reg, args[0].high
		k.beyond(&v, e)
	case pipeline.OpLow, pipeline.OpNarrow:
		return value{wide: true, reg: args[0].reg, ok: ok}, nil
	case pipeline.OpHigh:
		out := value{wide: true, reg: k.regs("d"), ok: ok}
		for i, r := range out.reg {
			carry := k.reg("d")
			k.op("shr.u64 %s, %s, 63", carry, args[0].reg[i])
			k.op("add.u64 %s, %s, %s", r, args[0].high[i], carry)
		}
		return out, nil
	default:
		return v, fmt.Errorf("operation %d of 128 bits in a kernel", e.Op)
	}
	return v, nil
}

// extended returns an integer as an Int128.
func (k longs) extended(e *pipeline.Expr) (value, error) {
	x, err := k.value(e.Args[0])
	if err != nil {
		return x, err
	}
	x = k.resized(x, true)
	v := k.newPairs(x.ok)
	for i, r := range v.reg {
		k.op("mov.b64 %s, %s", r, x.reg[i])
		k.op("shr.s64 %s, %s, 63", v.high[i], r)
	}
	return v, nil
}

func (k pairs) selectPair(to, yes, no pair, p string) {
	k.op("selp.b64 %s, %s, %s, %s", to.low, yes.low, no.low, p)
	k.op("selp.b64 %s, %s, %s, %s", to.high, yes.high, no.high, p)
}

// addPair sets to to x + y.
func (k pairs) addPair(to, x, y pair) {
	carry, one := k.reg("p"), k.reg("d")
	low := k.reg("d")
	k.op("add.u64 %s, %s, %s", low, x.low, y.low)
	k.op("setp.lt.u64 %s, %s, %s", carry, low, x.low)
	k.op("selp.b64 %s, 1, 0, %s", one, carry)
	k.op("add.u64 %s, %s, %s", to.high, x.high, y.high)
	k.op("add.u64 %s, %s, %s", to.high, to.high, one)
	k.op("mov.b64 %s, %s", to.low, low)
}

// subPair sets to to x - y.
func (k pairs) subPair(to, x, y pair) {
	borrow, one := k.reg("p"), k.reg("d")
	k.op("setp.lt.u64 %s, %s, %s", borrow, x.low, y.low)
	k.op("selp.b64 %s, 1, 0, %s", one, borrow)
	k.op("sub.u64 %s, %s, %s", to.low, x.low, y.low)
	k.op("sub.u64 %s, %s, %s", to.high, x.high, y.high)
	k.op("sub.u64 %s, %s, %s", to.high, to.high, one)
}

// magnitude returns the magnitude of x and whether x is negative.
func (k pairs) magnitude(x pair) (out pair, negative string) {
	negative = k.reg("p")
	zero := k.constantPair(decimal128.Num{})
	minus := pair{k.reg("d"), k.reg("d")}
	out = pair{k.reg("d"), k.reg("d")}
	k.op("setp.lt.s64 %s, %s, 0", negative, x.high)
	k.subPair(minus, zero, x)
	k.selectPair(out, minus, x, negative)
	return out, negative
}

// lessPair returns whether x is less than y. typ is the type of the upper words: s64, or u64 for
// magnitudes.
func (k pairs) lessPair(typ string, x, y pair) string {
	above, same, below := k.reg("p"), k.reg("p"), k.reg("p")
	k.op("setp.lt.%s %s, %s, %s", typ, above, x.high, y.high)
	k.op("setp.eq.b64 %s, %s, %s", same, x.high, y.high)
	k.op("setp.lt.and.u64 %s, %s, %s, %s", below, x.low, y.low, same)
	k.op("or.pred %s, %s, %s", above, above, below)
	return above
}

// compare128 returns a comparison of each row.
func (k pairs) compare128(op pipeline.Op, x, y value) []string {
	out := make([]string, k.rows)
	for i := range out {
		a, b := x.pair(i), y.pair(i)
		switch op {
		case pipeline.OpLT:
			out[i] = k.lessPair("s64", a, b)
		case pipeline.OpGT:
			out[i] = k.lessPair("s64", b, a)
		case pipeline.OpGE:
			out[i] = k.not(k.lessPair("s64", a, b))
		case pipeline.OpLE:
			out[i] = k.not(k.lessPair("s64", b, a))
		default:
			p, same := k.reg("p"), k.reg("p")
			k.op("setp.eq.b64 %s, %s, %s", same, a.high, b.high)
			k.op("setp.eq.and.b64 %s, %s, %s, %s", p, a.low, b.low, same)
			if out[i] = p; op == pipeline.OpNE {
				out[i] = k.not(p)
			}
		}
	}
	return out
}

func (k pairs) not(p string) string {
	out := k.reg("p")
	k.op("not.pred %s, %s", out, p)
	return out
}

// tooLong returns whether a magnitude has more than 38 digits.
func (k pairs) tooLong(m pair) string {
	return k.lessPair("u64", k.constantPair(dec128.Max(dec128.MaxDigits)), m)
}

// noteFaults notes where an operation fails, unless the result is NULL.
func (k *expressions) noteFaults(v *value, e *pipeline.Expr, faults []string) {
	if v.ok != nil {
		faults = k.both(faults, v.ok)
	}
	k.faults[e] = faults
}

// sum128 emits a sum or a difference. Numbers of 38 digits have sums below 2^128: the sign is wrong if
// they exceed 2^127.
func (k longs) sum128(v *value, e *pipeline.Expr, args []value) {
	var faults []string
	for i := range v.reg {
		x, y, r := args[0].pair(i), args[1].pair(i), v.pair(i)
		other := y.high
		if e.Op == pipeline.OpAdd {
			k.addPair(r, x, y)
		} else {
			k.subPair(r, x, y)
			if e.Fails {
				other = k.reg("d")
				k.op("not.b64 %s, %s", other, y.high)
			}
		}
		if !e.Fails {
			continue
		}
		a, b, wrong := k.reg("d"), k.reg("d"), k.reg("p")
		k.op("xor.b64 %s, %s, %s", a, x.high, r.high)
		k.op("xor.b64 %s, %s, %s", b, other, r.high)
		k.op("and.b64 %s, %s, %s", a, a, b)
		k.op("setp.lt.s64 %s, %s, 0", wrong, a)
		m, _ := k.magnitude(r)
		k.op("or.pred %s, %s, %s", wrong, wrong, k.tooLong(m))
		faults = append(faults, wrong)
	}
	if e.Fails {
		k.noteFaults(v, e, faults)
	}
}

// product128 emits a product: that of the lower words, and the lower halves of the mixed ones above it.
func (k longs) product128(v *value, e *pipeline.Expr, args []value) {
	var faults []string
	for i := range v.reg {
		x, y, r := args[0].pair(i), args[1].pair(i), v.pair(i)
		k.mulPair(r, x, y)
		if e.Fails {
			faults = append(faults, k.productFails(x, y))
		}
	}
	if e.Fails {
		k.noteFaults(v, e, faults)
	}
}

func (k pairs) mulPair(to, x, y pair) {
	a, b := k.reg("d"), k.reg("d")
	k.op("mul.lo.u64 %s, %s, %s", to.low, x.low, y.low)
	k.op("mul.hi.u64 %s, %s, %s", to.high, x.low, y.low)
	k.op("mul.lo.u64 %s, %s, %s", a, x.high, y.low)
	k.op("mul.lo.u64 %s, %s, %s", b, x.low, y.high)
	k.op("add.u64 %s, %s, %s", to.high, to.high, a)
	k.op("add.u64 %s, %s, %s", to.high, to.high, b)
}

// productFails returns whether a product has more than 38 digits. Both upper words are then not 0, or one
// of the mixed products or of their sums exceeds 64 bits.
func (k pairs) productFails(x, y pair) string {
	x, _ = k.magnitude(x)
	y, _ = k.magnitude(y)
	fails, more := k.reg("p"), k.reg("p")
	k.op("setp.ne.b64 %s, %s, 0", more, x.high)
	k.op("setp.ne.and.b64 %s, %s, 0, %s", fails, y.high, more)
	high, low := k.reg("d"), k.reg("d")
	k.op("mul.lo.u64 %s, %s, %s", low, x.low, y.low)
	k.op("mul.hi.u64 %s, %s, %s", high, x.low, y.low)
	for _, mixed := range [][2]string{{x.high, y.low}, {x.low, y.high}} {
		over, part, sum, p := k.reg("d"), k.reg("d"), k.reg("d"), k.reg("p")
		k.op("mul.hi.u64 %s, %s, %s", over, mixed[0], mixed[1])
		k.op("setp.ne.b64 %s, %s, 0", p, over)
		k.op("or.pred %s, %s, %s", fails, fails, p)
		k.op("mul.lo.u64 %s, %s, %s", part, mixed[0], mixed[1])
		k.op("add.u64 %s, %s, %s", sum, high, part)
		carry := k.reg("p")
		k.op("setp.lt.u64 %s, %s, %s", carry, sum, high)
		k.op("or.pred %s, %s, %s", fails, fails, carry)
		high = sum
	}
	k.op("or.pred %s, %s, %s", fails, fails, k.tooLong(pair{low, high}))
	return fails
}

// beyond notes where an Int128 is beyond the bounds of an OpWithin.
func (k longs) beyond(v *value, e *pipeline.Expr) {
	least, most := k.constantPair(e.Least), k.constantPair(e.Most)
	faults := make([]string, k.rows)
	for i := range faults {
		faults[i] = k.lessPair("s64", v.pair(i), least)
		k.op("or.pred %s, %s, %s", faults[i], faults[i], k.lessPair("s64", most, v.pair(i)))
	}
	k.noteFaults(v, e, faults)
}
