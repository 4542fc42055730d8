package spill

import (
	"sync"

	"gsql/sql/vec"
)

// Partitions are blocks of rows in one file, grouped by partition. Several goroutines may write
// them, and they may be read once all are written.
type Partitions struct {
	*File
	mu     sync.Mutex
	blocks [][]Block
}

// NewPartitions makes n partitions without rows in a file.
func NewPartitions(f *File, n int) *Partitions {
	return &Partitions{File: f, blocks: make([][]Block, n)}
}

// Put writes rows of a partition. Its errors are those of Write.
func (p *Partitions) Put(part int, b *vec.Batch) error {
	if b.N == 0 {
		return nil
	}
	blocks, err := p.WriteAll(b, b.N)
	p.mu.Lock()
	p.blocks[part] = append(p.blocks[part], blocks...)
	p.mu.Unlock()
	return err
}

// Blocks returns the blocks of a partition.
func (p *Partitions) Blocks(part int) []Block { return p.blocks[part] }
