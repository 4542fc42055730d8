package ptx

// inRegisters keeps accumulators of few slots in registers of each thread. At the end warps combine
// theirs by shuffles, blocks in shared memory, and one thread adds each to global memory.
type inRegisters struct {
	*group
	regs   []string               // by slot, then by accumulator
	groups map[[2]string][]string // predicates by slot, for a row's slot and its own predicate
}

func (g *inRegisters) register(slot, acc int) string { return g.regs[slot*len(g.accs)+acc] }

func (g *inRegisters) begin() {
	g.out = &g.before
	for range g.x.Size {
		for _, a := range g.accs {
			r := g.reg(a.class())
			g.op("mov.%s %s, %s", a.bits(), r, a.neutral())
			g.regs = append(g.regs, r)
		}
	}
	g.out = &g.body
}

func (g *inRegisters) add(acc, _ int, slot, v, p string) {
	combine := g.accs[acc].combine()
	for s, q := range g.chosen(slot, p) {
		r := g.register(s, acc)
		g.op("@%s %s %s, %s, %s", q, combine, r, r, v)
	}
}

// chosen returns, for each slot, the predicate that p is set and the row's slot is that one.
func (g *inRegisters) chosen(slot, p string) []string {
	if g.x.Size == 1 {
		return []string{p}
	}
	key := [2]string{slot, p}
	if q, ok := g.groups[key]; ok {
		return q
	}
	q := make([]string, g.x.Size)
	for s := range q {
		q[s] = g.reg("p")
		g.op("setp.eq.and.u32 %s, %s, %d, %s", q[s], slot, s, p)
	}
	g.groups[key] = q
	return q
}

func (g *inRegisters) finish() {
	g.shared = 8 * len(g.regs)
	leader, lane := g.reg("p"), g.reg("r")
	g.op("mov.u32 %s, %%laneid", lane)
	g.op("setp.eq.u32 %s, %s, 0", leader, lane)
	g.eachShared(func(i int, a accumulator, mine string) {
		g.op("@%s st.shared.%s [block_memory+%d], %s", mine, a.bits(), 8*i, g.move(a, a.neutral()))
	})
	g.op("bar.sync 0")
	for i, r := range g.regs {
		a := g.accs[i%len(g.accs)]
		g.acrossWarp(a, r)
		g.op("@%s red.shared.%s [block_memory+%d], %s", leader, a.reduce(), 8*i, r)
	}
	g.op("bar.sync 0")
	g.eachShared(func(i int, a accumulator, mine string) {
		v := g.reg(a.class())
		g.zero(a.class(), v)
		g.op("@%s ld.shared.%s %s, [block_memory+%d]", mine, a.bits(), v, 8*i)
		g.op("@%s red.global.%s [%s+%d], %s", mine, a.reduce(), g.address(a.Column), 8*(i/len(g.accs)), v)
	})
}

// eachShared calls f for each accumulator with the predicate of the thread that takes care of it.
func (g *inRegisters) eachShared(f func(i int, a accumulator, mine string)) {
	for i := range g.regs {
		mine := g.reg("p")
		g.op("setp.eq.u32 %s, %%tid_, %d", mine, i)
		f(i, g.accs[i%len(g.accs)], mine)
	}
}

// move returns a register with a constant.
func (g *inRegisters) move(a accumulator, constant string) string {
	r := g.reg(a.class())
	g.op("mov.%s %s, %s", a.bits(), r, constant)
	return r
}

// acrossWarp combines a register of all threads of a warp, in all of them.
func (g *inRegisters) acrossWarp(a accumulator, r string) {
	for lanes := 16; lanes > 0; lanes /= 2 {
		lo, hi, otherLo, otherHi, other := g.reg("r"), g.reg("r"), g.reg("r"), g.reg("r"), g.reg(a.class())
		g.op("mov.b64 {%s, %s}, %s", lo, hi, r)
		g.op("shfl.sync.bfly.b32 %s, %s, %d, 31, -1", otherLo, lo, lanes)
		g.op("shfl.sync.bfly.b32 %s, %s, %d, 31, -1", otherHi, hi, lanes)
		g.op("mov.b64 %s, {%s, %s}", other, otherLo, otherHi)
		g.op("%s %s, %s, %s", a.combine(), r, r, other)
	}
}
