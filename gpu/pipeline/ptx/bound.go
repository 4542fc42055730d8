package ptx

// compileBound emits the kernel of a Bound: one block, in which each thread adds up neighbouring
// bins. The first thread then finds the thread whose part contains the bound, and the bin in that
// part.
func (k *kernel) compileBound() (Launch, error) {
	b := k.pl.Bound
	part := (b.Bins + threads - 1) / threads
	k.shared = 8 * threads
	k.op("mov.u32 %%tid_, %%tid.x")
	sum, first := k.reg("d"), k.reg("r")
	k.op("mov.b64 %s, 0", sum)
	k.op("mul.lo.u32 %s, %%tid_, %d", first, part)
	k.eachBin(first, part, func(count, _ string) { k.op("add.u64 %s, %s, %s", sum, sum, count) })
	memory, at, leader := k.reg("r"), k.reg("r"), k.reg("p")
	k.op("mov.u32 %s, block_memory", memory)
	k.op("mad.lo.u32 %s, %%tid_, 8, %s", at, memory)
	k.op("st.shared.b64 [%s], %s", at, sum)
	k.op("bar.sync 0")
	k.op("setp.ne.u32 %s, %%tid_, 0", leader)
	k.op("@%s bra END", leader)
	k.findBound(memory, part)
	k.mark("END")
	k.op("ret")
	return k.launch(k.declarations(), k.before.String()+k.body.String()+"}\n"), nil
}

// eachBin emits a loop over n bins from first on, or fewer at the end.
func (k *kernel) eachBin(first string, n int64, body func(count, bin string)) {
	bin, end, done, count := k.reg("r"), k.reg("r"), k.reg("p"), k.reg("d")
	loop, out := k.label("BIN"), k.label("BINS")
	k.op("mov.u32 %s, %s", bin, first)
	k.op("add.u32 %s, %s, %d", end, first, n)
	k.op("min.u32 %s, %s, %d", end, end, k.pl.Bound.Bins)
	k.mark(loop)
	k.op("setp.ge.u32 %s, %s, %s", done, bin, end)
	k.op("@%s bra %s", done, out)
	k.op("ld.global.u64 %s, [%s]", count, k.slotAddress(k.pl.Bound.Counts, bin, 8))
	body(count, bin)
	k.op("add.u32 %s, %s, 1", bin, bin)
	k.op("bra %s", loop)
	k.mark(out)
}

// findBound goes through the threads' sums in shared memory, then through the bins of the part that
// reaches the number of rows.
func (k *kernel) findBound(memory string, part int64) {
	b := k.pl.Bound
	seen, next, sum, found := k.reg("d"), k.reg("d"), k.reg("d"), k.reg("p")
	at, n, done := k.reg("r"), k.reg("r"), k.reg("p")
	loop, here, none, store := k.label("PART"), k.label("HERE"), k.label("NONE"), k.label("STORE")
	bound := k.reg("d")
	k.op("mov.b64 %s, 0", seen)
	k.op("mov.b32 %s, %s", at, memory)
	k.op("mov.b32 %s, 0", n)
	k.mark(loop)
	k.op("ld.shared.b64 %s, [%s]", sum, at)
	k.op("add.u64 %s, %s, %s", next, seen, sum)
	k.op("setp.ge.s64 %s, %s, %d", found, next, b.Need)
	k.op("@%s bra %s", found, here)
	k.op("mov.b64 %s, %s", seen, next)
	k.op("add.u32 %s, %s, 8", at, at)
	k.op("add.u32 %s, %s, 1", n, n)
	k.op("setp.lt.u32 %s, %s, %d", done, n, threads)
	k.op("@%s bra %s", done, loop)
	k.op("bra %s", none)
	k.mark(here)
	k.op("mul.lo.u32 %s, %s, %d", n, n, part)
	k.eachBin(n, part, func(count, bin string) {
		reached := k.reg("p")
		k.op("add.u64 %s, %s, %s", seen, seen, count)
		k.op("mul.wide.u32 %s, %s, %d", bound, bin, 1)
		k.op("mad.lo.s64 %s, %s, %d, %d", bound, bound, b.Span, b.Least+b.Span-1)
		k.op("setp.ge.s64 %s, %s, %d", reached, seen, b.Need)
		k.op("@%s bra %s", reached, store)
	})
	k.mark(none)
	k.op("mov.b64 %s, 9223372036854775807", bound)
	k.mark(store)
	k.op("st.global.b64 [%s], %s", k.address(b.To), bound)
}
