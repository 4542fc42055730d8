package exec

import (
	"errors"

	"gsql/exec/agg/keytable"
	"gsql/exec/dynfilter"
	"gsql/exec/rowhash"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// seen is a Bloom filter of the rows on disk. It rules out most rows that are not there:
// otherwise each iteration would read all rows on disk, and there may be many iterations that add
// few rows.
type seen struct {
	bits *mem.Buffer[uint64]
	room int // number of rows it is sized for
	rows int // number of rows added
	flat []vec.Vector
	keys []*vec.Vector
	hash []uint64
}

// hashes returns the hashes of a batch's rows.
func (s *seen) hashes(b *vec.Batch) []uint64 {
	if s.flat == nil {
		s.flat = make([]vec.Vector, len(b.Cols))
	}
	s.keys = s.keys[:0]
	for i, c := range b.Cols {
		s.keys = append(s.keys, c.Flatten(&s.flat[i]))
	}
	if cap(s.hash) < b.N {
		s.hash = make([]uint64, b.N)
	}
	rowhash.Rows(s.keys, s.hash[:b.N])
	return s.hash[:b.N]
}

func (s *seen) add(b *vec.Batch) {
	for _, h := range s.hashes(b) {
		dynfilter.Bloom(s.bits.S).Add(h)
	}
	s.rows += b.N
}

// has reports whether the filter may contain a row of b.
func (s *seen) has(b *vec.Batch) bool {
	for _, h := range s.hashes(b) {
		if dynfilter.Bloom(s.bits.S).Has(h) {
			return true
		}
	}
	return false
}

// allUnseen is unseen for the case that the filter rules out all rows; otherwise ok is false.
func (r *recursive) allUnseen(fresh []spill.Block) (out []spill.Block, ok bool, err error) {
	for _, c := range r.node.Cols {
		if expr.HasKey(c.T) { // equal texts may have different hashes
			return nil, false, nil
		}
	}
	set := keytable.NewSet(columnTypes(r.node), r.account, r.ctx.Err)
	defer set.Free()
	err = r.each(fresh, set.Append)
	if err == nil {
		err = r.remember(set.Rows())
	}
	if err != nil {
		if errors.Is(err, sqlerr.OutOfMemory) {
			err = nil
		}
		return nil, false, err
	}
	all := &vec.Batch{Cols: set.Columns(), N: set.Rows()}
	known := false
	err = r.eachPart(all, func(b *vec.Batch) { known = known || r.disk.seen.has(b) })
	if err != nil || known {
		return nil, false, err
	}
	if err = r.eachPart(all, r.disk.seen.add); err == nil {
		out, err = r.write(all)
	}
	return out, err == nil, err
}

// eachPart calls f with parts of a batch.
func (r *recursive) eachPart(all *vec.Batch, f func(*vec.Batch)) error {
	for lo := 0; lo < all.N; lo += checkRows {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		f(all.Slice(lo, min(lo+checkRows, all.N)))
	}
	return nil
}

// each calls f with the rows of each block.
func (r *recursive) each(blocks []spill.Block, f func(*vec.Batch) error) error {
	from := r.disk.file.NewReader(r.account)
	defer from.Free()
	for _, block := range blocks {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		b, err := from.Read(block)
		if err == nil {
			err = f(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// remember makes r.disk.seen contain all rows on disk and leaves space for n more.
func (r *recursive) remember(n int) (err error) {
	s := &r.disk.seen
	if need := int(r.disk.rows) + n; s.bits == nil || need > s.room {
		s.bits.Free()
		s.room, s.rows = 2*need, 0
		if s.bits, err = mem.Alloc[uint64](r.account, dynfilter.BloomWords(s.room)); err != nil {
			return err
		}
	}
	if s.rows == int(r.disk.rows) {
		return nil
	}
	clear(s.bits.S)
	s.rows = 0
	return r.each(r.disk.blocks, func(b *vec.Batch) error {
		s.add(b)
		return nil
	})
}
