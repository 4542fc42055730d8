package ptx

import (
	"fmt"
	"math"
	"math/bits"

	"gsql/gpu/pipeline"
)

// class returns the class of the value's registers.
func (v *value) class() string {
	switch {
	case v.float:
		return "f"
	case v.wide:
		return "d"
	}
	return "r"
}

// typ returns the type of signed arithmetic with the value.
func (v *value) typ() string {
	switch {
	case v.float:
		return "f64"
	case v.wide:
		return "s64"
	}
	return "s32"
}

// constant returns an integer in the width of the value's arithmetic. Intermediate results of
// 32-bit sums may need more bits; they wrap around.
func (v *value) constant(c int64) int64 {
	if v.wide {
		return c
	}
	return int64(int32(c))
}

// value returns an integer or a double, which is computed once.
func (k *expressions) value(e *pipeline.Expr) (value, error) {
	if v, ok := k.values[e]; ok {
		return v, nil
	}
	v, err := k.compute(e)
	if err != nil {
		return v, err
	}
	v = k.resized(v, e.Wide())
	k.values[e] = v
	return v, nil
}

// compute emits the operation of e.
func (k *expressions) compute(e *pipeline.Expr) (value, error) {
	if e.Kind == pipeline.Int128 || len(e.Args) > 0 && e.Args[0].Kind == pipeline.Int128 {
		return k.longs().compute128(e)
	}
	switch e.Op {
	case pipeline.OpConst:
		return k.constantOf(e), nil
	case pipeline.OpNull:
		return k.null(e), nil
	case pipeline.OpLoad:
		return k.load(e)
	case pipeline.OpLookup:
		return k.lookup(e)
	case pipeline.OpRow:
		return k.rowNumber(e), nil
	case pipeline.OpSlot:
		return k.slot(e)
	case pipeline.OpFind:
		return k.find(e)
	case pipeline.OpBelow:
		return k.below(e)
	case pipeline.OpIf:
		return k.choose(e)
	case pipeline.OpInt:
		return k.truthNumber(e)
	case pipeline.OpWithin:
		return k.within(e)
	}
	args, ok, err := k.arguments(e)
	if err != nil {
		return value{}, err
	}
	v := value{float: e.Kind == pipeline.Float, wide: args[0].wide, ok: ok}
	switch e.Op {
	case pipeline.OpAdd, pipeline.OpSub, pipeline.OpMul, pipeline.OpLess, pipeline.OpGreater:
		k.binary(&v, e.Op, args)
	case pipeline.OpNeg, pipeline.OpAbs:
		k.unary(&v, e.Op, args[0])
	case pipeline.OpQuo, pipeline.OpRem, pipeline.OpQuoRound:
		k.noteZeros(&v, e, args[1])
		k.quotient(&v, e, args)
	case pipeline.OpFloat:
		v.reg = k.regs("f")
		for i, r := range v.reg {
			k.op("cvt.rn.f64.%s %s, %s", args[0].typ(), r, args[0].reg[i])
		}
	case pipeline.OpSqrt:
		v.reg = k.regs("f")
		for i, r := range v.reg {
			k.op("sqrt.rn.f64 %s, %s", r, args[0].reg[i])
		}
	case pipeline.OpOrdered:
		v = value{wide: true, reg: k.ordered(k.positiveZero(args[0])), ok: ok}
	case pipeline.OpFromOrdered:
		v.reg = k.regs("f")
		for i, r := range k.reordered(k.words(args[0])) {
			k.op("mov.b64 %s, %s", v.reg[i], r)
		}
	default:
		return v, fmt.Errorf("operation %d in a kernel", e.Op)
	}
	if v.float && e.Fails {
		k.faults[e] = k.infinite(v)
	}
	return v, nil
}

// arguments returns the arguments in one width, which also suffices for the result, and which rows
// have no NULL among them.
func (k *expressions) arguments(e *pipeline.Expr) (args []value, ok []string, err error) {
	wide := e.Kind == pipeline.Int && e.Wide()
	for _, a := range e.Args {
		v, err := k.value(a)
		if err != nil {
			return nil, nil, err
		}
		wide = wide || v.wide
		args = append(args, v)
		if v.ok != nil {
			if ok == nil {
				ok = v.ok
			} else {
				ok = k.both(ok, v.ok)
			}
		}
	}
	for i := range args {
		args[i] = k.resized(args[i], wide)
	}
	return args, ok, nil
}

// resized returns integers in registers of another width.
func (k *writer) resized(v value, wide bool) value {
	if v.float || v.high != nil || v.wide == wide {
		return v
	}
	out := value{wide: wide, reg: make([]string, k.rows), ok: v.ok}
	for i, r := range v.reg {
		if r[0] != '%' {
			out.reg[i] = r
			continue
		}
		out.reg[i] = k.reg(out.class())
		if wide {
			k.op("cvt.s64.s32 %s, %s", out.reg[i], r)
		} else {
			k.op("cvt.u32.u64 %s, %s", out.reg[i], r)
		}
	}
	return out
}

// same returns the register or constant for all rows.
func (k *writer) same(r string) []string {
	out := make([]string, k.rows)
	for i := range out {
		out[i] = r
	}
	return out
}

func (k *expressions) constantOf(e *pipeline.Expr) value {
	if e.Kind == pipeline.Float {
		return value{float: true, reg: k.same(fmt.Sprintf("0d%016X", math.Float64bits(e.Real)))}
	}
	return value{wide: e.Wide(), reg: k.same(fmt.Sprint(e.Value))}
}

// null returns NULLs.
func (k *expressions) null(e *pipeline.Expr) value {
	p := k.reg("p")
	k.op("mov.pred %s, 0", p)
	if e.Kind == pipeline.Float {
		return value{float: true, reg: k.same("0d0000000000000000"), ok: k.same(p)}
	}
	return value{reg: k.same("0"), ok: k.same(p)}
}

// rowNumber returns row numbers, which are unsigned.
func (k *expressions) rowNumber(e *pipeline.Expr) value {
	v := value{reg: k.row}
	if e.At != pipeline.None {
		v.reg = k.stages[e.At].row
		if e.Nullable {
			v.ok = k.stages[e.At].found
		}
	}
	if !e.Wide() {
		return v
	}
	out := value{wide: true, reg: k.regs("d"), ok: v.ok}
	for i, r := range out.reg {
		k.op("cvt.u64.u32 %s, %s", r, v.reg[i])
	}
	return out
}

// binary emits an operation of two arguments. Doubles are rounded after each operation, not fused.
func (k *expressions) binary(v *value, op pipeline.Op, args []value) {
	name := map[pipeline.Op]string{pipeline.OpAdd: "add", pipeline.OpSub: "sub", pipeline.OpMul: "mul", pipeline.OpLess: "min", pipeline.OpGreater: "max"}[op]
	switch {
	case op == pipeline.OpLess || op == pipeline.OpGreater:
	case v.float:
		name += ".rn"
	case op == pipeline.OpMul:
		name += ".lo"
	}
	v.reg = k.regs(v.class())
	for i, r := range v.reg {
		k.op("%s.%s %s, %s, %s", name, v.typ(), r, args[0].reg[i], args[1].reg[i])
	}
}

// positiveZero returns doubles with 0 instead of -0.
func (k *writer) positiveZero(x value) value {
	out := value{float: true, reg: k.regs("f"), ok: x.ok}
	for i, r := range out.reg {
		k.op("add.rn.f64 %s, %s, 0d0000000000000000", r, x.reg[i])
	}
	return out
}

func (k *expressions) unary(v *value, op pipeline.Op, x value) {
	name := map[pipeline.Op]string{pipeline.OpNeg: "neg", pipeline.OpAbs: "abs"}[op]
	v.reg = k.regs(v.class())
	for i, r := range v.reg {
		k.op("%s.%s %s, %s", name, v.typ(), r, x.reg[i])
	}
}

// quotient emits a division. Divisors of rows that are not alive may be 0; they are replaced by 1.
func (k *expressions) quotient(v *value, e *pipeline.Expr, args []value) {
	op, powers := e.Op, powerOf(e)
	v.reg = k.regs(v.class())
	for i, r := range v.reg {
		x, y := args[0].reg[i], args[1].reg[i]
		switch {
		case v.float:
			k.op("div.rn.f64 %s, %s, %s", r, x, y)
			continue
		case y[0] == '%':
			y = k.nonzero(v, y)
		}
		if op != pipeline.OpQuoRound && k.byPower(v, op, r, x, powers) {
			continue
		}
		switch op {
		case pipeline.OpQuo:
			k.op("div.%s %s, %s, %s", v.typ(), r, x, y)
		case pipeline.OpRem:
			k.op("rem.%s %s, %s, %s", v.typ(), r, x, y)
		default:
			k.rounded(v, r, x, y)
		}
	}
}

// powerOf returns the exponent if an expression divides non-negative numbers by a power of two,
// else -1.
func powerOf(e *pipeline.Expr) int {
	x, y := e.Args[0], e.Args[1]
	if y.Kind != pipeline.Int || !y.IsConst() || y.Value <= 0 || y.Value&(y.Value-1) != 0 || x.Min < 0 {
		return -1
	}
	return bits.TrailingZeros64(uint64(y.Value))
}

// byPower emits the quotient or remainder of a division by a power of two as a shift or a mask. It
// reports whether it did.
func (k *expressions) byPower(v *value, op pipeline.Op, r, x string, power int) bool {
	switch {
	case power < 0:
		return false
	case op == pipeline.OpQuo:
		k.op("shr.%s %s, %s, %d", v.typ(), r, x, power)
	default:
		k.op("and.%s %s, %s, %d", v.bits(), r, x, int64(1)<<power-1)
	}
	return true
}

func (k *expressions) nonzero(v *value, y string) string {
	p, out := k.reg("p"), k.reg(v.class())
	k.op("setp.eq.%s %s, %s, 0", v.typ(), p, y)
	k.op("selp.%s %s, 1, %s, %s", v.bits(), out, y, p)
	return out
}

// bits returns the type of moves of the value.
func (v *value) bits() string {
	switch {
	case v.float:
		return "f64"
	case v.wide:
		return "b64"
	}
	return "b32"
}

// rounded sets r to x/y rounded half away from zero: the quotient changes by one if the remainder
// is at least the distance to the next multiple.
func (k *expressions) rounded(v *value, r, x, y string) {
	class, typ := v.class(), v.typ()
	quo, product, rest, part, whole, missing := k.reg(class), k.reg(class), k.reg(class), k.reg(class), k.reg(class), k.reg(class)
	k.op("div.%s %s, %s, %s", typ, quo, x, y)
	k.op("mul.lo.%s %s, %s, %s", typ, product, quo, y)
	k.op("sub.%s %s, %s, %s", typ, rest, x, product)
	k.op("abs.%s %s, %s", typ, part, rest)
	if y[0] == '%' {
		k.op("abs.%s %s, %s", typ, whole, y)
	} else {
		k.op("mov.%s %s, %s", v.bits(), whole, y)
		k.op("abs.%s %s, %s", typ, whole, whole)
	}
	k.op("sub.%s %s, %s, %s", typ, missing, whole, part)
	sign, step, moved := k.reg(class), k.reg(class), k.reg(class)
	width := 31
	if v.wide {
		width = 63
	}
	k.op("xor.%s %s, %s, %s", v.bits(), sign, x, y)
	k.op("shr.%s %s, %s, %d", typ, step, sign, width) // -1 or 0
	k.op("or.%s %s, %s, 1", v.bits(), step, step)
	k.op("add.%s %s, %s, %s", typ, moved, quo, step)
	p := k.reg("p")
	k.op("setp.ge.%s %s, %s, %s", typ, p, part, missing)
	k.op("selp.%s %s, %s, %s, %s", v.bits(), r, moved, quo, p)
}

// choose writes an OpIf.
func (k *expressions) choose(e *pipeline.Expr) (value, error) {
	cond, err := k.truth(e.Args[0])
	if err != nil {
		return value{}, err
	}
	yes, err := k.value(e.Args[1])
	if err != nil {
		return value{}, err
	}
	no, err := k.value(e.Args[2])
	if err != nil {
		return value{}, err
	}
	wide := yes.wide || no.wide
	yes, no = k.resized(yes, wide), k.resized(no, wide)
	v := value{float: yes.float, wide: yes.wide, reg: k.regs(yes.class())}
	for i, r := range v.reg {
		k.op("selp.%s %s, %s, %s, %s", v.bits(), r, yes.reg[i], no.reg[i], cond[i])
	}
	if yes.high != nil {
		v.high = k.regs("d")
		for i, r := range v.high {
			k.op("selp.b64 %s, %s, %s, %s", r, yes.high[i], no.high[i], cond[i])
		}
	}
	if yes.ok != nil || no.ok != nil {
		v.ok = k.either(k.both(cond, k.known(yes.ok)), k.both(k.inverse(cond), k.known(no.ok)))
	}
	return v, nil
}

// known replaces nil, which means true, by predicates.
func (k *writer) known(ok []string) []string {
	if ok != nil {
		return ok
	}
	return k.constantTruth(true)
}

// truthNumber writes an OpInt.
func (k *expressions) truthNumber(e *pipeline.Expr) (value, error) {
	t, err := k.truth(e.Args[0])
	if err != nil {
		return value{}, err
	}
	v := value{reg: k.regs("r")}
	for i, r := range v.reg {
		k.op("selp.b32 %s, 1, 0, %s", r, t[i])
	}
	if e.Args[0].Nullable {
		f, err := k.falsity(e.Args[0])
		if err != nil {
			return value{}, err
		}
		v.ok = k.either(t, f)
	}
	return v, nil
}
