package ptx

import "gsql/gpu/pipeline"

// below searches ascending elements by halving, for all rows of a thread at once. The steps are as many as the
// number of elements has bits. In 10^7 elements the first 20 of 24 read what is in the cache, the others a
// sector each: 10^7 searches take at least 1 ms of an H100's memory.
func (k *expressions) below(e *pipeline.Expr) (value, error) {
	key, err := k.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	count, err := k.value(e.Args[1])
	if err != nil {
		return value{}, err
	}
	keys, counts := k.words(key), k.unsigned(count)
	v := value{reg: k.regs("r"), ok: key.ok}
	left, pending := k.regs("r"), k.regs("p")
	where := k.both(k.alive, k.known(key.ok))
	for i := range left {
		k.op("mov.b32 %s, 0", v.reg[i])
		k.op("selp.b32 %s, %s, 0, %s", left[i], counts[i], where[i])
		k.op("setp.ne.u32 %s, %s, 0", pending[i], left[i])
	}
	loop, done := k.label("HALVE"), k.label("HALVED")
	k.op("@!%s bra %s", k.some(pending), done)
	k.mark(loop)
	compare := map[int64]string{0: "lt", 1: "le"}[e.Value]
	middles, read := k.regs("r"), k.regs("d")
	for i, r := range read {
		k.op("shr.u32 %s, %s, 1", middles[i], left[i])
		at := k.reg("r")
		k.op("add.u32 %s, %s, %s", at, v.reg[i], middles[i])
		k.op("mov.b64 %s, 0", r)
		k.op("@%s ld.global.nc.u64 %s, [%s]", pending[i], r, k.slotAddress(e.Column, at, 8))
	}
	for i, r := range read {
		after, past, rest := k.reg("p"), k.reg("r"), k.reg("r")
		k.op("setp.%s.and.s64 %s, %s, %s, %s", compare, after, r, keys[i], pending[i])
		k.op("add.u32 %s, %s, 1", past, middles[i])
		k.op("sub.u32 %s, %s, %s", rest, left[i], past)
		k.op("selp.b32 %s, %s, %s, %s", left[i], rest, middles[i], after)
		k.op("@%s add.u32 %s, %s, %s", after, v.reg[i], v.reg[i], past)
		k.op("setp.ne.and.u32 %s, %s, 0, %s", pending[i], left[i], pending[i])
	}
	k.op("@%s bra %s", k.some(pending), loop)
	k.mark(done)
	return v, nil
}
