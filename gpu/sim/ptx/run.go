package ptx

import (
	"fmt"
	"math/bits"
)

// Memory is the global memory of a device.
type Memory interface {
	// Find returns the allocation that contains an address, and its start, or nil if there is none.
	Find(p uint64) (memory []byte, begin uint64)
}

// Launch specifies how a kernel runs.
type Launch struct {
	Blocks, Threads int
	Shared          int // bytes of a block's shared memory
	Steps           int // maximum number of instructions of a warp; 0: 1 << 28
}

// Run runs a kernel. Its error names the instruction.
func (m *Module) Run(entry string, how Launch, args []uint64, memory Memory) error {
	k := m.kernels[entry]
	if k == nil {
		return fmt.Errorf("no kernel %s", entry)
	}
	if len(args) != len(k.params) {
		return fmt.Errorf("kernel %s has %d parameters, not %d", entry, len(k.params), len(args))
	}
	if how.Blocks < 1 || how.Threads < 1 || how.Threads > k.threads {
		return fmt.Errorf("kernel %s cannot run in %d blocks of %d threads, but of at most %d", entry, how.Blocks, how.Threads, k.threads)
	}
	if how.Steps == 0 {
		how.Steps = 1 << 28
	}
	for n := range how.Blocks {
		b := &block{kernel: k, launch: how, number: n, args: args, memory: memory, shared: make([]byte, how.Shared), written: make([]bool, how.Shared)}
		if err := b.run(); err != nil {
			return fmt.Errorf("kernel %s, block %d: %w", entry, n, err)
		}
	}
	return nil
}

// block is a running block.
type block struct {
	kernel  *kernel
	launch  Launch
	number  int
	args    []uint64
	memory  Memory
	shared  []byte
	written []bool

	// The allocation found last.
	found []byte
	begin uint64
}

// run executes each warp up to its next barrier, repeatedly, until all have ended.
func (b *block) run() error {
	var warps []*warp
	for first := 0; first < b.launch.Threads; first += 32 {
		w := &warp{block: b, first: first, regs: make([][32]uint64, len(b.kernel.classes)), set: make([]uint32, len(b.kernel.classes))}
		w.live = uint32(1<<min(32, b.launch.Threads-first) - 1)
		warps = append(warps, w)
	}
	for {
		waiting, ended := 0, 0
		for _, w := range warps {
			if err := w.run(); err != nil {
				return err
			}
			if w.live == 0 {
				ended++
			} else {
				waiting++
			}
		}
		if waiting == 0 {
			return nil
		}
		if ended > 0 {
			return fmt.Errorf("%d warps wait at a barrier that %d do not reach", waiting, ended)
		}
	}
}

// warp is the state of 32 threads.
type warp struct {
	block *block
	first int // number of the first thread
	regs  [][32]uint64
	set   []uint32 // lanes in which a register was written
	pc    [32]int
	live  uint32 // lanes that have not ended
	steps int
}

// run executes instructions until all lanes have ended or have passed a barrier.
func (w *warp) run() error {
	code := w.block.kernel.code
	for w.live != 0 {
		pc, mask := w.next()
		if w.steps++; w.steps > w.block.launch.Steps {
			return fmt.Errorf("%d instructions do not end", w.steps-1)
		}
		if pc >= len(code) {
			return fmt.Errorf("the code ends without ret")
		}
		i := &code[pc]
		taken := mask
		if i.guard >= 0 {
			if w.set[i.guard]&mask != mask {
				return fmt.Errorf("%s: the predicate was not written", i.text)
			}
			taken = w.holds(i.guard, mask, i.unless)
		}
		switch {
		case i.op == "bra":
			w.jump(taken, w.block.kernel.labels[i.target])
			w.jump(mask&^taken, pc+1)
			continue
		case i.op == "ret":
			w.live &^= taken
		case i.op == "bar.sync" && taken != w.live:
			return fmt.Errorf("%s: only some lanes of a warp are here", i.text)
		case i.run != nil && taken != 0:
			if err := i.run(w, taken); err != nil {
				return fmt.Errorf("%s: %w", i.text, err)
			}
		}
		w.jump(mask, pc+1)
		if i.op == "bar.sync" {
			return nil
		}
	}
	return nil
}

// next returns the lowest program counter and the lanes that have it.
func (w *warp) next() (pc int, mask uint32) {
	pc = int(^uint(0) >> 1)
	for rest := w.live; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		switch at := w.pc[lane]; {
		case at < pc:
			pc, mask = at, 1<<lane
		case at == pc:
			mask |= 1 << lane
		}
	}
	return pc, mask
}

func (w *warp) jump(mask uint32, pc int) {
	for ; mask != 0; mask &= mask - 1 {
		w.pc[bits.TrailingZeros32(mask)] = pc
	}
}

// holds returns the lanes of a mask in which a predicate is set, or not set.
func (w *warp) holds(p int, mask uint32, unless bool) (out uint32) {
	for rest := mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if (w.regs[p][lane] != 0) != unless {
			out |= 1 << lane
		}
	}
	return out
}

// read returns an operand in all lanes of a mask.
func (w *warp) read(o *operand, mask uint32, to *[32]uint64) error {
	switch {
	case o.register >= 0:
		if w.set[o.register]&mask != mask {
			return fmt.Errorf("an operand was not written")
		}
		*to = w.regs[o.register]
	case o.special != nil:
		for lane := range to {
			to[lane] = o.special(w, lane)
		}
	default:
		for lane := range to {
			to[lane] = o.value
		}
	}
	return nil
}

// write sets a register in the lanes of a mask.
func (w *warp) write(r int, mask uint32, from *[32]uint64) {
	for rest := mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		w.regs[r][lane] = from[lane]
	}
	w.set[r] |= mask
}

// inside reports whether memory has n bytes from at on.
func inside(at uint64, n int, memory []byte) bool {
	size := uint64(len(memory))
	return at <= size && uint64(n) <= size-at
}

// global returns n bytes of global memory.
func (b *block) global(p uint64, n int) ([]byte, error) {
	if !inside(p-b.begin, n, b.found) {
		if b.found, b.begin = b.memory.Find(p); !inside(p-b.begin, n, b.found) {
			return nil, fmt.Errorf("%d bytes at %#x are not in an allocation", n, p)
		}
	}
	if p%uint64(n) != 0 {
		return nil, fmt.Errorf("%d bytes at %#x are not aligned", n, p)
	}
	return b.found[p-b.begin:][:n], nil
}

// local returns n bytes of shared memory. Bytes to be read must have been written before.
func (b *block) local(p uint64, n int, reads bool) ([]byte, error) {
	if !inside(p, n, b.shared) || p%uint64(n) != 0 {
		return nil, fmt.Errorf("%d bytes at %d of %d bytes of shared memory", n, p, len(b.shared))
	}
	for i := range n {
		if reads && !b.written[p+uint64(i)] {
			return nil, fmt.Errorf("shared memory at %d was not written", p)
		}
		b.written[p+uint64(i)] = true
	}
	return b.shared[p:][:n], nil
}
