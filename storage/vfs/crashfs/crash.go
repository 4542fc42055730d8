package crashfs

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// sectorSize is the unit in which a disk writes: a crash finds a sector as before or after a
// write.
const sectorSize = 512

// Keep says what a crash leaves of changes that were not synced.
type Keep int

// What a crash leaves.
const (
	None   Keep = iota // nothing
	All                // everything
	Torn               // everything, but only some sectors of the last write
	Random             // any of them, and any sectors of some writes
	Killed             // everything, and it is still not synced: only the process has died
)

// Keeps lists all of them.
var Keeps = []Keep{None, All, Torn, Random, Killed}

// Point is the state of a file system after an operation.
type Point struct {
	Op    Op
	names names
	files map[*node]node // copies as they were
}

// Point returns the present state.
func (f *FS) Point() *Point {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.point(Op{Number: f.ops})
}

// point copies the state, which shares the contents of files. f.mu is held.
func (f *FS) point(op Op) *Point {
	p := &Point{Op: op, names: f.names, files: map[*node]node{}}
	p.names.pending = p.names.pending[:len(p.names.pending):len(p.names.pending)]
	f.names.each(func(n *node) {
		was := *n
		was.pending = was.pending[:len(was.pending):len(was.pending)]
		p.files[n] = was
	})
	f.gen = newGeneration()
	return p
}

// each calls fn for each file that has a name or may have one after a crash.
func (d *names) each(fn func(*node)) {
	for _, n := range d.durable {
		fn(n)
	}
	for _, n := range d.current {
		if n != nil {
			fn(n)
		}
	}
	for _, l := range d.pending {
		fn(l.file)
	}
}

// Crash returns a file system as it may be found when the system starts again after a crash. The
// seed decides what is left to chance. Nobody has locks or open files, and operations are counted
// from 1 again.
func (p *Point) Crash(keep Keep, seed uint64) *FS {
	f := New()
	if keep == Killed {
		p.copyTo(f)
		return f
	}
	c := crash{keep: keep, gen: f.gen, last: math.MinInt, rand: rand.New(rand.NewPCG(seed, uint64(p.Op.Number)))}
	c.chance = []float64{0.1, 0.5, 0.9}[c.rand.IntN(3)]
	for _, was := range p.files {
		for _, x := range was.pending {
			if x.data != nil {
				c.last = max(c.last, x.op)
			}
		}
	}
	found := map[*node]*node{}
	f.names.current = map[string]*node{}
	for _, name := range sortedNames(c.names(&p.names)) {
		n := name.file
		if found[n] == nil {
			was := p.files[n]
			left := c.content(&was)
			found[n] = &node{durable: left, current: left}
		}
		f.names.current[name.to] = found[n]
	}
	f.names.durable = f.names.current
	f.gen = newGeneration()
	return f
}

// copyTo makes f the same as the state.
func (p *Point) copyTo(f *FS) {
	copies := make(map[*node]*node, len(p.files))
	for n, was := range p.files {
		was.pending = slices.Clone(was.pending)
		for i := range was.pending {
			was.pending[i].op -= p.Op.Number // before those to come
		}
		copies[n] = &was
	}
	rename := func(m map[string]*node) map[string]*node {
		r := make(map[string]*node, len(m))
		for name, n := range m {
			r[name] = copies[n]
		}
		return r
	}
	f.names = names{durable: rename(p.names.durable), current: rename(p.names.current)}
	for _, l := range p.names.pending {
		l.file = copies[l.file]
		f.names.pending = append(f.names.pending, l)
	}
}

// crash makes what is found after a crash.
type crash struct {
	keep   Keep
	gen    generation
	rand   *rand.Rand
	chance float64 // that a change has survived
	last   int     // the last write that was not synced
}

// survives decides about a change.
func (c *crash) survives() bool { return c.keep != Random || c.rand.Float64() < c.chance }

// names returns the folder as it is found. A change survives only if all changes before it of the
// same file and the same names have survived, as file systems with a journal guarantee.
func (c *crash) names(d *names) map[string]*node {
	if c.keep == None {
		return d.durable
	}
	left := d.durable
	goneFile, goneName := map[*node]bool{}, map[string]bool{"": false}
	for _, l := range d.pending {
		if c.survives() && !goneFile[l.file] && !goneName[l.from] && !goneName[l.to] {
			left = l.apply(left)
			continue
		}
		goneFile[l.file] = true
		for _, name := range []string{l.from, l.to} {
			goneName[name] = name != ""
		}
	}
	return left
}

// sortedNames lists names in order, so that what is left to chance depends on the seed alone.
func sortedNames(m map[string]*node) []link {
	list := make([]link, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, link{file: m[name], to: name})
	}
	return list
}

// content returns a file as it is found.
func (c *crash) content(n *node) content {
	left := n.durable
	if c.keep == None {
		return left
	}
	for _, x := range n.pending {
		switch {
		case x.data != nil && (c.keep == Torn && x.op == c.last || c.keep == Random && c.rand.IntN(3) == 0):
			c.tear(&left, x)
		case c.survives():
			x.apply(&left, c.gen)
		}
	}
	if c.keep == Random && left.size < n.current.size && c.rand.IntN(3) == 0 {
		left.truncate(c.gen, n.current.size) // the size was written before the data
	}
	return left
}

// tear makes some sectors of a write.
func (c *crash) tear(to *content, x change) {
	for from := 0; from < len(x.data); {
		end := min(len(x.data), from+sectorSize-int((x.at+int64(from))%sectorSize))
		if c.rand.IntN(2) == 0 {
			to.write(c.gen, x.data[from:end], x.at+int64(from))
		}
		from = end
	}
}
