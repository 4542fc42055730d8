package ptx

import "gsql/gpu/pipeline"

// boundThreads is the number of threads of a Bound's only block.
const boundThreads = 1024

// compileBound writes the kernel of a Bound: one block, whose threads keep all words in registers. It
// finds the greatest number that fewer than Need words are less than, bit by bit from the highest on.
// On an H100 a bit takes about 0.3 us: 16 comparisons, votes and sums a thread, and a barrier.
func (k *kernel) compileBound() (Launch, error) {
	k.block, k.rows = boundThreads, pipeline.BoundWords/boundThreads
	b := k.pl.Bound
	k.shared = 4 * 64
	k.op("mov.u32 %%tid_, %%tid.x")
	memory := k.reg("r")
	k.op("mov.u32 %s, block_memory", memory)
	n := k.clearCounts(memory)
	words := k.boundWords(n)
	found := k.searchBits(memory, words)
	k.op("xor.b64 %s, %s, -9223372036854775808", found, found)
	few, leader := k.reg("p"), k.reg("p")
	k.op("setp.lt.u32 %s, %s, %d", few, n, b.Need)
	k.op("@%s mov.b64 %s, 9223372036854775807", few, found)
	k.op("setp.eq.u32 %s, %%tid_, 0", leader)
	k.op("@%s st.global.b64 [%s], %s", leader, k.address(b.To), found)
	k.op("ret")
	l := k.launch(k.declarations(), k.before.String()+k.body.String()+"}\n")
	l.Rows = 1
	return l, nil
}

// clearCounts sets a counter for each bit to 0, and returns the number of words.
func (k *kernel) clearCounts(memory string) (n string) {
	b := k.pl.Bound
	at, clears := k.reg("r"), k.reg("p")
	k.op("mad.lo.u32 %s, %%tid_, 4, %s", at, memory)
	k.op("setp.lt.u32 %s, %%tid_, 64", clears)
	k.op("@%s st.shared.b32 [%s], 0", clears, at)
	n = k.reg("r")
	k.op("ld.global.u32 %s, [%s]", n, k.address(b.Count))
	k.op("min.u32 %s, %s, %d", n, n, min(k.p.Columns[b.Words].Size, pipeline.BoundWords))
	k.op("bar.sync 0")
	return n
}

// boundWords loads the thread's words as unsigned numbers of the same order; what is missing is the
// greatest one.
func (k *kernel) boundWords(n string) []string {
	words := k.regs("d")
	for i, w := range words {
		at, there := k.reg("r"), k.reg("p")
		k.op("add.u32 %s, %%tid_, %d", at, i*boundThreads)
		k.op("setp.lt.u32 %s, %s, %s", there, at, n)
		k.op("mov.b64 %s, 9223372036854775807", w)
		k.op("@%s ld.global.b64 %s, [%s]", there, w, k.slotAddress(k.pl.Bound.Words, at, 8))
		k.op("xor.b64 %s, %s, -9223372036854775808", w, w)
	}
	return words
}

// searchBits returns the number that is searched for.
func (k *kernel) searchBits(memory string, words []string) string {
	found, bit, counter, lane := k.reg("d"), k.reg("d"), k.reg("r"), k.reg("r")
	first, again := k.reg("p"), k.reg("p")
	k.op("mov.b64 %s, 0", found)
	k.op("mov.b64 %s, -9223372036854775808", bit)
	k.op("mov.b32 %s, %s", counter, memory)
	k.op("mov.u32 %s, %%laneid", lane)
	k.op("setp.eq.u32 %s, %s, 0", first, lane)
	loop := k.label("BIT")
	k.mark(loop)
	tried, total := k.reg("d"), k.reg("r")
	k.op("or.b64 %s, %s, %s", tried, found, bit)
	k.op("mov.b32 %s, 0", total)
	for _, w := range words {
		less, votes, n := k.reg("p"), k.reg("r"), k.reg("r")
		k.op("setp.lt.u64 %s, %s, %s", less, w, tried)
		k.op("vote.sync.ballot.b32 %s, %s, -1", votes, less)
		k.op("popc.b32 %s, %s", n, votes)
		k.op("add.u32 %s, %s, %s", total, total, n)
	}
	k.op("@%s red.shared.add.u32 [%s], %s", first, counter, total)
	k.op("bar.sync 0")
	k.op("ld.shared.b32 %s, [%s]", total, counter)
	few := k.reg("p")
	k.op("setp.lt.u32 %s, %s, %d", few, total, k.pl.Bound.Need)
	k.op("@%s mov.b64 %s, %s", few, found, tried)
	k.op("add.u32 %s, %s, 4", counter, counter)
	k.op("shr.u64 %s, %s, 1", bit, bit)
	k.op("setp.ne.u64 %s, %s, 0", again, bit)
	k.op("@%s bra %s", again, loop)
	return found
}
