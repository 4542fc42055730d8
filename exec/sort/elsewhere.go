package sort

import (
	"gsql/exec/op"
	"gsql/internal/mem"
)

// Sorter writes the numbers of rows to rows in the order of their codes, those with equal codes in their
// own order. Codes are from 0 to 2^bits-1, or any integers if bits is 64. It returns false if it cannot; the
// CPU sorts them then.
type Sorter func(codes []int64, bits int, rows []int32) (bool, error)

// orderElsewhere returns the rows in order if Elsewhere sorts them, or nil. The CPU makes their codes, and
// compares rows with equal codes key by key if keys do not fit in a code.
func (o *Operator) orderElsewhere() (*mem.Buffer[int32], error) {
	n := o.rows.Rows()
	if o.Elsewhere == nil || n < 2 {
		return nil, nil
	}
	out, err := mem.Alloc[int32](o.account, n)
	if err != nil {
		return nil, err
	}
	s := &sorter{ctx: o.ctx, out: out.S[:n]}
	defer func() { o.account.Release(s.reserved) }()
	done := false
	if s.plan, err = s.newPlan(o.account, o.sortKeys(o.rows.Columns())); err == nil {
		done, err = s.elsewhere(o.Elsewhere, o.account)
	}
	if err != nil || !done {
		out.Free()
		return nil, err
	}
	return out, nil
}

func (s *sorter) elsewhere(sort Sorter, account *mem.Account) (bool, error) {
	n := len(s.out)
	if s.plan.bits == 0 { // all rows have equal keys
		for i := range s.out {
			s.out[i] = int32(i)
		}
		return true, nil
	}
	codes, err := mem.Alloc[int64](account, n)
	if err != nil {
		return false, err
	}
	defer codes.Free()
	workers := s.workers(n)
	if err := s.ranges(n, workers, func(_, lo, hi int) { s.plan.codes(codes.S, lo, hi) }); err != nil {
		return false, err
	}
	done, err := sort(codes.S[:n], s.plan.bits, s.out)
	if err != nil || !done || len(s.plan.rest) == 0 {
		return done, err
	}
	return true, s.untie(codes.S, account, workers)
}

// codes writes the codes of rows [lo, hi).
func (p *plan) codes(out []int64, lo, hi int) {
	var flip uint64
	if p.bits == 64 {
		flip = 1 << 63
	}
	var some [256]entry
	for ; lo < hi; lo += len(some) {
		part := some[:min(len(some), hi-lo)]
		p.encode(part, lo)
		for i := range part {
			out[lo+i] = int64(part[i].code ^ flip)
		}
	}
}

// untie brings rows with equal codes into the order of the keys that do not fit in the codes.
func (s *sorter) untie(codes []int64, account *mem.Account, workers int) error {
	n := len(s.out)
	entries, err := mem.Alloc[entry](account, n)
	if err != nil {
		return err
	}
	defer entries.Free()
	all := entries.S[:n]
	err = s.ranges(n, workers, func(_, lo, hi int) {
		for i, row := range s.out[lo:hi] {
			all[lo+i] = entry{uint64(codes[row]), row}
		}
	})
	if err != nil {
		return err
	}
	return op.Parallel(s.ctx, workers, func(w int) error {
		lo, hi := s.beginning(all, n*w/workers), s.beginning(all, n*(w+1)/workers)
		return s.emit(all[lo:hi], lo)
	})
}

// beginning returns the first place from at on where a code differs from the one before.
func (s *sorter) beginning(a []entry, at int) int {
	for at > 0 && at < len(a) && a[at].code == a[at-1].code {
		at++
	}
	return at
}
