package ptx

import "math/bits"

// sharedMost is the maximum size of the accumulators that a block keeps in shared memory, in bytes.
const sharedMost = 40 << 10

// sharedCopies is the maximum size of all copies of the accumulators, in bytes. With few groups,
// warps use separate copies, because threads would otherwise wait for each other.
const sharedCopies = 16 << 10

// inShared keeps accumulators in the shared memory of each block: by copy, then by slot.
type inShared struct {
	*group
	copies int
	base   string            // register with the address of the warp's copy
	slots  map[string]string // addresses of slots
}

// slotBytes is the size of a slot's accumulators.
func (g *inShared) slotBytes() int { return 8 * len(g.accs) }

func (g *inShared) copyBytes() int { return g.slotBytes() * int(g.x.Size) }

func (g *inShared) begin() {
	g.copies = 1
	if n := sharedCopies / g.copyBytes(); n > 1 {
		g.copies = min(1<<(bits.Len(uint(n))-1), threads/32)
	}
	g.shared = g.copies * g.copyBytes()
	g.out = &g.before
	g.eachSlot(g.copies*int(g.x.Size), func(at, _ string) {
		for i, a := range g.accs {
			r := g.reg(a.class())
			g.op("mov.%s %s, %s", a.bits(), r, a.neutral())
			g.op("st.shared.%s [%s+%d], %s", a.bits(), at, 8*i, r)
		}
	})
	tid, warp, memory := g.reg("r"), g.reg("r"), g.reg("r")
	g.op("mov.u32 %s, %%tid.x", tid)
	g.op("shr.u32 %s, %s, 5", warp, tid)
	g.op("and.b32 %s, %s, %d", warp, warp, g.copies-1)
	g.op("mov.u32 %s, block_memory", memory)
	g.base = g.reg("r")
	g.op("mad.lo.u32 %s, %s, %d, %s", g.base, warp, g.copyBytes(), memory)
	g.op("bar.sync 0")
	g.out = &g.body
}

func (g *inShared) add(acc, _ int, slot, v, p string) {
	at, ok := g.slots[slot]
	if !ok {
		at = g.reg("r")
		g.op("mad.lo.u32 %s, %s, %d, %s", at, slot, g.slotBytes(), g.base)
		g.slots[slot] = at
	}
	g.op("@%s red.shared.%s [%s+%d], %s", p, g.accs[acc].reduce(), at, 8*acc, v)
}

// finish adds up the copies and adds changed accumulators to global memory.
func (g *inShared) finish() {
	g.op("bar.sync 0")
	g.eachSlot(int(g.x.Size), func(at, slot string) {
		for i, a := range g.accs {
			sum := g.reg(a.class())
			g.op("ld.shared.%s %s, [%s+%d]", a.bits(), sum, at, 8*i)
			for c := 1; c < g.copies; c++ {
				more := g.reg(a.class())
				g.op("ld.shared.%s %s, [%s+%d]", a.bits(), more, at, 8*i+c*g.copyBytes())
				g.op("%s %s, %s, %s", a.combine(), sum, sum, more)
			}
			changed, typ := g.reg("p"), "s64"
			if a.real() {
				typ = "f64"
			}
			g.op("setp.ne.%s %s, %s, %s", typ, changed, sum, a.neutral())
			g.op("@%s red.global.%s [%s], %s", changed, a.reduce(), g.slotAddress(a.Column, slot, 8), sum)
		}
	})
}

// eachSlot emits a loop in which the threads of a block share n slots.
func (g *inShared) eachSlot(n int, body func(at, slot string)) {
	slot, at, done := g.reg("r"), g.reg("r"), g.reg("p")
	loop, end := g.label("SLOT"), g.label("SLOTS")
	g.op("mov.u32 %s, %%tid.x", slot)
	g.mark(loop)
	g.op("setp.ge.u32 %s, %s, %d", done, slot, n)
	g.op("@%s bra %s", done, end)
	memory := g.reg("r")
	g.op("mov.u32 %s, block_memory", memory)
	g.op("mad.lo.u32 %s, %s, %d, %s", at, slot, g.slotBytes(), memory)
	body(at, slot)
	g.op("add.u32 %s, %s, %d", slot, slot, threads)
	g.op("bra %s", loop)
	g.mark(end)
}
