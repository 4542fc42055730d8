package prim

import (
	"errors"
	"fmt"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/kernels"
)

// Carried is what rows carry through a partitioning besides their keys.
type Carried struct {
	Width  int64   // bytes per row: 4, 8, or 0 for nothing
	Column gpu.Ptr // 0 for the rows' numbers
	High   gpu.Ptr // if not 0, Column and High are the halves, of 4 bytes, of 8-byte values
	Addend int64   // added to row numbers, whether generated or in Column
}

// Partitions are the rows of one side of a join or grouping, partitioned by Bits bits of their
// keys' hashes. Equal keys are in the same partition; partitions of two inputs by the same bits
// correspond. Within a partition rows are in no particular order.
type Partitions struct {
	Rows   int64
	Wide   bool  // keys and hashes have 8 bytes, else 4
	Width  int64 // of values
	Bits   uint
	Hashes gpu.Ptr // instead of keys: different keys have different hashes
	Values gpu.Ptr
	Bounds gpu.Ptr // 2^Bits + 1 words: partition p is rows [Bounds[p], Bounds[p+1])

	known   uint      // bits by which the rows of Assemble are split already
	cursors []gpu.Ptr // per level: the positions of the next rows of partitions, after a word of 0
	tiles   gpu.Ptr
	other   gpu.Ptr // the rows between levels: hashes, then values
}

// MaxPartitionBits is the most bits of Partitions: three levels, the last of which has few enough
// parents to list them in shared memory.
const MaxPartitionBits = 21

// Count returns the number of partitions.
func (p *Partitions) Count() int64 { return 1 << p.Bits }

// PartitionBytes returns the device memory of the partitions of n rows, and what building them
// takes in addition.
func PartitionBytes(wide bool, width, n int64, bits uint) (kept, scratch int64) {
	p := Partitions{Rows: n, Wide: wide, Width: width, Bits: bits}
	kept = padded(n*p.keyWidth()) + padded(n*width) + padded(cursorBytes(p.Count()))
	levels := p.levels()
	if len(levels) > 1 {
		scratch = padded(n*p.keyWidth()) + padded(n*width)
	}
	for l := range levels[1:] {
		scratch += padded(cursorBytes(1 << p.shift(l+1)))
	}
	return kept, scratch + padded(16*p.room(len(levels)-1)) + ScanBytes(p.Count()) + padded(8)
}

// NewPartitions allocates memory for the partitions of up to n rows by 1 to MaxPartitionBits bits,
// which Partition fills.
func NewPartitions(t *engine.Task, wide bool, width, n int64, bits uint) (*Partitions, error) {
	p := &Partitions{Rows: n, Wide: wide, Width: width, Bits: bits}
	var err error
	if p.Hashes, err = t.Alloc(n * p.keyWidth()); err != nil {
		return nil, err
	}
	if p.Values, err = t.Alloc(n * width); err != nil {
		return nil, err
	}
	p.Bounds, err = t.Alloc(cursorBytes(p.Count()))
	p.Bounds += 8 // cursors are aligned as a scan requires
	return p, err
}

// Partition fills p with the partitions of n rows, no more than it has memory for. One launch per
// level splits all partitions of the level above (He et al., Relational Joins on Graphics
// Processors, SIGMOD 2008, 4.1; levels as in Boncz et al., VLDB 1999, 3.3.1).
func (p *Partitions) Partition(t *engine.Task, keys gpu.Ptr, carried Carried, n int64) error {
	m := t.Mark()
	p.Rows = n
	return errors.Join(p.partition(t, keys, carried), t.Release(m))
}

func (p *Partitions) partition(t *engine.Task, keys gpu.Ptr, carried Carried) error {
	levels := p.levels()
	if err := p.allocScratch(t, levels); err != nil {
		return err
	}
	return p.further(t, 0, rows{keys: keys, carried: carried})
}

// further runs the levels from l on.
func (p *Partitions) further(t *engine.Task, l int, in rows) error {
	levels := p.levels()
	for ; l < len(levels); l++ {
		out := p.place(len(levels) - 1 - l)
		if err := p.level(t, l, in, out); err != nil {
			return err
		}
		in = rows{keys: out.keys, carried: Carried{Width: p.Width, Column: out.carried.Column}}
	}
	return nil
}

// rows are the input or output of a level.
type rows struct {
	keys    gpu.Ptr
	carried Carried
}

// place returns the destination of a level that is followed by after more levels; the last one
// writes to p.
func (p *Partitions) place(after int) rows {
	if after%2 == 0 {
		return rows{p.Hashes, Carried{Column: p.Values}}
	}
	return rows{p.other, Carried{Column: p.other + gpu.Ptr(padded(p.Rows*p.keyWidth()))}}
}

func (p *Partitions) allocScratch(t *engine.Task, levels []uint) (err error) {
	if len(levels) > 1 {
		if p.other, err = t.Alloc(padded(p.Rows*p.keyWidth()) + p.Rows*p.Width); err != nil {
			return err
		}
	}
	p.cursors = make([]gpu.Ptr, len(levels))
	for l := range levels[1:] {
		if p.cursors[l], err = t.Alloc(cursorBytes(1 << p.shift(l+1))); err != nil {
			return err
		}
	}
	p.cursors[len(levels)-1] = p.Bounds - 8
	p.tiles, err = t.Alloc(16 * p.room(len(levels)-1))
	return err
}

// level splits each partition of the level above.
func (p *Partitions) level(t *engine.Task, l int, in, out rows) error {
	tiles := tiles{p.tiles, p.room(l)}
	if err := p.list(t, l, tiles); err != nil {
		return err
	}
	if err := p.clear(t, l); err != nil {
		return err
	}
	if err := p.count(t, l, in.keys, tiles); err != nil {
		return err
	}
	if err := p.sum(t, l); err != nil {
		return err
	}
	return p.move(t, l, in, out, tiles)
}

// levels returns the bits of each level: as few levels as possible, with about as many bits each.
func (p *Partitions) levels() []uint {
	all := p.Bits - p.known
	n := (all + 7) / 8
	levels := make([]uint, n)
	for l := range levels {
		levels[l] = (all + n - 1 - uint(l)) / n
	}
	return levels
}

// shift returns the number of bits before a level.
func (p *Partitions) shift(l int) uint {
	shift := p.known
	for _, bits := range p.levels()[:l] {
		shift += bits
	}
	return shift
}

func (p *Partitions) keyWidth() int64 {
	if p.Wide {
		return 8
	}
	return 4
}

func (p *Partitions) keyType() string { return fmt.Sprintf("b%d", p.keyWidth()) }

// pass returns the kernel that splits; rows without values have their own.
func (p *Partitions) pass() (family, typ string) {
	if p.Width == 0 {
		return "gsql_partition_keys", p.keyType()
	}
	return "gsql_partition_pass", fmt.Sprintf("%sb%d", p.keyType(), p.Width)
}

func (p *Partitions) tileRows() int64 {
	family, _ := p.pass()
	return int64(kernels.Find(family).Tile(p.Wide || p.Width == 8))
}

// room returns the most tiles of a level: the last tile of each partition may be almost empty.
func (p *Partitions) room(l int) int64 {
	return p.Rows/p.tileRows() + int64(1)<<p.shift(l)
}

// cursorBytes returns the size of two words, the second of them the first bound, and a cursor
// per partition; a cursor ends where the next partition begins.
func cursorBytes(partitions int64) int64 { return 8 * (2 + partitions) }
