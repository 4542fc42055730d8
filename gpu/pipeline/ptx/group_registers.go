package ptx

import "slices"

// inRegisters keeps the accumulators of few slots in registers of each thread. At the end, they are
// combined within warps by shuffles and within blocks in shared memory, and one thread adds each
// result to global memory.
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

// chosen returns a predicate for each slot: p is set and the row belongs to the slot.
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

// roundMost is the maximum number of accumulators that all threads put in shared memory at a time.
const roundMost = 16

// finish combines the threads' accumulators of a block, those of one operation at a time.
func (g *inRegisters) finish() {
	operations := map[string][]int{}
	var order []string
	for i := range g.regs {
		op := g.acc(i).combine()
		if operations[op] == nil {
			order = append(order, op)
		}
		operations[op] = append(operations[op], i)
	}
	lane := g.reg("r")
	g.op("mov.u32 %s, %%laneid", lane)
	for _, op := range order {
		for round := range slices.Chunk(operations[op], roundMost) {
			g.shared = max(g.shared, 8*threads*len(round))
			g.combineRound(round, lane)
		}
	}
}

func (g *inRegisters) acc(i int) accumulator { return g.accs[i%len(g.accs)] }

// combineRound lets all threads put their values of some accumulators in shared memory. Each warp
// combines all threads' values of one accumulator at a time, and one thread for each adds the result
// to global memory.
func (g *inRegisters) combineRound(round []int, lane string) {
	a := g.acc(round[0])
	mine := g.memory("%tid_", 8)
	for place, i := range round {
		g.op("st.shared.%s [%s+%d], %s", a.bits(), mine, 8*threads*place, g.regs[i])
	}
	g.op("bar.sync 0")
	row, done := g.reg("r"), g.reg("p")
	loop, end := g.label("COMBINE"), g.label("COMBINED")
	g.op("shr.u32 %s, %%tid_, 5", row)
	g.mark(loop)
	g.op("setp.ge.u32 %s, %s, %d", done, row, len(round))
	g.op("@%s bra %s", done, end)
	g.combineRow(a, row, lane)
	g.op("add.u32 %s, %s, %d", row, row, threads/32)
	g.op("bra %s", loop)
	g.mark(end)
	g.op("bar.sync 0")
	for place, i := range round {
		chosen, sum := g.reg("p"), g.reg(a.class())
		g.op("setp.eq.u32 %s, %%tid_, %d", chosen, place)
		g.zero(a.class(), sum)
		g.op("@%s ld.shared.%s %s, [block_memory+%d]", chosen, a.bits(), sum, 8*threads*place)
		g.op("@%s red.global.%s [%s+%d], %s", chosen, a.reduce(), g.address(g.acc(i).Column), 8*(i/len(g.accs)), sum)
	}
	g.op("bar.sync 0")
}

// combineRow combines the values of all threads in a row of shared memory and puts the result at its
// begin.
func (g *inRegisters) combineRow(a accumulator, row, lane string) {
	begin := g.memory(row, 8*threads)
	at, sum := g.reg("r"), g.reg(a.class())
	g.op("mad.lo.u32 %s, %s, 8, %s", at, lane, begin)
	g.op("ld.shared.%s %s, [%s]", a.bits(), sum, at)
	for t := 32; t < threads; t += 32 {
		more := g.reg(a.class())
		g.op("ld.shared.%s %s, [%s+%d]", a.bits(), more, at, 8*t)
		g.op("%s %s, %s, %s", a.combine(), sum, sum, more)
	}
	g.acrossWarp(a, sum)
	first := g.reg("p")
	g.op("setp.eq.u32 %s, %s, 0", first, lane)
	g.op("@%s st.shared.%s [%s], %s", first, a.bits(), begin, sum)
}

// memory returns a register with the address of the block's memory plus a number of units.
func (g *inRegisters) memory(number string, unit int) string {
	start, at := g.reg("r"), g.reg("r")
	g.op("mov.u32 %s, block_memory", start)
	g.op("mad.lo.u32 %s, %s, %d, %s", at, number, unit, start)
	return at
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
