package ptx

import (
	"fmt"

	"gsql/gpu/pipeline"
)

// sink emits the processing of the rows that are alive after all stages.
type sink interface {
	// add emits code in the loop over rows.
	add() error
	// finish emits code after the loop, which all threads of a block execute.
	finish()
}

func (k *kernel) newSink() (sink, error) {
	switch k.pl.Sink.Op {
	case pipeline.Build:
		return &build{k}, nil
	case pipeline.Group:
		return k.newGroup(), nil
	case pipeline.Write:
		return &write{k}, nil
	case pipeline.Put:
		return &put{k}, nil
	}
	return nil, fmt.Errorf("sink %d in a kernel", k.pl.Sink.Op)
}

// build inserts rows into an index.
type build struct{ *kernel }

func (b *build) finish() {}

func (b *build) add() error {
	s := &b.pl.Sink
	key, err := b.needed(s.Key, b.alive)
	if err != nil {
		return err
	}
	if key.ok != nil {
		b.narrow(key.ok)
	}
	x := &b.p.Indexes[s.Index]
	what := b.row
	if s.Value != nil {
		v, err := b.needed(s.Value, b.alive)
		if err != nil {
			return err
		}
		what = b.registers(b.unsigned(v))
	}
	switch {
	case x.Slots != pipeline.None:
		b.insertSlots(s.Index, key, what, b.alive)
	case x.Bits != pipeline.None:
		b.addMembers(x, b.unsigned(key), b.alive)
	default:
		b.addRows(x, b.unsigned(key), what, b.alive)
	}
	return b.store(s.Stores, b.row, b.alive)
}

// addMembers adds slots to a set.
func (b *build) addMembers(x *pipeline.Index, slots, where []string) {
	for i, slot := range slots {
		word, shift, bit := b.reg("r"), b.reg("r"), b.reg("r")
		b.op("shr.u32 %s, %s, 5", word, slot)
		at := b.slotAddress(x.Bits, word, 4)
		b.op("and.b32 %s, %s, 31", shift, slot)
		b.op("mov.b32 %s, 1", bit)
		b.op("shl.b32 %s, %s, %s", bit, bit, shift)
		if !x.Unique {
			b.op("@%s red.global.or.b32 [%s], %s", where[i], at, bit)
			continue
		}
		old, twice := b.reg("r"), b.reg("p")
		b.op("mov.b32 %s, 0", old)
		b.op("@%s atom.global.or.b32 %s, [%s], %s", where[i], old, at, bit)
		b.op("and.b32 %s, %s, %s", old, old, bit)
		b.op("setp.ne.u32 %s, %s, 0", twice, old)
		b.repeated(twice)
	}
}

// addRows makes rows, or the index's values instead of them, the first ones of their slots, before
// the existing ones.
func (b *build) addRows(x *pipeline.Index, slots, what, where []string) {
	for i, slot := range slots {
		head := b.slotAddress(x.Heads, slot, 4)
		if x.Next == pipeline.None && !x.Unique {
			b.op("@%s st.global.u32 [%s], %s", where[i], head, what[i])
			continue
		}
		old := b.reg("r")
		b.op("mov.b32 %s, -1", old)
		b.op("@%s atom.global.exch.b32 %s, [%s], %s", where[i], old, head, what[i])
		if x.Next != pipeline.None {
			b.op("@%s st.global.u32 [%s], %s", where[i], b.slotAddress(x.Next, b.row[i], 4), old)
			continue
		}
		twice := b.reg("p")
		b.op("setp.ne.u32 %s, %s, -1", twice, old)
		b.repeated(twice)
	}
}

// repeated records, where p is set, that a key was inserted twice into an index of unique keys.
func (k *tile) repeated(p string) {
	k.op("@%s st.global.u32 [%s+4], %s", p, k.address(k.status), k.registers([]string{"1"})[0])
}

// store writes expressions to columns at row numbers, for the rows where the predicate is set.
func (k *kernel) store(stores []pipeline.Store, rows, where []string) error {
	for _, st := range stores {
		v, err := k.needed(st.Expr, where)
		if err != nil {
			return err
		}
		if err := k.storeColumn(st.Column, v, rows, where); err != nil {
			return err
		}
	}
	return nil
}

func (k *kernel) storeColumn(column int, v value, rows, where []string) error {
	c := &k.p.Columns[column]
	typ := fmt.Sprintf("b%d", 8*c.Width)
	if v.float {
		typ = "f64"
	}
	v = k.resized(v, c.Width == 8)
	for i, r := range v.reg {
		switch {
		case v.ok != nil:
			r = k.orZero(&v, i)
		case r[0] != '%':
			r = k.constantRegister(&v, r)
		}
		k.op("@%s st.global.%s [%s], %s", where[i], typ, k.slotAddress(column, rows[i], c.Width), r)
	}
	return nil
}

// constantRegister returns a register with a constant.
func (k *writer) constantRegister(v *value, constant string) string {
	r := k.reg(v.class())
	k.op("mov.%s %s, %s", v.bits(), r, constant)
	return r
}

// orZero returns value i, or 0 if it is NULL.
func (k *writer) orZero(v *value, i int) string {
	out, zero := k.reg(v.class()), "0"
	if v.float {
		zero = "0d0000000000000000"
	}
	k.op("selp.%s %s, %s, %s, %s", v.bits(), out, v.reg[i], zero, v.ok[i])
	return out
}

// put stores rows at their places.
type put struct{ *kernel }

func (p *put) finish() {}

func (p *put) add() error {
	places := p.row
	if key := p.pl.Sink.Key; key != nil {
		v, err := p.needed(key, p.alive)
		if err != nil {
			return err
		}
		places = p.registers(p.unsigned(v))
	}
	return p.store(p.pl.Sink.Stores, places, p.alive)
}

// write appends rows to columns. The active threads of a warp reserve space for all their rows with
// one operation.
type write struct{ *kernel }

func (w *write) finish() {}

func (w *write) add() error {
	mask, below := w.reg("r"), w.reg("r")
	w.op("activemask.b32 %s", mask)
	w.op("mov.u32 %s, %%lanemask_lt", below)
	places, total := w.regs("r"), ""
	for i, alive := range w.alive {
		ballot, lower := w.reg("r"), w.reg("r")
		w.op("vote.sync.ballot.b32 %s, %s, %s", ballot, alive, mask)
		w.op("and.b32 %s, %s, %s", lower, ballot, below)
		w.op("popc.b32 %s, %s", places[i], lower)
		n := w.reg("r")
		w.op("popc.b32 %s, %s", n, ballot)
		if total != "" {
			w.op("add.u32 %s, %s, %s", places[i], places[i], total)
			sum := w.reg("r")
			w.op("add.u32 %s, %s, %s", sum, total, n)
			n = sum
		}
		total = n
	}
	base := w.reserve(mask, below, total)
	where := w.regs("p")
	size := w.capacity()
	for i, p := range where {
		w.op("add.u32 %s, %s, %s", places[i], places[i], base)
		w.op("setp.lt.u32 %s, %s, %d", p, places[i], size)
		w.op("and.pred %s, %s, %s", p, p, w.alive[i])
	}
	return w.store(w.pl.Sink.Stores, places, where)
}

// reserve adds total to the number of rows and returns its previous value to all threads of mask.
func (w *write) reserve(mask, below, total string) string {
	others, first, base, leader, highest := w.reg("r"), w.reg("p"), w.reg("r"), w.reg("r"), w.reg("r")
	w.op("and.b32 %s, %s, %s", others, mask, below)
	w.op("setp.eq.u32 %s, %s, 0", first, others)
	w.op("mov.b32 %s, 0", base)
	w.op("@%s atom.global.add.u32 %s, [%s], %s", first, base, w.address(w.pl.Sink.Count), total)
	w.op("brev.b32 %s, %s", highest, mask)
	w.op("clz.b32 %s, %s", leader, highest)
	out := w.reg("r")
	w.op("shfl.sync.idx.b32 %s, %s, %s, 31, %s", out, base, leader, mask)
	return out
}

// capacity returns the number of rows for which there is space.
func (w *write) capacity() int64 {
	least := int64(1) << 32
	for _, st := range w.pl.Sink.Stores {
		least = min(least, w.p.Columns[st.Column].Size)
	}
	return min(least, 1<<32-1)
}
