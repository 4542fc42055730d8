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

// seen knows of most rows that they are not among those on disk: without it each iteration, of
// which there may be many that add few rows, would read all of these.
type seen struct {
	bits *mem.Buffer[uint64]
	room int // rows that it is made for
	rows int // rows that it has
	flat []vec.Vector
	keys []*vec.Vector
	hash []uint64
}

// hashes returns those of a batch's rows.
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

// has reports whether some row of b may be there.
func (s *seen) has(b *vec.Batch) bool {
	for _, h := range s.hashes(b) {
		if dynfilter.Bloom(s.bits.S).Has(h) {
			return true
		}
	}
	return false
}

// allUnseen is unseen where nothing has to be looked for on disk, and else not ok.
func (r *recursive) allUnseen(fresh []spill.Block) (out []spill.Block, ok bool, err error) {
	for _, c := range r.node.Cols {
		if expr.HasKey(c.T) { // equal texts may have different hashes
			return nil, false, nil
		}
	}
	set := keytable.NewSet(columnTypes(r.node), r.account)
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
	if r.disk.seen.has(all) {
		return nil, false, nil
	}
	r.disk.seen.add(all)
	out, err = r.write(all)
	return out, err == nil, err
}

// each calls f for the rows of blocks.
func (r *recursive) each(blocks []spill.Block, f func(*vec.Batch) error) error {
	from := r.disk.file.NewReader()
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

// remember makes r.disk.seen know all rows on disk and have room for n more.
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
