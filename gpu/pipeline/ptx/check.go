package ptx

import "gsql/gpu/pipeline"

// Operations that may fail are computed for all rows of a thread, like all operations. They count only
// for rows that need them: those that are alive and, in OpIf, OpAnd and OpOr, those that evaluation
// from left to right reaches.

// needed returns a value that the rows need where the predicate is set.
func (k *expressions) needed(e *pipeline.Expr, where []string) (value, error) {
	v, err := k.value(e)
	if err == nil {
		err = k.check(e, where, true)
	}
	return v, err
}

// neededTruth is needed for a truth value: it returns where it is true.
func (k *expressions) neededTruth(e *pipeline.Expr, where []string) ([]string, error) {
	t, err := k.truth(e)
	if err == nil {
		err = k.check(e, where, true)
	}
	return t, err
}

// check reports the failures of e and of everything that it needs. Later code need not check what all
// rows have needed before.
func (k *expressions) check(e *pipeline.Expr, where []string, all bool) error {
	if !e.Careful || k.checked[e] {
		return nil
	}
	if all {
		k.checked[e] = true
	}
	switch e.Op {
	case pipeline.OpIf:
		return k.checkChoice(e, where, all)
	case pipeline.OpAnd, pipeline.OpOr:
		return k.checkConnective(e, where, all)
	}
	for _, a := range e.Args {
		if err := k.check(a, where, all); err != nil {
			return err
		}
	}
	if e.Kind == pipeline.Bool {
		return nil
	}
	if _, err := k.value(e); err != nil {
		return err
	}
	if p := k.faults[e]; p != nil {
		k.fail(k.both(p, where))
	}
	if p := k.zeros[e]; p != nil && !k.sampled {
		k.countZeros(k.both(p, where))
	}
	return nil
}

func (k *expressions) checkChoice(e *pipeline.Expr, where []string, all bool) error {
	if err := k.check(e.Args[0], where, all); err != nil {
		return err
	}
	if !e.Args[1].Careful && !e.Args[2].Careful {
		return nil
	}
	cond, err := k.truth(e.Args[0])
	if err != nil {
		return err
	}
	if err := k.check(e.Args[1], k.both(where, cond), false); err != nil {
		return err
	}
	return k.check(e.Args[2], k.both(where, k.inverse(cond)), false)
}

func (k *expressions) checkConnective(e *pipeline.Expr, where []string, all bool) error {
	decided := k.falsity
	if e.Op == pipeline.OpOr {
		decided = k.truth
	}
	for i, a := range e.Args {
		if err := k.check(a, where, all && i == 0); err != nil {
			return err
		}
		if i == len(e.Args)-1 {
			break
		}
		d, err := decided(a)
		if err != nil {
			return err
		}
		where = k.both(where, k.inverse(d))
	}
	return nil
}

// fail makes the program fail if a predicate is set.
func (k *tile) fail(where []string) {
	one := k.registers([]string{"1"})[0]
	k.op("@%s st.global.b32 [%s+8], %s", k.some(where), k.address(k.status), one)
}

// countZeros counts divisions by 0.
func (k *tile) countZeros(where []string) {
	for _, p := range where {
		k.op("@%s red.global.add.u32 [%s+12], 1", p, k.address(k.status))
	}
}

// noteZeros makes a quotient NULL where the divisor is 0, if it may be.
func (k *expressions) noteZeros(v *value, e *pipeline.Expr, divisor value) {
	y := e.Args[1]
	switch {
	case !e.Fails, v.float && y.IsConst():
		return
	}
	zero := k.regs("p")
	for i, p := range zero {
		k.op("setp.eq.%s %s, %s, %s", divisor.typ(), p, divisor.reg[i], map[bool]string{true: "0d0000000000000000", false: "0"}[v.float])
	}
	k.nullAt(v, e, zero)
}

// nullAt makes a quotient NULL where the divisor is 0, and notes where that is the reason.
func (k *expressions) nullAt(v *value, e *pipeline.Expr, zero []string) {
	k.zeros[e] = zero
	if v.ok != nil {
		k.zeros[e] = k.both(zero, v.ok)
	}
	there := k.inverse(zero)
	if v.ok != nil {
		there = k.both(v.ok, there)
	}
	v.ok = there
}

// infinite returns where doubles that are not NULL are beyond the greatest finite one.
func (k *writer) infinite(v value) []string {
	out := k.regs("p")
	for i, p := range out {
		size := k.reg("f")
		k.op("abs.f64 %s, %s", size, v.reg[i])
		k.op("setp.gt.f64 %s, %s, 0d7FEFFFFFFFFFFFFF", p, size)
	}
	if v.ok != nil {
		out = k.both(out, v.ok)
	}
	return out
}

// within returns an integer and notes where it is beyond the bounds of the expression.
func (k *expressions) within(e *pipeline.Expr) (value, error) {
	v, err := k.value(e.Args[0])
	if err != nil {
		return v, err
	}
	out := k.regs("p")
	for i, p := range out {
		below := k.reg("p")
		k.op("setp.lt.%s %s, %s, %d", v.typ(), below, v.reg[i], clampTo(v.wide, e.Min))
		k.op("setp.gt.%s %s, %s, %d", v.typ(), p, v.reg[i], clampTo(v.wide, e.Max))
		k.op("or.pred %s, %s, %s", p, p, below)
	}
	if v.ok != nil {
		out = k.both(out, v.ok)
	}
	k.faults[e] = out
	return v, nil
}

// clampTo returns a bound as a number of the width of the values that it bounds.
func clampTo(wide bool, bound int64) int64 {
	if wide {
		return bound
	}
	return min(max(bound, -1<<31), 1<<31-1)
}
