package colstore

import (
	"math"
	"slices"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// part is a run of rows of one store to be concatenated.
type part struct {
	from   *Store
	morsel int64
	lo, hi int
	at     int // the position of its first row in the result
}

// Concat moves the rows of all stores, which have the same columns, into one store: by ascending
// morsel, and within a morsel by store and position. It frees the stores, even on error, and
// skips nil ones. If only one store has rows and they are in order, it returns that store. Up to
// ctx.Workers goroutines copy the columns.
func Concat(ctx *op.Ctx, stores ...*Store) (*Store, error) {
	stores = filled(stores)
	parts, rows := partsOf(stores)
	if inPlace(stores, parts) {
		return stores[0], nil
	}
	defer func() {
		for _, s := range stores {
			s.Free()
		}
	}()
	if rows > math.MaxInt32 {
		return nil, sqlerr.New(sqlerr.OutOfMemory, "Out of memory; an operator cannot hold more than %d rows", math.MaxInt32)
	}
	slices.SortStableFunc(parts, byMorsel)
	at := 0
	for i := range parts {
		parts[i].at = at
		at += parts[i].hi - parts[i].lo
	}
	out := stores[0].like()
	if err := out.fillFrom(ctx, parts, rows); err != nil {
		out.Free()
		return nil, err
	}
	for _, s := range stores {
		out.takeTexts(s)
	}
	return out, nil
}

// takeTexts moves the charge for the texts of from, whose rows are now in s, to s.
func (s *Store) takeTexts(from *Store) {
	s.text, from.text = s.text+from.text, 0
	for i := range s.cols {
		s.cols[i].own = s.cols[i].own || from.cols[i].own
	}
}

// ConcatBytes returns the bytes that Concat takes from the account in addition to the stores, and
// the number of rows.
func ConcatBytes(stores ...*Store) (bytes, rows int64) {
	stores = filled(stores)
	parts, n := partsOf(stores)
	if inPlace(stores, parts) {
		return 0, int64(n)
	}
	for c := range stores[0].cols {
		bytes += stores[0].cols[c].bytesFor(n)
		if hasNulls(parts, c) {
			bytes += int64(n)
		}
	}
	return bytes, int64(n)
}

// hasNulls reports whether column c of a part has flags of NULLs.
func hasNulls(parts []part, c int) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.from.cols[c].null != nil })
}

// filled returns the stores that have rows, or one empty store if none has.
func filled(stores []*Store) []*Store {
	var out []*Store
	var empty *Store
	for _, s := range stores {
		switch {
		case s == nil:
		case s.rows > 0:
			out = append(out, s)
		default:
			s.Free() // a failed Append may have left memory
			empty = s
		}
	}
	if len(out) == 0 && empty != nil {
		out = append(out, empty)
	}
	return out
}

// inPlace reports whether there is a single store and its rows are in order.
func inPlace(stores []*Store, parts []part) bool {
	return len(stores) == 1 && slices.IsSortedFunc(parts, byMorsel)
}

func byMorsel(a, b part) int {
	switch {
	case a.morsel < b.morsel:
		return -1
	case a.morsel > b.morsel:
		return 1
	}
	return 0
}

func partsOf(stores []*Store) (parts []part, rows int) {
	for _, s := range stores {
		for i, r := range s.runs {
			end := s.rows
			if i+1 < len(s.runs) {
				end = s.runs[i+1].start
			}
			parts = append(parts, part{from: s, morsel: r.morsel, lo: r.start, hi: end})
		}
		rows += s.rows
	}
	return parts, rows
}

// like returns an empty store with the same columns and account.
func (s *Store) like() *Store {
	ts := make([]types.Type, len(s.cols))
	for i := range s.cols {
		ts[i] = s.cols[i].t
	}
	return New(ts, s.account)
}

// fillFrom copies the parts column by column. It allocates the columns before copying, so that
// goroutines share no growing buffer.
func (s *Store) fillFrom(ctx *op.Ctx, parts []part, rows int) error {
	for c := range s.cols {
		if err := s.cols[c].reserve(s.account, rows); err != nil {
			return err
		}
		if hasNulls(parts, c) {
			if err := mem.Room(s.account, &s.cols[c].null, rows); err != nil {
				return err
			}
		}
	}
	s.rows = rows
	for _, p := range parts {
		s.runs = append(s.runs, run{p.morsel, p.at})
	}
	workers := 1
	if rows*len(s.cols) > 1<<16 {
		workers = ctx.Workers
	}
	return op.Parallel(ctx, workers, func(w int) error {
		for i := w; i < len(parts); i += workers {
			if err := s.copyPart(ctx, parts[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// copiedRows is the number of rows of a column that are copied before the context is looked at.
const copiedRows = 1 << 18

func (s *Store) copyPart(ctx *op.Ctx, p part) error {
	for c := range s.cols {
		if s.cols[c].kind == types.KindNull {
			continue
		}
		from := p.from.cols[c].vector(p.from.rows)
		for lo := p.lo; lo < p.hi; lo += copiedRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.cols[c].put(p.at+lo-p.lo, from.Slice(lo, min(lo+copiedRows, p.hi)))
		}
	}
	return nil
}
