package ptx

import (
	"math/bits"

	"gsql/gpu/pipeline"
)

// words returns keys in registers of 64 bits.
func (k *writer) words(key value) []string {
	key = k.resized(key, true)
	out := make([]string, k.rows)
	for i, r := range key.reg {
		out[i] = r
		if r[0] != '%' {
			out[i] = k.reg("d")
			k.op("mov.b64 %s, %s", out[i], r)
		}
	}
	return out
}

// multiplier is the factor of multiplicative hashing with the golden ratio (Knuth, The Art of
// Computer Programming, volume 3, section 6.4). The highest bits of the product determine the slot.
const multiplier = 0x9E3779B97F4A7C15

// hash returns the slots at which the search for keys begins, in registers that may be changed.
func (k *tile) hash(x *pipeline.Index, key value) []string {
	shift := 64 - bits.TrailingZeros64(uint64(x.Size))
	out := k.regs("r")
	for i, w := range k.words(key) {
		if shift == 64 {
			k.op("mov.b32 %s, 0", out[i])
			continue
		}
		product, high := k.reg("d"), k.reg("d")
		k.op("mul.lo.u64 %s, %s, %d", product, w, uint64(multiplier))
		k.op("shr.u64 %s, %s, %d", high, product, shift)
		k.op("cvt.u32.u64 %s, %s", out[i], high)
	}
	return out
}

// slotAddress returns a register with the address of a slot in a column.
func (k *writer) slotAddress(column int, slot string, width int) string {
	at := k.reg("d")
	k.op("mad.wide.u32 %s, %s, %d, %s", at, slot, width, k.address(column))
	return at
}

// advance moves to the next slot where p is set.
func (k *tile) advance(x *pipeline.Index, slot, p string) {
	k.op("@%s add.u32 %s, %s, 1", p, slot, slot)
	k.op("and.b32 %s, %s, %d", slot, slot, x.Size-1)
}

// probes is the maximum number of slots that an insertion examines. An index with longer runs of
// full slots has too few slots.
const probes = 4096

// insert finds or creates the slots of keys for the rows whose predicate is set, and returns for
// which of them it succeeded: all, unless the index is full.
func (k *tile) insert(index int, key value, where []string) (slots, there []string) {
	x := &k.p.Indexes[index]
	if !x.Hash {
		return k.unsigned(key), where
	}
	keys, slots := k.words(key), k.hash(x, key)
	pending, there := k.regs("p"), k.regs("p")
	tries := k.reg("r")
	k.op("mov.b32 %s, 0", tries)
	for i := range pending {
		k.op("mov.pred %s, %s", pending[i], where[i])
		k.op("mov.pred %s, %s", there[i], where[i])
	}
	loop, done := k.label("INSERT"), k.label("INSERTED")
	k.mark(loop)
	for i, slot := range slots {
		k.claim(x, slot, keys[i], pending[i])
	}
	k.op("add.u32 %s, %s, 1", tries, tries)
	more, again := k.some(pending), k.reg("p")
	k.op("@!%s bra %s", more, done)
	k.op("setp.lt.u32 %s, %s, %d", again, tries, min(x.Size, probes))
	k.op("@%s bra %s", again, loop)
	k.op("red.global.or.b32 [%s], %d", k.address(k.status), uint32(1)<<min(index, 31))
	for i := range pending {
		left := k.reg("p")
		k.op("not.pred %s, %s", left, pending[i])
		k.op("and.pred %s, %s, %s", there[i], there[i], left)
	}
	k.mark(done)
	return slots, there
}

// claim examines one slot. It claims an empty slot. If the slot has the key, the row is no longer
// pending. A plain load finds keys that exist already, which is the most common case, because a key
// never changes.
func (k *tile) claim(x *pipeline.Index, slot, key, pending string) {
	at, old, empty, other := k.slotAddress(x.Keys, slot, 8), k.reg("d"), k.reg("p"), k.reg("p")
	k.op("mov.b64 %s, %s", old, key)
	k.op("@%s ld.volatile.global.b64 %s, [%s]", pending, old, at)
	k.op("setp.eq.s64 %s, %s, -1", empty, old)
	k.op("@%s atom.global.cas.b64 %s, [%s], -1, %s", empty, old, at, key)
	won := k.reg("p")
	k.op("setp.eq.s64 %s, %s, -1", won, old)
	k.op("@%s mov.b64 %s, %s", won, old, key)
	k.op("setp.ne.s64 %s, %s, %s", other, old, key)
	k.op("and.pred %s, %s, %s", pending, pending, other)
	k.advance(x, slot, pending)
}

// slot inserts keys and returns their slots. If the index is full, it returns slots of other keys,
// and the status marks the results as invalid.
func (k *expressions) slot(e *pipeline.Expr) (value, error) {
	key, err := k.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	slots, _ := k.insert(e.At, key, k.alive)
	return value{reg: slots}, nil
}

// find looks keys up in a hash index of groups.
func (k *expressions) find(e *pipeline.Expr) (value, error) {
	key, err := k.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	x := &k.p.Indexes[e.At]
	keys, v := k.words(key), value{reg: k.hash(x, key), ok: k.regs("p")}
	pending, tries, loop := k.regs("p"), k.reg("r"), k.label("NUMBER")
	where := k.both(k.alive, k.known(key.ok))
	for i := range pending {
		k.op("mov.pred %s, %s", pending[i], where[i])
		k.op("mov.pred %s, 0", v.ok[i])
	}
	k.op("mov.b32 %s, 0", tries)
	k.mark(loop)
	there := k.regs("d")
	for i, r := range there {
		k.op("mov.b64 %s, -1", r)
		k.op("@%s ld.global.nc.u64 %s, [%s]", pending[i], r, k.slotAddress(x.Keys, v.reg[i], 8))
	}
	for i, r := range there {
		hit, other := k.reg("p"), k.reg("p")
		k.op("setp.eq.and.b64 %s, %s, %s, %s", hit, r, keys[i], pending[i])
		k.op("or.pred %s, %s, %s", v.ok[i], v.ok[i], hit)
		k.op("setp.ne.b64 %s, %s, %s", other, r, keys[i])
		k.op("and.pred %s, %s, %s", pending[i], pending[i], other)
		k.op("setp.ne.and.b64 %s, %s, -1, %s", pending[i], r, pending[i])
		k.advance(x, v.reg[i], pending[i])
	}
	more := k.reg("p")
	k.op("add.u32 %s, %s, 1", tries, tries)
	k.op("setp.lt.u32 %s, %s, %d", more, tries, min(x.Size, probes))
	k.op("and.pred %s, %s, %s", more, more, k.some(pending))
	k.op("@%s bra %s", more, loop)
	return v, nil
}
