package state

import "sync"

// ByGroup lists the rows of a store by group: those of group g are
// rows[start[g]:start[g+1]], in the order of the store.
type ByGroup struct {
	once  sync.Once
	start []int32
	rows  []int32
}

// Build sorts the rows by group with a counting sort. Several goroutines may call it; the first
// one does the work.
func (b *ByGroup) Build(n int, groups func(yield func(row, g int32))) {
	b.once.Do(func() {
		b.start = make([]int32, n+2)
		total := 0
		groups(func(_, g int32) {
			b.start[g+2]++
			total++
		})
		for g := 2; g < len(b.start); g++ {
			b.start[g] += b.start[g-1]
		}
		b.rows = make([]int32, total)
		groups(func(row, g int32) {
			b.rows[b.start[g+1]] = row
			b.start[g+1]++
		})
		b.start = b.start[:n+1]
	})
}

// forget makes the next Build sort the rows again, because there are more of them.
func (b *ByGroup) forget() {
	if b.start != nil {
		*b = ByGroup{}
	}
}

// Of returns the rows of group g.
func (b *ByGroup) Of(g int32) []int32 { return b.rows[b.start[g]:b.start[g+1]] }
