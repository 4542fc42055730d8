package agg

import (
	"errors"

	"gsql/exec/agg/keytable"
	"gsql/exec/rowhash"
	"gsql/exec/spill"
	"gsql/sql/vec"
)

// piece is a partition, or those of its rows that memory has room for at a time: whose hashes have
// the same further bits.
type piece struct {
	part int
	bits int    // how many further bits
	of   uint64 // what they are
}

// mostPieceBits bounds how often a partition is divided.
const mostPieceBits = 40

// divide makes two turns of a piece that memory has no room for, unless it was divided so often that
// its rows are of one group. Each reads all of the partition's rows.
func (o *Operator) divide(p piece) bool {
	if p.bits == mostPieceBits {
		return false
	}
	half := piece{p.part, p.bits + 1, 2 * p.of}
	other := half
	other.of++
	o.turns.Add(other, half)
	return true
}

// has reports whether a row of the partition whose hash is h is one of the piece.
func (p piece) has(h uint64) bool { return h<<splitBits>>(64-p.bits) == p.of }

// rows returns which rows with these hashes are the piece's; all is set instead where all are.
func (p piece) rows(hash []uint64) (idx []int32, all bool) {
	if p.bits == 0 {
		return nil, true
	}
	for i, h := range hash {
		if p.has(h) {
			idx = append(idx, int32(i))
		}
	}
	return idx, len(idx) == len(hash)
}

// groupsOf returns those of a table's groups that are the piece's; from is nil for all of the table.
func (p piece) groupsOf(t *keytable.Table, from []int32) []int32 {
	if p.bits == 0 {
		return from
	}
	own := make([]int32, 0, max(len(from), t.Groups)>>p.bits)
	var hash [vec.BatchSize]uint64
	for lo := 0; lo < t.Groups; lo += len(hash) {
		hi := min(lo+len(hash), t.Groups)
		hs := t.HashesOf(lo, hi, hash[:])
		if from == nil {
			for i, h := range hs {
				if p.has(h) {
					own = append(own, int32(lo+i))
				}
			}
			continue
		}
		for ; len(from) > 0 && int(from[0]) < hi; from = from[1:] { // they ascend
			if p.has(hs[int(from[0])-lo]) {
				own = append(own, from[0])
			}
		}
	}
	return own
}

// complete returns the groups of a piece: those of all workers with the rows on disk added.
// What they are made of stays until they are.
func (o *Operator) complete(p piece) (*groups, error) {
	g, err := o.newGroups()
	if err != nil {
		return nil, err
	}
	if err := o.gather(g, p); err != nil {
		return nil, errors.Join(err, g.discard())
	}
	if p.bits == 0 {
		for _, s := range o.splits {
			s.drop(p.part)
		}
	}
	return g, nil
}

// gather adds all that there is of a piece to g.
func (o *Operator) gather(g *groups, p piece) error {
	for i, s := range o.parts {
		if own := p.groupsOf(s.table, o.lists[i].Of(int32(p.part))); len(own) > 0 {
			if err := o.mergeGroups(g, s, own); err != nil {
				return err
			}
		}
	}
	for _, s := range o.splits {
		if len(s.parts) == 0 {
			continue
		}
		src := s.parts[p.part]
		own := p.groupsOf(src.table, nil)
		if p.bits > 0 && len(own) == 0 {
			continue
		}
		if err := o.mergeGroups(g, src, own); err != nil {
			return err
		}
	}
	rows := 0
	for _, s := range o.splits {
		rows += s.keptRows(p.part)
	}
	if err := g.table.Extend(g.n + rows>>p.bits); err != nil {
		return err
	}
	for _, s := range o.splits {
		if err := s.addKept(g, p); err != nil {
			return err
		}
	}
	return o.readBack(g, p)
}

// addRows groups those rows of a partition that are the piece's.
func (o *Operator) addRows(g *groups, p piece, b *vec.Batch) error {
	hash := make([]uint64, b.N)
	rowhash.Rows(b.Cols[:len(o.types)], hash)
	idx, all := p.rows(hash)
	if !all {
		if len(idx) == 0 {
			return nil
		}
		for i, row := range idx {
			hash[i] = hash[row]
		}
		hash = hash[:len(idx)]
		b = vec.Select(b, idx)
		for i, c := range b.Cols {
			b.Cols[i] = c.Flatten(nil)
		}
	}
	return g.addFlat(o, b.Cols, hash, make([]int32, len(hash)))
}

// readBack adds a piece's rows on disk to its groups and finishes them.
func (o *Operator) readBack(g *groups, p piece) error {
	var blocks []spill.Block
	var from *spill.Reader
	if o.disk != nil {
		blocks, from = o.disk.Blocks(p.part), o.disk.NewReader()
	}
	for _, block := range blocks {
		if err := o.ctx.Err(); err != nil {
			return err
		}
		b, err := from.Read(block)
		if err != nil {
			return err
		}
		if err := o.addRows(g, p, b); err != nil {
			return err
		}
	}
	if o.abreast > 1 {
		return g.finish(alone(o.ctx))
	}
	return g.finish(o.ctx)
}
