package agg

import (
	"errors"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// cover charges for the texts of rows that are about to be dealt out to the buffers. If there is no
// memory for them, the buffers are emptied; if that does not help, they are freed and done is false.
func (s *splitter) cover(cols []*vec.Vector) (done bool, err error) {
	n := int64(0)
	for _, c := range cols {
		n += c.TextBytes()
	}
	if n == 0 {
		return true, nil
	}
	if err = s.o.account.Reserve(n); !errors.Is(err, sqlerr.OutOfMemory) {
		return true, err
	}
	for p := range splitParts {
		if err := s.flush(p); err != nil {
			return false, err
		}
	}
	if err = s.o.account.Reserve(n); !errors.Is(err, sqlerr.OutOfMemory) || s.o.ctx.Spill == nil {
		return true, err
	}
	return false, s.goDirect()
}

// note records to which partitions the texts belong that cover charged for.
func (s *splitter) note(v *vec.Vector, part []uint8) {
	if v.Type.Kind() != types.KindStr || v.SharesTexts() {
		return
	}
	for i, p := range part {
		s.texts[p%splitParts] += int64(len(v.Str[i]))
	}
}

// uncover releases the charge for the texts in a partition's buffer.
func (s *splitter) uncover(p int) {
	s.o.account.Discard(s.texts[p])
	s.texts[p] = 0
}
