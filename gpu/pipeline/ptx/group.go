package ptx

import "gsql/gpu/pipeline"

// A Group keeps its accumulators in registers of each thread if there are few, in the shared memory
// of each block if they fit, and otherwise in global memory. Registers and shared memory are added
// to global memory at the end.

// registerAccs is the maximum number of accumulators that a thread keeps in registers.
const registerAccs = 48

// group aggregates rows.
type group struct {
	*kernel
	index int
	x     *pipeline.Index
	accs  []accumulator
	place place
}

// place is where accumulators are while rows are read.
type place interface {
	// begin emits the initial values before the loop over rows.
	begin()
	// add adds value i of an accumulator's argument in a slot, where p is set.
	add(acc, i int, slot, v, p string)
	finish()
}

func (k *kernel) newGroup() *group {
	g := &group{kernel: k, index: k.pl.Sink.Index}
	for _, a := range k.pl.Sink.Accs {
		g.accs = append(g.accs, accumulator(a))
	}
	g.x = &k.p.Indexes[g.index]
	n := int64(len(g.accs))
	switch {
	case !g.x.Hash && g.x.Size*n <= registerAccs:
		g.place = &inRegisters{group: g, groups: map[[2]string][]string{}}
	case !g.x.Hash && g.x.Size*n*8 <= int64(min(k.opt.Shared, sharedMost)):
		g.place = &inShared{group: g, slots: map[string]string{}}
	default:
		g.place = &inGlobal{g}
	}
	g.place.begin()
	return g
}

func (g *group) finish() { g.place.finish() }

func (g *group) add() error {
	key, err := g.needed(g.pl.Sink.Key, g.alive)
	if err != nil {
		return err
	}
	slots, there := g.insert(g.index, key, g.alive)
	for a := range g.accs {
		if err := g.accumulate(a, slots, there); err != nil {
			return err
		}
	}
	return nil
}

// accumulate adds one accumulator's argument for all rows.
func (g *group) accumulate(acc int, slots, where []string) error {
	a := &g.accs[acc]
	if a.Op == pipeline.CountRows {
		for i, p := range where {
			g.place.add(acc, i, slots[i], "1", p)
		}
		return nil
	}
	v, err := g.needed(a.Arg, g.alive)
	if err != nil {
		return err
	}
	if v.ok != nil {
		where = g.both(where, v.ok)
	}
	regs := g.addends(a.Op, v)
	for i, p := range where {
		g.place.add(acc, i, slots[i], regs[i], p)
	}
	return nil
}

// addends returns the values to add, in 64-bit registers.
func (g *group) addends(op pipeline.AccOp, v value) []string {
	if op == pipeline.Count {
		return g.same("1")
	}
	if v.float {
		if op == pipeline.Min || op == pipeline.Max {
			return g.ordered(v)
		}
		return v.reg
	}
	words := g.words(v)
	switch op {
	case pipeline.SumLow, pipeline.SumHigh:
		out := g.regs("d")
		for i, r := range out {
			if op == pipeline.SumLow {
				g.op("and.b64 %s, %s, 4294967295", r, words[i])
			} else {
				g.op("shr.s64 %s, %s, 32", r, words[i])
			}
		}
		return out
	}
	return words
}

// ordered returns doubles as integers of the same order: see pipeline.Ordered.
func (k *writer) ordered(v value) []string {
	bits := k.regs("d")
	for i, r := range bits {
		k.op("mov.b64 %s, %s", r, v.reg[i])
	}
	return k.reordered(bits)
}

// reordered returns pipeline.Ordered of registers of 64 bits.
func (k *writer) reordered(bits []string) []string {
	out := k.regs("d")
	for i, r := range out {
		sign := k.reg("d")
		k.op("shr.s64 %s, %s, 63", sign, bits[i])
		k.op("and.b64 %s, %s, 9223372036854775807", sign, sign)
		k.op("xor.b64 %s, %s, %s", r, bits[i], sign)
	}
	return out
}

// real reports whether an accumulator adds doubles.
func (a accumulator) real() bool {
	return a.Op == pipeline.Sum && a.Arg.Kind == pipeline.Float
}

// accumulator is a pipeline.Acc with the properties that the three forms of storage need.
type accumulator pipeline.Acc

// class returns the class of registers that hold it.
func (a accumulator) class() string {
	if a.real() {
		return "f"
	}
	return "d"
}

// bitwise returns the operation on bits, if it is one.
func (a accumulator) bitwise() string {
	return map[pipeline.AccOp]string{pipeline.BitAnd: "and.b64", pipeline.BitOr: "or.b64", pipeline.BitXor: "xor.b64"}[a.Op]
}

// neutral returns the neutral element of the operation.
func (a accumulator) neutral() string {
	switch {
	case a.real():
		return "0d0000000000000000"
	case a.Op == pipeline.Min:
		return "9223372036854775807"
	case a.Op == pipeline.Max:
		return "-9223372036854775808"
	case a.Op == pipeline.BitAnd:
		return "-1"
	}
	return "0"
}

// bits returns the type of moves of it.
func (a accumulator) bits() string {
	if a.real() {
		return "f64"
	}
	return "b64"
}

// combine returns the operation that combines two values, as arithmetic.
func (a accumulator) combine() string {
	switch {
	case a.real():
		return "add.rn.f64"
	case a.Op == pipeline.Min:
		return "min.s64"
	case a.Op == pipeline.Max:
		return "max.s64"
	case a.bitwise() != "":
		return a.bitwise()
	}
	return "add.s64"
}

// reduce returns the operation that combines a value with one in memory.
func (a accumulator) reduce() string {
	switch {
	case a.real():
		return "add.f64"
	case a.Op == pipeline.Min:
		return "min.s64"
	case a.Op == pipeline.Max:
		return "max.s64"
	case a.bitwise() != "":
		return a.bitwise()
	}
	return "add.u64"
}

// inGlobal adds to global memory at once.
type inGlobal struct{ *group }

func (*inGlobal) begin()  {}
func (*inGlobal) finish() {}

func (g *inGlobal) add(acc, _ int, slot, v, p string) {
	a := g.accs[acc]
	at := g.slotAddress(a.Column, slot, 8)
	g.op("@%s red.global.%s [%s], %s", p, a.reduce(), at, v)
}
