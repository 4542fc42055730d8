package ptx

import (
	"maps"

	"gsql/gpu/pipeline"
)

// probe emits the probe of stage i and all later stages.
func (k *kernel) probe(i int, st *pipeline.Stage, s sink) error {
	x := &k.p.Indexes[st.Index]
	key, err := k.needed(st.Key, k.alive)
	if err != nil {
		return err
	}
	where := k.alive
	if key.ok != nil {
		where = k.both(where, key.ok)
	}
	k.stages = append(k.stages, k.lookUp(x, key, where))
	many := x.Next != pipeline.None
	switch {
	case many && (st.Join == pipeline.Inner || st.Join == pipeline.Left):
		return k.expand(i, st, s)
	case many && st.Where != nil:
		err = k.search(i, st)
	case st.Where != nil:
		err = k.restrict(i, st)
	}
	if err != nil {
		return err
	}
	k.markRows(st, k.stages[i])
	switch st.Join {
	case pipeline.Inner, pipeline.Semi:
		k.narrow(k.stages[i].found)
	case pipeline.Anti:
		k.narrow(k.inverse(k.stages[i].found))
	}
	return k.stage(i+1, s)
}

// lookUp looks keys up in an index, for the rows where the predicate is set, and returns the first row
// of each, if the index has rows.
func (k *tile) lookUp(x *pipeline.Index, key value, where []string) match {
	switch {
	case x.Slots != pipeline.None:
		return k.findSlots(x, key, where)
	case x.Bits != pipeline.None:
		return match{found: k.contains(x, k.unsigned(key), where)}
	}
	return k.heads(x, k.unsigned(key), where)
}

// contains returns which slots are members of a set.
func (k *tile) contains(x *pipeline.Index, slots, where []string) []string {
	out := k.regs("p")
	for i, p := range out {
		word, bits, shifted, bit, set := k.reg("r"), k.reg("r"), k.reg("r"), k.reg("r"), k.reg("p")
		k.op("shr.u32 %s, %s, 5", word, slots[i])
		at := k.slotAddress(x.Bits, word, 4)
		k.zero("r", bits)
		k.op("@%s ld.global.nc.u32 %s, [%s]", where[i], bits, at)
		shift := k.reg("r")
		k.op("and.b32 %s, %s, 31", shift, slots[i])
		k.op("shr.u32 %s, %s, %s", shifted, bits, shift)
		k.op("and.b32 %s, %s, 1", bit, shifted)
		k.op("setp.ne.u32 %s, %s, 0", set, bit)
		k.op("and.pred %s, %s, %s", p, set, where[i])
	}
	return out
}

// heads returns the first row of each slot.
func (k *tile) heads(x *pipeline.Index, slots, where []string) match {
	m := match{row: k.regs("r"), found: k.regs("p")}
	for i, r := range m.row {
		at := k.slotAddress(x.Heads, slots[i], 4)
		k.op("mov.b32 %s, -1", r)
		k.op("@%s ld.global.nc.u32 %s, [%s]", where[i], r, at)
	}
	k.present(m)
	return m
}

// present sets the predicates found where there is a row.
func (k *tile) present(m match) {
	for i, p := range m.found {
		k.op("setp.ne.u32 %s, %s, -1", p, m.row[i])
	}
}

// following moves to the next row of the same key where p is set.
func (k *tile) following(x *pipeline.Index, m match, p []string) {
	for i, r := range m.row {
		k.op("@%s ld.global.nc.u32 %s, [%s]", p[i], r, k.slotAddress(x.Next, r, 4))
	}
}

// restrict drops the matches of unique keys for which the stage's condition is not true.
func (k *kernel) restrict(i int, st *pipeline.Stage) error {
	t, err := k.neededTruth(st.Where, k.stages[i].found)
	if err != nil {
		return err
	}
	k.stages[i].found = k.both(k.stages[i].found, t)
	if st.Join == pipeline.Left {
		k.forget(i)
	}
	return nil
}

// forget drops the computed expressions at the row of a stage. Those that its condition has read
// are not NULL where the condition rejects the row.
func (k *expressions) forget(stage int) {
	depends := func(e *pipeline.Expr) (yes bool) {
		e.Walk(func(e *pipeline.Expr) {
			switch e.Op {
			case pipeline.OpLoad, pipeline.OpRow, pipeline.OpMatched:
				yes = yes || e.At == stage
			}
		})
		return yes
	}
	maps.DeleteFunc(k.values, func(e *pipeline.Expr, _ value) bool { return depends(e) })
	maps.DeleteFunc(k.truths, func(e *pipeline.Expr, _ []string) bool { return depends(e) })
	maps.DeleteFunc(k.falses, func(e *pipeline.Expr, _ []string) bool { return depends(e) })
	maps.DeleteFunc(k.checked, func(e *pipeline.Expr, _ bool) bool { return depends(e) })
}

// markRows sets the marks of the rows found.
func (k *tile) markRows(st *pipeline.Stage, m match) {
	if len(st.Marks) == 0 {
		return
	}
	one := k.registers([]string{"1"})[0]
	for _, c := range st.Marks {
		for i, row := range m.row {
			k.op("@%s st.global.b8 [%s], %s", m.found[i], k.slotAddress(c, row, 1), one)
		}
	}
}

// search moves to the first match for which the stage's condition is true.
func (k *kernel) search(i int, st *pipeline.Stage) error {
	x, m := &k.p.Indexes[st.Index], k.stages[i]
	loop := k.label("SEARCH")
	k.mark(loop)
	k.present(m)
	t, err := k.neededTruth(st.Where, m.found)
	if err != nil {
		return err
	}
	missed := k.both(m.found, k.inverse(t))
	k.following(x, m, missed)
	k.op("@%s bra %s", k.some(missed), loop)
	return nil
}

// expand emits a loop that passes one match of each row to the later stages per iteration. A row of
// a left join without a match passes once, without one.
func (k *kernel) expand(i int, st *pipeline.Stage, s sink) error {
	x, m := &k.p.Indexes[st.Index], k.stages[i]
	outer, lonely := k.next, []string(nil)
	before := k.alive
	if st.Join == pipeline.Left {
		lonely = k.regs("p")
		for r, p := range lonely {
			k.op("mov.pred %s, %s", p, k.alive[r])
		}
	}
	loop, again := k.label("MATCH"), k.label("AGAIN")
	k.mark(loop)
	if st.Where == nil {
		k.present(m)
	} else if err := k.search(i, st); err != nil {
		return err
	}
	k.markRows(st, m)
	k.alive = m.found
	if lonely != nil {
		k.alive = k.either(m.found, lonely)
		for _, p := range lonely {
			k.op("mov.pred %s, 0", p)
		}
	}
	k.leave()
	k.next = again
	if err := k.stage(i+1, s); err != nil {
		return err
	}
	k.mark(again)
	k.following(x, m, m.found)
	k.op("bra %s", loop)
	k.next, k.alive = outer, before
	return nil
}
