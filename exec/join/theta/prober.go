package theta

import (
	"math"
	"slices"

	"gsql/exec/join/match"
	"gsql/exec/keyenc"
	"gsql/exec/search"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// windows holds the windows of a predicate, by row; lo is greater than hi if nothing passes.
type windows struct{ lo, hi []uint64 }

// windows computes the windows of all rows; words holds the outer operands by comparison.
func (t *predicate) windows(ops []expr.FuncID, words [][]uint64, w *windows) {
	lo, hi := w.lo, w.hi
	for i := range lo {
		lo[i], hi[i] = 0, math.MaxUint64
	}
	for _, key := range t.on {
		NarrowWindows(ops[key], words[key][:len(lo)], lo, hi)
	}
}

// rangeProber probes in one goroutine.
type rangeProber struct {
	m        *RangeMatcher
	words    [][]uint64 // by comparison
	windows  []windows  // by predicate
	skip     []bool
	flat     vec.Vector
	at       []int32
	from, to []int32  // the remaining positions of each row
	least    []uint64 // by row: the least word of the reach that passes
	row      int      // of the batch: the current one
	out      match.Pairs
}

// Probe implements Prober.
func (p *rangeProber) Probe(probe *match.Side) error {
	n := probe.Rows
	p.row = 0
	p.skip = slices.Grow(p.skip[:0], n)[:n]
	clear(p.skip)
	for i, v := range probe.Keys {
		p.words[i] = slices.Grow(p.words[i][:0], n)[:n]
		v = v.Flatten(&p.flat)
		keyenc.OrderKeys(p.words[i], v, p.skip)
		keyenc.SkipNulls(v, p.skip)
	}
	for i := range p.windows {
		w := &p.windows[i]
		w.lo, w.hi = slices.Grow(w.lo[:0], n)[:n], slices.Grow(w.hi[:0], n)[:n]
		p.m.predicates[i].windows(p.m.ops, p.words, w)
		for k, lo := range w.lo {
			p.skip[k] = p.skip[k] || lo > w.hi[k]
		}
	}
	p.locate(n)
	return nil
}

// locate finds the windows of positions.
func (p *rangeProber) locate(n int) {
	p.from, p.to = slices.Grow(p.from[:0], n)[:n], slices.Grow(p.to[:0], n)[:n]
	for i, skip := range p.skip {
		if p.from[i], p.to[i] = 0, int32(len(p.m.rows)); skip {
			p.to[i] = 0
		}
	}
	for _, x := range p.m.narrow {
		p.narrow(&x)
	}
	if p.m.reach == nil {
		return
	}
	w := &p.windows[p.m.reached]
	if p.least = w.lo; p.m.falls {
		p.least = w.hi
		complement(p.least)
	}
}

// narrow narrows the windows of positions to those of another predicate.
func (p *rangeProber) narrow(x *narrowing) {
	lo, hi := p.windows[x.test].lo, p.windows[x.test].hi
	below, above := p.m.bounded(x.test)
	if x.falls {
		complement(lo)
		complement(hi)
		lo, hi, below, above = hi, lo, above, below
	}
	p.at = slices.Grow(p.at[:0], len(lo))[:len(lo)]
	if below {
		search.AllBelow(x.words, lo, p.at)
		for i, at := range p.at {
			p.from[i] = max(p.from[i], at)
		}
	}
	if above {
		search.AllUpTo(x.words, hi, 0, p.at)
		for i, at := range p.at {
			p.to[i] = min(p.to[i], at)
		}
	}
}

func complement(words []uint64) {
	for i, w := range words {
		words[i] = ^w
	}
}

// rangeSteps is the number of positions examined before Next returns, so that its caller can
// check for cancellation.
const rangeSteps = 1 << 14

// Next implements Prober.
func (p *rangeProber) Next(limit int) (match.Pairs, bool, error) {
	p.out.Probe, p.out.Build = p.out.Probe[:0], p.out.Build[:0]
	some := p.m.reach != nil || len(p.m.checked) > 0
	for steps := 0; p.row < len(p.from); p.row++ {
		room := limit - len(p.out.Probe)
		if room <= 0 || steps >= rangeSteps {
			return p.out, false, nil
		}
		if !some {
			p.run(room)
		} else {
			steps += p.search(room, rangeSteps-steps)
		}
		if p.from[p.row] < p.to[p.row] {
			return p.out, false, nil
		}
	}
	return p.out, true, nil
}

// run outputs up to limit positions of the current row.
func (p *rangeProber) run(limit int) {
	from, to := p.from[p.row], p.to[p.row]
	if from >= to {
		return
	}
	if p.m.Settles {
		p.settle(limit)
		return
	}
	end := from + min(int32(limit), to-from)
	if p.m.Once {
		end, p.to[p.row] = from+1, from+1
	}
	p.out.Build = append(p.out.Build, p.m.rows[from:end]...)
	for range end - from {
		p.out.Probe = append(p.out.Probe, int32(p.row))
	}
	p.from[p.row] = end
}

// settle is run for positions for which one partner is enough.
func (p *rangeProber) settle(limit int) {
	at, to := p.m.unsettled(p.from[p.row]), p.to[p.row]
	for ; at < to && limit > 0; limit-- {
		p.out.Probe, p.out.Build = append(p.out.Probe, int32(p.row)), append(p.out.Build, p.m.rows[at])
		p.m.settle(at)
		at = p.m.unsettled(at + 1)
	}
	p.from[p.row] = min(at, to)
}

// search is run for windows in which not all positions pass. It examines at most most of them and
// returns their number.
func (p *rangeProber) search(limit, most int) (steps int) {
	at, to := p.from[p.row], p.to[p.row]
	for at < to && limit > 0 && steps < most {
		if at = min(p.m.unsettled(at), to); at == to {
			break
		}
		if steps++; p.m.reach != nil {
			if at = p.m.reach.next(at, to, p.least[p.row]); at == to {
				break
			}
		}
		if p.passes(at) {
			p.out.Probe, p.out.Build = append(p.out.Probe, int32(p.row)), append(p.out.Build, p.m.rows[at])
			p.m.settle(at)
			if limit--; p.m.Once {
				at = to
				break
			}
		}
		at++
	}
	p.from[p.row] = at
	return steps
}

// passes reports whether a position passes the predicates that are only checked.
func (p *rangeProber) passes(at int32) bool {
	for _, i := range p.m.checked {
		word, w := p.m.words[i][at], &p.windows[i]
		if inside := word >= w.lo[p.row] && word <= w.hi[p.row]; inside == p.m.predicates[i].negate {
			return false
		}
	}
	return true
}
